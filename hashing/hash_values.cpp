// Compiled once for every instruction set (Highway's foreach_target); the best is chosen when the program runs.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "hash_values.cpp"
#include <hwy/foreach_target.h>

#include <widehash/first_bytes.hpp>
#include <widehash/hash_values.hpp>

#include <algorithm>
#include <array>
#include <cstring>

#include "hash_values-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace widehash::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// A short value is read as a whole word where that stays inside its page; byte by byte costs a mispredicted branch a value.
using detail::may_read_past_end;
using detail::page_bytes;

HWY_INLINE Group load_group(Tag d, const std::string_view* values, bool length_first) {
  Vec first, second;
  hn::LoadInterleaved2(d, reinterpret_cast<const std::uint64_t*>(values), first, second);
  return length_first ? Group{.address = second, .length = first} : Group{.address = first, .length = second};
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

HWY_INLINE Vec hash_of(Tag d, const Constants& c, const Group& group, std::uint64_t seed) {
  // An empty value may have no address.
  if (are_words(d, c, group)) {
    const Vec word = gather_words(d, hn::Ne(group.length, hn::Zero(d)), group.address);
    return hash_words(d, c, group.length, word);
  }
  if (are_short(d, c, group)) return hash_short(d, c, group, first_words(d, c, group));
  return hash_one_by_one(d, group, seed);
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
        hn::StoreU(hash_of(d, c, load_group(d, values + at, length_first), seed), d, out + at);
      } else {
        std::array<std::string_view, hash_group> last;
        std::copy(values + at, values + rows.values_per_row, last.begin());
        hn::StoreU(hash_of(d, c, load_group(d, last.data(), length_first), seed), d, out + at);
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
