// Compiled once for every instruction set (Highway's foreach_target); the best is chosen when the program runs.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "hash_values.cpp"
#include <widehash/code.hpp>
#include <widehash/hash_values.hpp>

#include <algorithm>
#include <array>
#include <cstring>

#include <hwy/foreach_target.h>
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

// Memory is mapped by pages of at least 4 KiB: a read that stays inside one cannot fault, wherever the value in it
// ends. So a short value is read as a whole word; byte by byte costs a mispredicted branch a value.
constexpr std::uint64_t page_bytes = 4096;
#ifdef __SANITIZE_ADDRESS__
constexpr bool may_read_past_end = false;
#else
constexpr bool may_read_past_end = true;
#endif

const char* text_at(std::uint64_t address) { return reinterpret_cast<const char*>(address); }

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

/// Words at the addresses that `address_of(lane)` gives, 0 where that is 0.
template <class AddressOf>
HWY_INLINE Vec load_words(Tag d, AddressOf&& address_of) {
  alignas(64) Words words{};
  for (std::size_t lane = 0; lane < hn::Lanes(d); ++lane) {
    if (const std::uint64_t address = address_of(lane); address != 0) {
      std::memcpy(&words[lane], text_at(address), word_bytes);
    }
  }
  return hn::Load(d, words.data());
}

/// First words byte by byte, nothing read past the values' ends.
HWY_NOINLINE Vec first_words_with_care(Tag d, const Group& group) {
  alignas(64) Words addresses, lengths, words{};
  hn::Store(group.address, d, addresses.data());
  hn::Store(group.length, d, lengths.data());
  for (std::size_t lane = 0; lane < hn::Lanes(d); ++lane) {
    const std::size_t bytes = std::min(lengths[lane], word_bytes);
    if (bytes != 0) std::memcpy(&words[lane], text_at(addresses[lane]), bytes);
  }
  return hn::Load(d, words.data());
}

/// The first eight bytes of each value; those past its end are anything.
HWY_INLINE Vec first_words(Tag d, const Group& group) {
  const Vec in_page = hn::And(group.address, hn::Set(d, page_bytes - 1));
  const Mask near_page_end = hn::Gt(in_page, hn::Set(d, page_bytes - word_bytes));
  const Mask is_short = hn::Lt(group.length, hn::Set(d, word_bytes));
  if (!may_read_past_end || !hn::AllFalse(d, hn::And(near_page_end, is_short))) {
    return first_words_with_care(d, group);
  }
  // An empty value may have no address.
  static constexpr std::uint64_t nothing = 0;
  const Mask is_empty = hn::Eq(group.length, hn::Zero(d));
  const Vec address =
      hn::IfThenElse(is_empty, hn::Set(d, reinterpret_cast<std::uint64_t>(&nothing)), group.address);
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
  const hn::RebindToSigned<Tag> signed_d;
  return hn::GatherOffset(d, static_cast<const std::uint64_t*>(nullptr), hn::BitCast(signed_d, address));
#else
  alignas(64) Words addresses;
  hn::Store(address, d, addresses.data());
  return load_words(d, [&](std::size_t lane) { return addresses[lane]; });
#endif
}

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

/// What a value of 9 to 31 bytes has beyond its first word; `word` becomes its last, incomplete one.
HWY_NOINLINE Vec add_middle(Tag d, Vec hash, const Group& group, Vec& word) {
  alignas(64) Words addresses, lengths;
  hn::Store(group.address, d, addresses.data());
  hn::Store(group.length, d, lengths.data());
  for (std::uint64_t offset = word_bytes; offset + word_bytes < long_bytes; offset += word_bytes) {
    const Mask has_word = hn::Gt(group.length, hn::Set(d, offset + word_bytes - 1));
    if (hn::AllFalse(d, has_word)) break;
    const Vec next = load_words(d, [&](std::size_t lane) {
      return lengths[lane] >= offset + word_bytes ? addresses[lane] + offset : 0;
    });
    hash = hn::IfThenElse(has_word, add_word(d, hash, next), hash);
  }
  // The last eight bytes end where the value ends, so nothing past it is read.
  const Vec last = load_words(d, [&](std::size_t lane) {
    return lengths[lane] > word_bytes ? addresses[lane] + lengths[lane] - word_bytes : 0;
  });
  const Vec rest = hn::And(group.length, hn::Set(d, 7));
  const Vec shift = hn::ShiftLeft<3>(hn::And(hn::Sub(hn::Set(d, 8), rest), hn::Set(d, 7)));
  word = hn::IfThenElse(hn::Gt(group.length, hn::Set(d, word_bytes)), hn::Shr(last, shift), word);
  return hash;
}

/// Hashes of a group; those of long values are left to the caller.
HWY_INLINE Vec hash_short(Tag d, const Group& group, std::uint64_t seed) {
  Vec word = first_words(d, group);
  Vec hash = hn::Add(group.length, hn::Set(d, seed + prime_5));

  const Mask has_word = hn::Gt(group.length, hn::Set(d, 7));
  if (!hn::AllFalse(d, has_word)) {
    hash = hn::IfThenElse(has_word, add_word(d, hash, word), hash);
    if (!hn::AllFalse(d, hn::Gt(group.length, hn::Set(d, 8)))) hash = add_middle(d, hash, group, word);
  }
  const Vec rest = hn::And(group.length, hn::Set(d, 7));
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
    hash = hn::IfThenElse(has_byte, hn::Mul(rotate_left<11>(hn::Xor(hash, byte)), hn::Set(d, prime_1)), hash);
    word = hn::ShiftRight<8>(word);
  }

  hash = hn::Mul(hn::Xor(hash, hn::ShiftRight<33>(hash)), hn::Set(d, prime_2));
  hash = hn::Mul(hn::Xor(hash, hn::ShiftRight<29>(hash)), hn::Set(d, prime_3));
  return hn::Xor(hash, hn::ShiftRight<32>(hash));
}

HWY_NOINLINE void hash_long_values(const std::string_view* values, std::size_t count, std::uint64_t seed,
                                   std::uint64_t* hashes) {
  for (std::size_t i = 0; i < count; ++i) {
    if (values[i].size() >= long_bytes) hashes[i] = widehash::hash_xxh64(values[i], seed);
  }
}

HWY_INLINE void hash_group_of(Tag d, const std::string_view* values, std::size_t count, bool length_first,
                              std::uint64_t seed, std::uint64_t* hashes) {
  const Group group = load_group(d, values, length_first);
  hn::StoreU(hash_short(d, group, seed), d, hashes);
  if (!hn::AllFalse(d, hn::Gt(group.length, hn::Set(d, long_bytes - 1)))) {
    hash_long_values(values, count, seed, hashes);
  }
}

void HashRows(const ValueRows& rows, std::uint64_t seed, std::uint64_t* hashes, std::size_t hash_stride,
              bool length_first) {
  const Tag d;
  const std::size_t lanes = hn::Lanes(d);
  std::array<std::string_view, hash_group> last;
  for (std::size_t row = 0; row < rows.num_rows; ++row) {
    const std::string_view* const values = rows.values + row * rows.stride;
    std::uint64_t* const out = hashes + row * hash_stride;
    std::size_t at = 0;
    for (; at + lanes <= rows.values_per_row; at += lanes) {
      hash_group_of(d, values + at, lanes, length_first, seed, out + at);
    }
    if (at < rows.values_per_row) {
      last.fill({});
      std::copy(values + at, values + rows.values_per_row, last.begin());
      hash_group_of(d, last.data(), rows.values_per_row - at, length_first, seed, out + at);
    }
  }
}

}  // namespace widehash::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace widehash {
namespace {

static_assert(sizeof(std::string_view) == 2 * sizeof(std::uint64_t));

/// Standard libraries differ in which member of a string_view comes first.
bool length_comes_first() noexcept {
  const std::string_view probe("", 1);
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
