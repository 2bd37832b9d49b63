#pragma once

/// \file
/// Memory that begins as zeros: the slots of a hash map. A large piece comes from the system, which zeroes
/// its pages when they are first touched, and asks for huge ones: a map is read all over, and with pages of 4
/// KiB nearly every value would cost a walk of the page tables besides its own cache line.

#include <cstddef>
#include <utility>

namespace widehash::detail {

class ZeroedMemory {
 public:
  ZeroedMemory() = default;
  /// `bytes` zeros, aligned to 64. Throws std::bad_alloc.
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
