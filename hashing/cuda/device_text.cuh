#pragma once

/// \file
/// Bytes in device memory as a Text of xxh64.hpp. A device loads words only from multiples of their size, so
/// an unaligned word is assembled from the two aligned words that it spans. Those may begin before the value
/// or end after it, but nothing outside the buffer is read.

#include <cstddef>
#include <cstdint>

namespace widehash::cuda {

class DeviceText {
 public:
  __device__ DeviceText(const std::uint8_t* buffer, std::uint64_t buffer_bytes, std::uint64_t begin,
                        std::uint64_t end)
      : buffer_(reinterpret_cast<std::uintptr_t>(buffer)),
        buffer_end_(buffer_ + buffer_bytes),
        begin_(buffer_ + begin),
        length_(end - begin) {}

  __device__ std::uint64_t length() const { return length_; }

  __device__ std::uint64_t word(std::uint64_t offset) const {
    const std::uintptr_t at = begin_ + offset;
    const unsigned shift = static_cast<unsigned>(at & 7) * 8;
    const std::uint64_t low = aligned_word(at & ~std::uintptr_t{7});
    if (shift == 0) return low;
    return low >> shift | aligned_word((at & ~std::uintptr_t{7}) + 8) << (64 - shift);
  }

  __device__ std::uint64_t tail(std::uint64_t offset, std::uint64_t count) const {
    const std::uintptr_t at = begin_ + offset;
    const unsigned skipped = static_cast<unsigned>(at & 7);
    std::uint64_t bytes = aligned_word(at & ~std::uintptr_t{7}) >> (8 * skipped);
    if (skipped + count > 8) bytes |= aligned_word((at & ~std::uintptr_t{7}) + 8) << (64 - 8 * skipped);
    return bytes & ((std::uint64_t{1} << (8 * count)) - 1);
  }

 private:
  __device__ std::uint64_t aligned_word(std::uintptr_t at) const {
    if (at >= buffer_ && at + 8 <= buffer_end_) {
      return load<unsigned long long>(at);
    }
    std::uint64_t bytes = 0;
    for (unsigned k = 0; k < 8; ++k) {
      if (at + k < buffer_ || at + k >= buffer_end_) continue;
      bytes |= static_cast<std::uint64_t>(load<unsigned char>(at + k)) << (8 * k);
    }
    return bytes;
  }

  template <class T>
  __device__ static T load(std::uintptr_t at) {
    // Words may begin before the buffer, where no pointer may go: addresses are numbers until they are known
    // to lie inside.
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    return __ldg(reinterpret_cast<const T*>(at));
  }

  std::uintptr_t buffer_;
  std::uintptr_t buffer_end_;
  std::uintptr_t begin_;
  std::uint64_t length_;
};

}  // namespace widehash::cuda
