#pragma once

#include <widehash/internal/byte_source.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

namespace widehash::test {

/// A source of bytes in memory.
class MemorySource final : public ByteSource {
 public:
  explicit MemorySource(std::string bytes) : bytes_(std::move(bytes)) {}

  std::size_t read(std::span<char> buffer) override {
    const std::size_t count = std::min(buffer.size(), bytes_.size() - position_);
    std::copy_n(bytes_.data() + position_, count, buffer.data());
    position_ += count;
    return count;
  }
  std::uint64_t position() const noexcept override { return position_; }
  Compression compression() const noexcept override { return Compression::none; }

 private:
  std::string bytes_;
  std::size_t position_ = 0;
};

inline std::unique_ptr<ByteSource> memory_source(std::string bytes) {
  return std::make_unique<MemorySource>(std::move(bytes));
}

}  // namespace widehash::test
