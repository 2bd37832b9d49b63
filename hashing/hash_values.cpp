// Compiled once for every instruction set (Highway's foreach_target); the best is chosen when the program runs.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "hash_values.cpp"
#include <hwy/foreach_target.h>

#include <widehash/code.hpp>
#include <widehash/first_bytes.hpp>
#include <widehash/hash_values.hpp>

#include <algorithm>
#include <array>
#include <cstring>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace widehash::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::CappedTag<std::uint64_t, hash_group>;
using Vec = hn::Vec<Tag>;
using Mask = hn::Mask<Tag>;
using Words = std::array<std::uint64_t, hash_group>;

// The constants of XXH64's specification.
constexpr std::uint64_t prime_1 = 0x9E3779B185EBCA87;
constexpr std::uint64_t prime_2 = 0xC2B2AE3D27D4EB4F;
constexpr std::uint64_t prime_3 = 0x165667B19E3779F9;
constexpr std::uint64_t prime_4 = 0x85EBCA77C2B2AE63;
constexpr std::uint64_t prime_5 = 0x27D4EB2F165667C5;

/// Values from here on take XXH64's striped form.
constexpr std::uint64_t long_bytes = 32;
constexpr std::uint64_t word_bytes = 8;

// A short value is read as a whole word where that stays inside its page; byte by byte costs a mispredicted branch a value.
using detail::may_read_past_end;
using detail::page_bytes;

// Addresses are vectors' lanes here.
// NOLINTNEXTLINE(performance-no-int-to-ptr)
const char* text_at(std::uint64_t address) { return reinterpret_cast<const char*>(address); }

/// The constants as vectors, made once and kept in registers through all rows: made where they are used they
/// took a third of the time.
struct Constants {
  Vec prime_1, prime_2, prime_3, prime_4, prime_5, start, low_half, low_byte, three, seven, word, long_value;

  HWY_INLINE Constants(Tag d, std::uint64_t seed)
      : prime_1(hn::Set(d, widehash::HWY_NAMESPACE::prime_1)),
        prime_2(hn::Set(d, widehash::HWY_NAMESPACE::prime_2)),
        prime_3(hn::Set(d, widehash::HWY_NAMESPACE::prime_3)),
        prime_4(hn::Set(d, widehash::HWY_NAMESPACE::prime_4)),
        prime_5(hn::Set(d, widehash::HWY_NAMESPACE::prime_5)),
        start(hn::Set(d, seed + widehash::HWY_NAMESPACE::prime_5)),
        low_half(hn::Set(d, 0xFFFFFFFF)),
        low_byte(hn::Set(d, 0xFF)),
        three(hn::Set(d, 3)),
        seven(hn::Set(d, 7)),
        word(hn::Set(d, word_bytes)),
        long_value(hn::Set(d, long_bytes - 1)) {}
};

/// The values of a group as addresses and lengths.
struct Group {
  Vec address;
  Vec length;
};

HWY_INLINE Group load_group(Tag d, const std::string_view* values, bool length_first) {
  Vec first, second;
  hn::LoadInterleaved2(d, reinterpret_cast<const std::uint64_t*>(values), first, second);
  return length_first ? Group{.address = second, .length = first} : Group{.address = first, .length = second};
}

/// The words at the addresses.
HWY_INLINE Vec gather_words(Tag d, Vec address) {
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
  const hn::RebindToSigned<Tag> signed_d;
  return hn::GatherOffset(d, static_cast<const std::uint64_t*>(nullptr), hn::BitCast(signed_d, address));
#else
  alignas(64) Words words;
  hn::Store(address, d, words.data());
  for (std::size_t lane = 0; lane < hn::Lanes(d); ++lane) {
    std::memcpy(&words[lane], text_at(words[lane]), word_bytes);
  }
  return hn::Load(d, words.data());
#endif
}

/// The words at the addresses that `wanted` picks; anything elsewhere.
HWY_INLINE Vec gather_words(Tag d, Mask wanted, Vec address) {
  static constexpr std::uint64_t nothing = 0;
  return gather_words(d,
                      hn::IfThenElse(wanted, address, hn::Set(d, reinterpret_cast<std::uint64_t>(&nothing))));
}

/// First words byte by byte, nothing read past the values' ends.
HWY_NOINLINE Vec first_words_with_care(Tag d, Vec address, Vec length) {
  alignas(64) Words addresses, lengths, words{};
  hn::Store(address, d, addresses.data());
  hn::Store(length, d, lengths.data());
  for (std::size_t lane = 0; lane < hn::Lanes(d); ++lane) {
    const std::size_t bytes = std::min(lengths[lane], word_bytes);
    if (bytes != 0) std::memcpy(&words[lane], text_at(addresses[lane]), bytes);
  }
  return hn::Load(d, words.data());
}

/// The first eight bytes of each value; those past its end are anything.
HWY_INLINE Vec first_words(Tag d, const Constants& c, const Group& group) {
  const Vec in_page = hn::And(group.address, hn::Set(d, page_bytes - 1));
  const Mask near_page_end = hn::Gt(in_page, hn::Set(d, page_bytes - word_bytes));
  const Mask is_short = hn::Lt(group.length, c.word);
  if (!may_read_past_end || !hn::AllFalse(d, hn::And(near_page_end, is_short))) {
    return first_words_with_care(d, group.address, group.length);
  }
  // An empty value may have no address.
  return gather_words(d, hn::Ne(group.length, hn::Zero(d)), group.address);
}

template <int bits>
HWY_INLINE Vec rotate_left(Vec v) {
  return hn::RotateRight<64 - bits>(v);
}

/// The step of a whole word.
HWY_INLINE Vec add_word(const Constants& c, Vec hash, Vec word) {
  const Vec mixed = hn::Mul(rotate_left<31>(hn::Mul(word, c.prime_2)), c.prime_1);
  const Vec joined = rotate_left<27>(hn::Xor(hash, mixed));
  return hn::Add(hn::Mul(joined, c.prime_1), c.prime_4);
}

/// What a value of 9 to 31 bytes has beyond its first word; `word` becomes its last, incomplete one.
HWY_INLINE Vec add_middle(Tag d, const Constants& c, Vec hash, const Group& group, Vec& word) {
  for (std::uint64_t offset = word_bytes; offset + word_bytes < long_bytes; offset += word_bytes) {
    const Mask has_word = hn::Gt(group.length, hn::Set(d, offset + word_bytes - 1));
    if (hn::AllFalse(d, has_word)) break;
    const Vec next = gather_words(d, has_word, hn::Add(group.address, hn::Set(d, offset)));
    hash = hn::IfThenElse(has_word, add_word(c, hash, next), hash);
  }
  // The last eight bytes end where the value ends, so nothing past it is read.
  const Mask has_last = hn::Gt(group.length, c.word);
  const Vec last = gather_words(d, has_last, hn::Add(group.address, hn::Sub(group.length, c.word)));
  const Vec rest = hn::And(group.length, c.seven);
  const Vec shift = hn::ShiftLeft<3>(hn::And(hn::Sub(c.word, rest), c.seven));
  word = hn::IfThenElse(has_last, hn::Shr(last, shift), word);
  return hash;
}

HWY_INLINE Vec mix_last(const Constants& c, Vec hash) {
  hash = hn::Mul(hn::Xor(hash, hn::ShiftRight<33>(hash)), c.prime_2);
  hash = hn::Mul(hn::Xor(hash, hn::ShiftRight<29>(hash)), c.prime_3);
  return hn::Xor(hash, hn::ShiftRight<32>(hash));
}

/// Hashes of values that are all of one word, or empty.
HWY_INLINE Vec hash_words(Tag d, const Constants& c, const Group& group) {
  const Mask has_word = hn::Ne(group.length, hn::Zero(d));
  const Vec word = gather_words(d, has_word, group.address);
  const Vec hash = hn::Add(group.length, c.start);
  return mix_last(c, hn::IfThenElse(has_word, add_word(c, hash, word), hash));
}

/// Hashes of values shorter than 32 bytes.
HWY_INLINE Vec hash_short(Tag d, const Constants& c, const Group& group) {
  Vec word = first_words(d, c, group);
  Vec hash = hn::Add(group.length, c.start);

  const Mask has_word = hn::Gt(group.length, c.seven);
  if (!hn::AllFalse(d, has_word)) {
    hash = hn::IfThenElse(has_word, add_word(c, hash, word), hash);
    if (!hn::AllFalse(d, hn::Gt(group.length, c.word))) hash = add_middle(d, c, hash, group, word);
  }
  const Vec rest = hn::And(group.length, c.seven);
  if (!hn::AllFalse(d, hn::Gt(rest, hn::Zero(d)))) {
    const Mask has_half = hn::Gt(rest, c.three);
    if (!hn::AllFalse(d, has_half)) {
      const Vec half = hn::Mul(hn::And(word, c.low_half), c.prime_1);
      const Vec added = hn::Add(hn::Mul(rotate_left<23>(hn::Xor(hash, half)), c.prime_2), c.prime_3);
      hash = hn::IfThenElse(has_half, added, hash);
      word = hn::IfThenElse(has_half, hn::ShiftRight<32>(word), word);
    }
    const Vec num_bytes = hn::And(rest, c.three);
    for (std::uint64_t k = 0; k < 3; ++k) {
      const Mask has_byte = hn::Gt(num_bytes, hn::Set(d, k));
      if (hn::AllFalse(d, has_byte)) break;
      const Vec byte = hn::Mul(hn::And(word, c.low_byte), c.prime_5);
      hash = hn::IfThenElse(has_byte, hn::Mul(rotate_left<11>(hn::Xor(hash, byte)), c.prime_1), hash);
      word = hn::ShiftRight<8>(word);
    }
  }

  return mix_last(c, hash);
}

/// Hashes of a group that holds a long value: one by one, which is faster from there on.
HWY_NOINLINE void hash_one_by_one(const std::string_view* values, std::size_t count, std::uint64_t seed,
                                  std::uint64_t* hashes) {
  for (std::size_t i = 0; i < count; ++i) hashes[i] = widehash::hash_xxh64(values[i], seed);
}

HWY_INLINE void hash_group_of(Tag d, const Constants& c, const std::string_view* values, std::size_t count,
                              bool length_first, std::uint64_t seed, std::uint64_t* hashes) {
  const Group group = load_group(d, values, length_first);
  if (hn::AllTrue(d, hn::Eq(hn::AndNot(c.word, group.length), hn::Zero(d)))) {
    hn::StoreU(hash_words(d, c, group), d, hashes);
  } else if (hn::AllFalse(d, hn::Gt(group.length, c.long_value))) {
    hn::StoreU(hash_short(d, c, group), d, hashes);
  } else {
    hash_one_by_one(values, count, seed, hashes);
  }
}

void HashRows(const ValueRows& rows, std::uint64_t seed, std::uint64_t* hashes, std::size_t hash_stride,
              bool length_first) {
  const Tag d;
  const Constants c(d, seed);
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t row = 0; row < rows.num_rows; ++row) {
    const std::string_view* const values = rows.values + row * rows.stride;
    std::uint64_t* const out = hashes + row * hash_stride;
    // The last group of a row may look at values of the next one; what it hashes of them is never used.
    const std::size_t in_reach = rows.values_per_row + (rows.num_rows - 1 - row) * rows.stride;
    for (std::size_t at = 0; at < rows.values_per_row; at += lanes) {
      if (at + lanes <= in_reach) {
        hash_group_of(d, c, values + at, lanes, length_first, seed, out + at);
      } else {
        std::array<std::string_view, hash_group> last;
        std::copy(values + at, values + rows.values_per_row, last.begin());
        hash_group_of(d, c, last.data(), lanes, length_first, seed, out + at);
      }
    }
  }
}

}  // namespace widehash::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace widehash {

namespace {

static_assert(sizeof(std::string_view) == 2 * sizeof(std::uint64_t));

/// Standard libraries differ in which of length and address comes first in a string_view.
bool length_comes_first() noexcept {
  const std::string_view probe("x", 1);
  std::uint64_t first = 0;
  std::memcpy(&first, &probe, sizeof first);
  return first == probe.size();
}

}  // namespace

HWY_EXPORT(HashRows);

void hash_xxh64(const ValueRows& rows, std::uint64_t seed, std::span<std::uint64_t> hashes,
                std::size_t hash_stride) noexcept {
  static const bool length_first = length_comes_first();
  HWY_DYNAMIC_DISPATCH(HashRows)(rows, seed, hashes.data(), hash_stride, length_first);
}

}  // namespace widehash
#endif
