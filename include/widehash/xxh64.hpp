#pragma once

/// \file
/// XXH64 in plain arithmetic, for processors and devices: the function of code.hpp for code that cannot call
/// the library. The bytes come from a Text, which is any type with
///
///     length()              bytes
///     word(offset)          the 8 bytes from there, low byte first; offset + 8 <= length()
///     tail(offset, count)   the last 1..7 bytes, low byte first, the rest 0; offset + count == length()
///
/// Source: the specification of XXH64. The tests compare it with the xxHash library.

#include <bit>
#include <cstdint>

namespace widehash {

namespace detail {

inline constexpr std::uint64_t xxh64_prime_1 = 0x9E3779B185EBCA87;
inline constexpr std::uint64_t xxh64_prime_2 = 0xC2B2AE3D27D4EB4F;
inline constexpr std::uint64_t xxh64_prime_3 = 0x165667B19E3779F9;
inline constexpr std::uint64_t xxh64_prime_4 = 0x85EBCA77C2B2AE63;
inline constexpr std::uint64_t xxh64_prime_5 = 0x27D4EB2F165667C5;

constexpr std::uint64_t rotate_left(std::uint64_t value, int bits) noexcept {
  return value << bits | value >> (64 - bits);
}

constexpr std::uint64_t xxh64_round(std::uint64_t lane, std::uint64_t word) noexcept {
  return rotate_left(lane + word * xxh64_prime_2, 31) * xxh64_prime_1;
}

constexpr std::uint64_t xxh64_merge(std::uint64_t hash, std::uint64_t lane) noexcept {
  return (hash ^ xxh64_round(0, lane)) * xxh64_prime_1 + xxh64_prime_4;
}

/// Mixes in the last 0..7 bytes.
constexpr std::uint64_t xxh64_rest(std::uint64_t hash, std::uint64_t bytes, std::uint64_t count) noexcept {
  if (count >= 4) {
    hash ^= (bytes & 0xFFFFFFFF) * xxh64_prime_1;
    hash = rotate_left(hash, 23) * xxh64_prime_2 + xxh64_prime_3;
    bytes >>= 32;
    count -= 4;
  }
  for (; count > 0; --count, bytes >>= 8)
    hash = rotate_left(hash ^ (bytes & 0xFF) * xxh64_prime_5, 11) * xxh64_prime_1;
  return hash;
}

constexpr std::uint64_t xxh64_mix(std::uint64_t hash) noexcept {
  hash = (hash ^ hash >> 33) * xxh64_prime_2;
  hash = (hash ^ hash >> 29) * xxh64_prime_3;
  return hash ^ hash >> 32;
}

}  // namespace detail

template <class Text>
constexpr std::uint64_t xxh64(const Text& text, std::uint64_t seed) noexcept {
  using namespace detail;
  const std::uint64_t length = text.length();
  std::uint64_t offset = 0;
  std::uint64_t hash = seed + xxh64_prime_5;
  if (length >= 32) {
    std::uint64_t a = seed + xxh64_prime_1 + xxh64_prime_2;
    std::uint64_t b = seed + xxh64_prime_2;
    std::uint64_t c = seed;
    std::uint64_t d = seed - xxh64_prime_1;
    for (; offset + 32 <= length; offset += 32) {
      a = xxh64_round(a, text.word(offset));
      b = xxh64_round(b, text.word(offset + 8));
      c = xxh64_round(c, text.word(offset + 16));
      d = xxh64_round(d, text.word(offset + 24));
    }
    hash = rotate_left(a, 1) + rotate_left(b, 7) + rotate_left(c, 12) + rotate_left(d, 18);
    hash = xxh64_merge(xxh64_merge(xxh64_merge(xxh64_merge(hash, a), b), c), d);
  }
  hash += length;
  for (; offset + 8 <= length; offset += 8) {
    hash = rotate_left(hash ^ xxh64_round(0, text.word(offset)), 27) * xxh64_prime_1 + xxh64_prime_4;
  }
  if (offset < length) hash = xxh64_rest(hash, text.tail(offset, length - offset), length - offset);
  return xxh64_mix(hash);
}

}  // namespace widehash
