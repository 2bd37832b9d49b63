// Compiled once per instruction set (Highway's foreach_target); the best one is chosen at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "placed_values.cpp"
#include <hwy/foreach_target.h>

#include <widehash/internal/placed_values.hpp>

#include <algorithm>
#include <array>

#include "placed_group-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace widehash::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// The words of a HashedValue other than its hash.
struct Rest {
  Vec tag;
  Vec rest;
};

HWY_INLINE Rest rest_of(Tag d, const Constants& c, const PlacedGroup& group, Vec word) {
  const Vec one = hn::Set(d, 1);
  // Clears the bytes past the end of a short value.
  const Mask is_short = hn::Lt(group.length, c.word);
  const Vec bits = hn::ShiftLeft<3>(hn::And(group.length, c.seven));
  const Vec first =
      hn::And(word, hn::IfThenElse(is_short, hn::Sub(hn::Shl(one, bits), one), hn::Not(hn::Zero(d))));
  Rest words{.tag = hn::Or(hn::Add(group.length, one), hn::ShiftLeft<32>(first)),
             .rest = hn::ShiftRight<32>(first)};
  const Mask is_long = hn::Gt(group.length, c.word);
  if (hn::AllFalse(d, is_long)) return words;
  const Vec address = group.address(d);
  // The last eight bytes end where the value ends, so nothing past it is read.
  const Vec last = gather_words(d, is_long, hn::Add(address, hn::Sub(group.length, c.word)));
  const Vec missing = hn::Sub(hn::Set(d, 16), hn::Min(group.length, hn::Set(d, HashedValue::inline_bytes)));
  const Vec more = hn::ShiftLeft<32>(hn::Shr(last, hn::And(hn::ShiftLeft<3>(missing), hn::Set(d, 63))));
  words.rest = hn::IfThenElse(is_long, hn::Or(words.rest, more), words.rest);
  const Mask is_outside = hn::Gt(group.length, hn::Set(d, HashedValue::inline_bytes));
  words.rest = hn::IfThenElse(is_outside, address, words.rest);
  return words;
}

/// The places and first words of one field in `n` groups of rows, read by a plain loop instead of three
/// gathers, which take longer: 222 ns instead of 105 per row of 39 values on an Intel Xeon (Ice Lake).
template <std::size_t n>
struct alignas(64) Column {
  std::array<Words, n> words;
  std::array<std::array<std::uint32_t, hash_group>, n> before;
  std::array<std::array<std::uint32_t, hash_group>, n> ends;

  /// Repeats the last row in place of rows past the end.
  HWY_INLINE Column(Tag d, const PlacedFields& rows, std::size_t first_row) {
    const PlacedFields from = rows;  // a copy, so that it is not read again after each store
    std::size_t place = first_row * from.stride;
    const std::size_t last = (from.num_rows - 1) * from.stride;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < hn::Lanes(d); ++k) {
        const std::uint32_t value_before = from.before[place];
        before[i][k] = value_before;
        ends[i][k] = from.ends[place];
        words[i][k] = first_word(from.text, value_before);
        place += place != last ? from.stride : 0;
      }
    }
  }
};

/// Hashes the values of `n` groups of rows, from `row` on.
template <std::size_t n, MissingTexts texts>
HWY_INLINE void hash_groups(Tag d, const Constants& c, const PlacedFields& rows, std::size_t row,
                            std::uint64_t seed, std::span<const MissingWord> missing, HashedValue* out) {
  static_assert(sizeof(HashedValue) == 3 * sizeof(std::uint64_t));
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t rows_left = rows.num_rows - row;
  const Column<n> column(d, rows, row);
  Groups<PlacedGroup, n> groups;
  Vecs<n> words;
  for (std::size_t i = 0; i < n; ++i) {
    groups[i] = PlacedGroup(d, rows.text, column.before[i].data(), column.ends[i].data());
    words[i] = hn::Load(d, column.words[i].data());
  }
  blank_missing<n, texts>(d, missing, words, groups);
  const Vecs<n> hashes = hash_placed<n>(d, c, groups, words, seed);
  for (std::size_t i = 0; i < n; ++i) {
    const Rest rest = rest_of(d, c, groups[i], words[i]);
    if (n > 1 || rows_left >= lanes) {  // several groups are always whole
      hn::StoreInterleaved3(hashes[i], rest.tag, rest.rest, d, &out[row + i * lanes].hash);
    } else {
      std::array<HashedValue, hash_group> last;
      hn::StoreInterleaved3(hashes[i], rest.tag, rest.rest, d, &last[0].hash);
      std::copy_n(last.begin(), rows_left, out + row);
    }
  }
}

template <MissingTexts texts>
HWY_NOINLINE void hash_all(const PlacedFields& rows, std::uint64_t seed, std::span<const MissingWord> missing,
                           HashedValue* out) {
  const Tag d;
  const Constants c(d, seed);
  const std::size_t lanes = hn::Lanes(d);
  std::size_t row = 0;
  for (; row + groups_at_once * lanes <= rows.num_rows; row += groups_at_once * lanes) {
    hash_groups<groups_at_once, texts>(d, c, rows, row, seed, missing, out);
  }
  for (; row < rows.num_rows; row += lanes) {
    hash_groups<1, texts>(d, c, rows, row, seed, missing, out);
  }
}

void HashPlaces(const PlacedFields& rows, std::uint64_t seed, std::span<const MissingWord> missing,
                HashedValue* out) {
  switch (kind_of(missing)) {
    case MissingTexts::none:
      return hash_all<MissingTexts::none>(rows, seed, missing, out);
    case MissingTexts::short_ones:
      return hash_all<MissingTexts::short_ones>(rows, seed, missing, out);
    case MissingTexts::of_any_length:
      return hash_all<MissingTexts::of_any_length>(rows, seed, missing, out);
  }
}

}  // namespace widehash::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace widehash {

HWY_EXPORT(HashPlaces);

void hash_places(const PlacedFields& column, std::uint64_t seed, std::span<const MissingWord> missing,
                 HashedValue* out) noexcept {
  HWY_DYNAMIC_DISPATCH(HashPlaces)(column, seed, missing, out);
}

}  // namespace widehash
#endif
