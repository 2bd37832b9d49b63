// Compiled once for every instruction set (Highway's foreach_target); the best is chosen when the program runs.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "hash_lanes.cpp"
#include <widehash/code.hpp>
#include <widehash/hash_lanes.hpp>

#include <algorithm>
#include <array>

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace widehash::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::CappedTag<std::uint64_t, HashLanes::group>;
using Vec = hn::Vec<Tag>;
using Mask = hn::Mask<Tag>;

// The constants of XXH64's specification.
constexpr std::uint64_t prime_1 = 0x9E3779B185EBCA87;
constexpr std::uint64_t prime_2 = 0xC2B2AE3D27D4EB4F;
constexpr std::uint64_t prime_3 = 0x165667B19E3779F9;
constexpr std::uint64_t prime_4 = 0x85EBCA77C2B2AE63;
constexpr std::uint64_t prime_5 = 0x27D4EB2F165667C5;

/// Values from here on take XXH64's striped form.
constexpr std::uint64_t long_bytes = 32;

template <int bits>
HWY_INLINE Vec rotate_left(Vec v) {
  return hn::RotateRight<64 - bits>(v);
}

/// The step of a whole word.
HWY_INLINE Vec add_word(Tag d, Vec hash, Vec word) {
  const Vec mixed = hn::Mul(rotate_left<31>(hn::Mul(word, hn::Set(d, prime_2))), hn::Set(d, prime_1));
  const Vec joined = rotate_left<27>(hn::Xor(hash, mixed));
  return hn::Add(hn::Mul(joined, hn::Set(d, prime_1)), hn::Set(d, prime_4));
}

/// Words at `offset` of the lanes that `wanted(length)` picks, zero elsewhere.
template <class Wanted>
HWY_INLINE Vec load_words(Tag d, const char* const* texts, const std::uint64_t* lengths, Wanted&& wanted) {
  alignas(64) std::array<std::uint64_t, HashLanes::group> words{};
  for (std::size_t lane = 0; lane < hn::Lanes(d); ++lane) {
    const char* from = wanted(texts[lane], lengths[lane]);
    if (from != nullptr) std::memcpy(&words[lane], from, sizeof(std::uint64_t));
  }
  return hn::Load(d, words.data());
}

/// What a value of 9 to 31 bytes has beyond its first word; `word` becomes its last, incomplete one.
HWY_NOINLINE Vec add_middle(Tag d, Vec hash, Vec length, const char* const* texts,
                            const std::uint64_t* lengths, Vec& word) {
  for (std::uint64_t offset = 8; offset + 8 < long_bytes; offset += 8) {
    const Mask has_word = hn::Gt(length, hn::Set(d, offset + 7));
    if (hn::AllFalse(d, has_word)) break;
    const Vec next = load_words(d, texts, lengths, [offset](const char* text, std::uint64_t bytes) {
      return bytes >= offset + 8 ? text + offset : nullptr;
    });
    hash = hn::IfThenElse(has_word, add_word(d, hash, next), hash);
  }
  // The last eight bytes end where the value ends, so nothing past it is read.
  const Vec last = load_words(d, texts, lengths, [](const char* text, std::uint64_t bytes) {
    return bytes > 8 ? text + bytes - 8 : nullptr;
  });
  const Vec rest = hn::And(length, hn::Set(d, 7));
  const Vec shift = hn::ShiftLeft<3>(hn::And(hn::Sub(hn::Set(d, 8), rest), hn::Set(d, 7)));
  word = hn::IfThenElse(hn::Gt(length, hn::Set(d, 8)), hn::Shr(last, shift), word);
  return hash;
}

void HashXxh64(const std::uint64_t* words, const std::uint64_t* lengths, const char* const* texts,
               std::size_t num_lanes, std::uint64_t seed, std::uint64_t* hashes) {
  const Tag d;
  const Vec seven = hn::Set(d, 7);
  for (std::size_t i = 0; i < num_lanes; i += hn::Lanes(d)) {
    Vec word = hn::LoadU(d, words + i);
    const Vec length = hn::LoadU(d, lengths + i);
    Vec hash = hn::Add(length, hn::Set(d, seed + prime_5));

    const Mask has_word = hn::Gt(length, seven);
    if (!hn::AllFalse(d, has_word)) {
      hash = hn::IfThenElse(has_word, add_word(d, hash, word), hash);
      if (!hn::AllFalse(d, hn::Gt(length, hn::Set(d, 8)))) {
        hash = add_middle(d, hash, length, texts + i, lengths + i, word);
      }
    }
    const Vec rest = hn::And(length, seven);
    const Mask has_half = hn::Gt(rest, hn::Set(d, 3));
    if (!hn::AllFalse(d, has_half)) {
      const Vec half = hn::Mul(hn::And(word, hn::Set(d, 0xFFFFFFFF)), hn::Set(d, prime_1));
      const Vec added =
          hn::Add(hn::Mul(rotate_left<23>(hn::Xor(hash, half)), hn::Set(d, prime_2)), hn::Set(d, prime_3));
      hash = hn::IfThenElse(has_half, added, hash);
      word = hn::IfThenElse(has_half, hn::ShiftRight<32>(word), word);
    }
    const Vec num_bytes = hn::And(rest, hn::Set(d, 3));
    for (std::uint64_t k = 0; k < 3; ++k) {
      const Mask has_byte = hn::Gt(num_bytes, hn::Set(d, k));
      if (hn::AllFalse(d, has_byte)) break;
      const Vec byte = hn::Mul(hn::And(word, hn::Set(d, 0xFF)), hn::Set(d, prime_5));
      hash =
          hn::IfThenElse(has_byte, hn::Mul(rotate_left<11>(hn::Xor(hash, byte)), hn::Set(d, prime_1)), hash);
      word = hn::ShiftRight<8>(word);
    }

    hash = hn::Mul(hn::Xor(hash, hn::ShiftRight<33>(hash)), hn::Set(d, prime_2));
    hash = hn::Mul(hn::Xor(hash, hn::ShiftRight<29>(hash)), hn::Set(d, prime_3));
    hn::StoreU(hn::Xor(hash, hn::ShiftRight<32>(hash)), d, hashes + i);

    if (!hn::AllFalse(d, hn::Gt(length, hn::Set(d, long_bytes - 1)))) {
      for (std::size_t lane = i; lane < i + hn::Lanes(d); ++lane) {
        if (lengths[lane] >= long_bytes) hashes[lane] = hash_xxh64({texts[lane], lengths[lane]}, seed);
      }
    }
  }
}

}  // namespace widehash::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace widehash {

HWY_EXPORT(HashXxh64);

void HashLanes::reshape(std::size_t num_rows, std::size_t values_per_row) {
  stride_ = (values_per_row + group - 1) / group * group;
  num_lanes_ = num_rows * stride_;
  // What a lane held does not matter, but lanes between rows must be empty: no text is read for them.
  words_.resize(std::max(words_.size(), num_lanes_));
  texts_.resize(std::max(texts_.size(), num_lanes_));
  hashes_.resize(std::max(hashes_.size(), num_lanes_));
  lengths_.assign(std::max(lengths_.size(), num_lanes_), 0);
}

void HashLanes::blank(std::string_view text) noexcept {
  const std::uint64_t word = detail::first_bytes(text.data(), text.size());
  const std::uint64_t used =
      text.size() >= sizeof word ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * text.size())) - 1;
  for (std::size_t i = 0; i < num_lanes_; ++i) {
    const bool same_start = lengths_[i] == text.size() && ((words_[i] ^ word) & used) == 0;
    if (same_start && std::string_view(texts_[i], lengths_[i]) == text) lengths_[i] = 0;
  }
}

void HashLanes::hash_xxh64(std::uint64_t seed) noexcept {
  HWY_DYNAMIC_DISPATCH(HashXxh64)
  (words_.data(), lengths_.data(), texts_.data(), num_lanes_, seed, hashes_.data());
}

}  // namespace widehash
#endif
