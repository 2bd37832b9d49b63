#pragma once

/// \file
/// Zero-initialized memory for the slots of a hash map. Large blocks come from the system, which zeroes their
/// pages when they are first touched. Huge pages are requested for them, because accesses are spread over the
/// whole map: with 4 KiB pages, nearly every value would cost a page table walk in addition to its own cache
/// line.

#include <cstddef>
#include <utility>

namespace widehash::detail {

class ZeroedMemory {
 public:
  ZeroedMemory() = default;
  /// Allocates `bytes` zeros, aligned to 64. Throws std::bad_alloc.
  explicit ZeroedMemory(std::size_t bytes);
  ~ZeroedMemory();
  ZeroedMemory(ZeroedMemory&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  ZeroedMemory& operator=(ZeroedMemory&& other) noexcept {
    const ZeroedMemory freed(std::move(*this));
    data_ = std::exchange(other.data_, nullptr);
    bytes_ = std::exchange(other.bytes_, 0);
    return *this;
  }

  void* data() const noexcept { return data_; }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace widehash::detail
