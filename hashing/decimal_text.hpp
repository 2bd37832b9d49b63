#pragma once

/// \file
/// The canonical text of an integer (canonical_text.hpp) in three words instead of memory, so that a device
/// hashes numbers without writing their digits to memory. Models Text of xxh64.hpp.

#include <cstdint>
#include <type_traits>

namespace widehash {

class DecimalText {
 public:
  template <class Integer>
  explicit constexpr DecimalText(Integer value) noexcept {
    using Unsigned = std::make_unsigned_t<Integer>;
    bool is_negative = false;
    if constexpr (std::is_signed_v<Integer>) is_negative = value < 0;
    auto rest = static_cast<Unsigned>(value);
    if (is_negative) rest = static_cast<Unsigned>(0 - rest);  // also correct for the most negative number
    do {
      put_before(static_cast<std::uint64_t>('0' + rest % 10));
      rest = static_cast<Unsigned>(rest / 10);
    } while (rest != 0);
    if (is_negative) put_before('-');
  }

  constexpr std::uint64_t length() const noexcept { return length_; }
  constexpr std::uint64_t word(std::uint64_t offset) const noexcept {
    return offset == 0 ? words_[0] : offset == 8 ? words_[1] : words_[2];
  }
  /// Bytes after the end of the text are 0.
  constexpr std::uint64_t tail(std::uint64_t offset, std::uint64_t) const noexcept { return word(offset); }

 private:
  constexpr void put_before(std::uint64_t byte) noexcept {
    words_[2] = words_[2] << 8 | words_[1] >> 56;
    words_[1] = words_[1] << 8 | words_[0] >> 56;
    words_[0] = words_[0] << 8 | byte;
    ++length_;
  }

  std::uint64_t words_[3] = {};
  std::uint64_t length_ = 0;
};

}  // namespace widehash
