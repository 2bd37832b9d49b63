#include "sources.hpp"

#include <algorithm>
#include <utility>

namespace widehash::detail {
namespace {

class RangeSource final : public ByteSource {
 public:
  RangeSource(std::shared_ptr<const RangeFile> file, std::uint64_t position)
      : file_(std::move(file)), position_(position) {}

  std::size_t read(std::span<char> buffer) override {
    const std::uint64_t left = file_->size_bytes() - position_;
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), left));
    file_->read(position_, buffer.first(count));
    position_ += count;
    // A last row that is not whole: there is one only where nobody is writing it.
    if (count > 0 && count == left && buffer[count - 1] != '\n') file_->require_end();
    return count;
  }
  std::uint64_t position() const noexcept override { return position_; }
  Compression compression() const noexcept override { return Compression::none; }

 private:
  std::shared_ptr<const RangeFile> file_;
  std::uint64_t position_;
};

}  // namespace

std::unique_ptr<ByteSource> make_range_source(std::shared_ptr<const RangeFile> file, std::uint64_t position) {
  return std::make_unique<RangeSource>(std::move(file), position);
}

}  // namespace widehash::detail
