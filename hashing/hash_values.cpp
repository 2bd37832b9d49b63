// Compiled once per instruction set (Highway's foreach_target); the best one is chosen at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "hash_values.cpp"
#include <hwy/foreach_target.h>

#include <widehash/hash_values.hpp>
#include <widehash/internal/first_bytes.hpp>

#include <algorithm>
#include <array>
#include <cstring>

#include "hash_values-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace widehash::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// A short value is read as a whole word if that word stays inside its page. Reading byte by byte costs a
// mispredicted branch per value.
using detail::may_read_past_end;
using detail::page_bytes;

HWY_INLINE Group load_group(Tag d, const std::string_view* values, bool length_first) {
  Vec first, second;
  hn::LoadInterleaved2(d, reinterpret_cast<const std::uint64_t*>(values), first, second);
  return length_first ? Group{.at = second, .length = first} : Group{.at = first, .length = second};
}

/// First words, read byte by byte and never past the end of a value.
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

/// The first eight bytes of each value. Bytes past its end are unspecified.
HWY_INLINE Vec first_words(Tag d, const Constants& c, const Group& group) {
  const Vec in_page = hn::And(group.at, hn::Set(d, page_bytes - 1));
  const Mask near_page_end = hn::Gt(in_page, hn::Set(d, page_bytes - word_bytes));
  const Mask is_short = hn::Lt(group.length, c.word);
  if (!may_read_past_end || !hn::AllFalse(d, hn::And(near_page_end, is_short))) {
    return first_words_with_care(d, group.at, group.length);
  }
  // An empty value may have no address.
  return gather_words(d, hn::Ne(group.length, hn::Zero(d)), group.at);
}

template <std::size_t n>
HWY_INLINE Vecs<n> hash_of(Tag d, const Constants& c, const Groups<Group, n>& groups, std::uint64_t seed) {
  Vecs<n> result;
  // An empty value may have no address.
  if (are_words(d, c, groups)) {
    for (std::size_t i = 0; i < n; ++i) {
      result[i] = gather_words(d, hn::Ne(groups[i].length, hn::Zero(d)), groups[i].at);
    }
    return hash_words(c, groups, result);
  }
  if (are_short(d, c, groups)) {
    for (std::size_t i = 0; i < n; ++i) result[i] = first_words(d, c, groups[i]);
    return hash_short(d, c, groups, result);
  }
  // A long value slows down only its own group.
  for (std::size_t i = 0; i < n; ++i) {
    if constexpr (n == 1) {
      result[i] = hash_one_by_one(d, groups[i].at, groups[i].length, seed);
    } else {
      result[i] = hash_of<1>(d, c, {groups[i]}, seed)[0];
    }
  }
  return result;
}

/// The group that begins at value `at` of a row. The last group of a row may read values of the next row;
/// their hashes are never used.
HWY_INLINE Group group_in_row(Tag d, const ValueRows& rows, std::size_t row, std::size_t at,
                              bool length_first) {
  const std::string_view* const values = rows.values + row * rows.stride;
  const std::size_t in_reach = rows.values_per_row + (rows.num_rows - 1 - row) * rows.stride;
  if (HWY_LIKELY(at + hn::Lanes(d) <= in_reach)) return load_group(d, values + at, length_first);
  std::array<std::string_view, hash_group> last;
  std::copy(values + at, values + rows.values_per_row, last.begin());
  return load_group(d, last.data(), length_first);
}

void HashRows(const ValueRows& rows, std::uint64_t seed, std::uint64_t* hashes, std::size_t hash_stride,
              bool length_first) {
  const Tag d;
  const Constants c(d, seed);
  const auto hash_rows = [&]<std::size_t n>(std::size_t row) HWY_ATTR {
    for (std::size_t at = 0; at < rows.values_per_row; at += hn::Lanes(d)) {
      Groups<Group, n> groups;
      for (std::size_t i = 0; i < n; ++i) groups[i] = group_in_row(d, rows, row + i, at, length_first);
      const Vecs<n> result = hash_of<n>(d, c, groups, seed);
      for (std::size_t i = 0; i < n; ++i) hn::StoreU(result[i], d, hashes + (row + i) * hash_stride + at);
    }
  };
  std::size_t row = 0;
  for (; row + groups_at_once <= rows.num_rows; row += groups_at_once) {
    hash_rows.template operator()<groups_at_once>(row);
  }
  for (; row < rows.num_rows; ++row) hash_rows.template operator()<1>(row);
}

}  // namespace widehash::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace widehash {

namespace {

static_assert(sizeof(std::string_view) == 2 * sizeof(std::uint64_t));

/// Standard libraries differ in whether a string_view stores its length or its address first.
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
