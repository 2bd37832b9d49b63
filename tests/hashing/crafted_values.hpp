#pragma once

/// \file
/// Values that share one XXH64: what an attacker who wants to slow the program down would send. For values of
/// 16 bytes, the hash is a chain of invertible steps (the XXH64 specification, "length below 32"), so for any
/// first half there is a second half that gives any chosen hash. Each value is checked by hashing it.

#include <widehash/code.hpp>

#include <bit>
#include <cstdint>
#include <cstring>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace widehash::test {

class CraftedValues {
 public:
  /// `count` different values of 16 bytes whose hash with seed 0 is `hash`. No byte is a control character, a
  /// quote or a comma, so that the values can be fields of a table.
  static std::vector<std::string> with_hash(std::uint64_t hash, std::size_t count) {
    std::vector<std::string> values;
    std::mt19937_64 random(hash);
    while (values.size() < count) {
      const std::uint64_t first = random();
      std::string value(16, '\0');
      const std::uint64_t second = second_half(hash, first);
      std::memcpy(value.data(), &first, 8);
      std::memcpy(value.data() + 8, &second, 8);
      if (!is_plain_text(value)) continue;
      if (hash_xxh64(value) != hash) throw std::logic_error("the crafted value has another hash");
      values.push_back(std::move(value));
    }
    return values;
  }

 private:
  static constexpr std::uint64_t prime1 = 0x9E3779B185EBCA87;
  static constexpr std::uint64_t prime2 = 0xC2B2AE3D27D4EB4F;
  static constexpr std::uint64_t prime3 = 0x165667B19E3779F9;
  static constexpr std::uint64_t prime4 = 0x85EBCA77C2B2AE63;
  static constexpr std::uint64_t prime5 = 0x27D4EB2F165667C5;

  // The inverse of an odd number modulo 2^64, by Newton's iteration.
  static constexpr std::uint64_t inverse(std::uint64_t odd) {
    std::uint64_t x = odd;
    for (int i = 0; i < 6; ++i) x *= 2 - odd * x;
    return x;
  }
  static std::uint64_t undo_shift(std::uint64_t x, int bits) {
    std::uint64_t whole = x;
    for (int i = bits; i < 64; i += bits) whole = x ^ (whole >> bits);
    return whole;
  }
  static std::uint64_t round(std::uint64_t lane) { return std::rotl(lane * prime2, 31) * prime1; }

  static std::uint64_t second_half(std::uint64_t hash, std::uint64_t first) {
    std::uint64_t end = undo_shift(hash, 32) * inverse(prime3);
    end = undo_shift(end, 29) * inverse(prime2);
    end = undo_shift(end, 33);
    const std::uint64_t middle = std::rotl((prime5 + 16) ^ round(first), 27) * prime1 + prime4;
    const std::uint64_t mixed = std::rotr((end - prime4) * inverse(prime1), 27) ^ middle;
    return std::rotr(mixed * inverse(prime1), 31) * inverse(prime2);
  }
  static bool is_plain_text(const std::string& value) {
    for (const char c : value) {
      const auto byte = static_cast<unsigned char>(c);
      if (byte < 0x20 || byte == 0x7F || c == '"' || c == ',') return false;
    }
    return true;
  }
};

}  // namespace widehash::test
