#pragma once

/// \file
/// A value about to be counted: its hash, and two words that distinguish it from other values. The words hold
/// a value of up to 12 bytes completely, so that its text is read once and neither kept nor looked up again.

#include <widehash/internal/first_bytes.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace widehash {

static_assert(std::endian::native == std::endian::little, "bytes of values stand in words low byte first");

struct HashedValue {
  static constexpr std::uint64_t inline_bytes = 12;
  /// Values must be shorter: their length takes 32 bits, with 0 for no value.
  static constexpr std::uint64_t max_bytes = (std::uint64_t{1} << 32) - 1;

  std::uint64_t hash = 0;
  std::uint64_t tag = 0;   // length + 1 | the first 4 bytes << 32
  std::uint64_t rest = 0;  // the next 8 bytes; for a longer value, the address of its text

  HashedValue() = default;
  /// `value_hash` is hash_xxh64(value, seed). A `value` of more than 12 bytes must stay alive.
  HashedValue(std::string_view value, std::uint64_t value_hash) noexcept : hash(value_hash) {
    const std::uint64_t length = value.size();
    std::uint64_t first = detail::first_bytes(value.data(), value.size());
    if (length < sizeof first) first &= (std::uint64_t{1} << (8 * length)) - 1;
    tag = (length + 1) | first << 32;
    if (length > inline_bytes) {
      rest = std::bit_cast<std::uint64_t>(value.data());
      return;
    }
    rest = first >> 32;
    if (length > sizeof first) {
      // The last eight bytes end where the value ends, so nothing past it is read.
      std::uint64_t last = 0;
      std::memcpy(&last, value.data() + length - sizeof last, sizeof last);
      rest |= last >> (8 * (16 - length)) << 32;
    }
  }

  std::uint64_t length() const noexcept { return (tag & 0xFFFFFFFF) - 1; }
  /// The value's bytes, in this object or where they were.
  std::string_view text() const noexcept {
    const char* const inside = reinterpret_cast<const char*>(&tag) + sizeof(std::uint32_t);
    return {is_inline() ? inside : std::bit_cast<const char*>(rest), static_cast<std::size_t>(length())};
  }
  bool is_inline() const noexcept { return (tag & 0xFFFFFFFF) <= inline_bytes + 1; }
};

}  // namespace widehash
