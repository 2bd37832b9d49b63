// Compiled once per instruction set (Highway's foreach_target); the best one is chosen at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "placed_codes.cpp"
#include <hwy/foreach_target.h>

#include <widehash/code.hpp>
#include <widehash/internal/placed_codes.hpp>

#include <algorithm>
#include <array>

#include "placed_group-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace widehash::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR

template <bool skips>
HWY_INLINE void store_codes(Tag, Vec hash, Vec absent, const std::uint16_t* widths, const std::uint16_t*,
                            std::size_t, std::uint16_t* codes) {
  for (int k = 0; k < num_splits; ++k) {
    const std::uint32_t width = widths[k] == 0 ? 65536 : widths[k];
    codes[k] = static_cast<std::uint16_t>(SplitRemainder(width)(hn::GetLane(hash) >> (48 - 16 * k) & 0xFFFF));
    if (skips) codes[k] |= static_cast<std::uint16_t>(hn::GetLane(absent));
  }
}

#else

/// Writes the first `num_codes` buckets of a group, which are those that belong to the row. `absent` is all
/// ones for values without buckets.
template <bool skips>
HWY_INLINE void store_codes(Tag, Vec hash, Vec absent, const std::uint16_t* widths,
                            const std::uint16_t* reciprocals, std::size_t num_codes, std::uint16_t* codes) {
  const hn::Repartition<std::uint16_t, Tag> d_code;
  // The most significant split comes first in the codes and last in a word.
  const hn::Repartition<std::uint8_t, Tag> d_byte;
  alignas(16) static constexpr std::array<std::uint8_t, 16> order{6,  7,  4,  5,  2,  3,  0, 1,
                                                                  14, 15, 12, 13, 10, 11, 8, 9};
  const auto split = hn::BitCast(
      d_code, hn::TableLookupBytes(hn::BitCast(d_byte, hash), hn::LoadDup128(d_byte, order.data())));
  const auto width = hn::LoadU(d_code, widths);
  const auto quotient = hn::MulHigh(split, hn::LoadU(d_code, reciprocals));
  const auto rest = hn::Sub(split, hn::Mul(quotient, width));
  auto bucket = hn::Min(rest, hn::Sub(rest, width));
  if constexpr (skips) bucket = hn::Or(bucket, hn::BitCast(d_code, absent));
  if (HWY_LIKELY(num_codes >= hn::Lanes(d_code))) {
    hn::StoreU(bucket, d_code, codes);
  } else {
    alignas(64) std::array<std::uint16_t, hash_group * num_splits> whole{};
    hn::Store(bucket, d_code, whole.data());
    std::copy_n(whole.begin(), num_codes, codes);
  }
}

#endif

/// What all rows of a call have in common.
struct Plan {
  const char* text;
  std::size_t place_stride;
  std::size_t num_values;
  std::uint64_t seed;
  std::span<const MissingWord> missing;
  const std::uint64_t* skipped;  // one word per value
  const std::uint16_t* widths;
  const std::uint16_t* reciprocals;
};

#if HWY_TARGET == HWY_AVX2

/// The first words of a group of values in each of `n` rows, assembled in registers. For four words this
/// takes three instructions, on ports that do not multiply, and 0.91 of the time of storing the words first
/// (Zen 3).
template <std::size_t n>
struct FirstWords {
  HWY_INLINE void load(Tag, const Plan&, const std::uint32_t*) {}

  HWY_INLINE Vec of_row(Tag d, std::size_t, const Plan& plan, const std::uint32_t* before) const {
    const auto word = [&](std::size_t k)
                          HWY_ATTR { return static_cast<long long>(first_word(plan.text, before[k])); };
    if (HWY_LIKELY(plan.num_values >= hn::Lanes(d))) {
      return Vec{_mm256_setr_epi64x(word(0), word(1), word(2), word(3))};
    }
    const std::size_t last = plan.num_values - 1;
    return Vec{_mm256_setr_epi64x(word(0), word(std::min<std::size_t>(1, last)),
                                  word(std::min<std::size_t>(2, last)), 0)};
  }
};

#else

/// The first words of a group of values in each of `n` rows. They are copied one by one, one group ahead of
/// the group being hashed: the copies use ports that hashing leaves idle, and can be loaded as whole vectors
/// by the time they are needed. A gather takes twice as long on processors with a mitigation that discards
/// what a gather has read (Intel's before Sapphire Rapids): 112 ns per row of 39 values instead of 79.
template <std::size_t n>
struct alignas(64) FirstWords {
  std::array<Words, n> words;

  /// Each value of the first row begins after the byte at its place in `before`.
  HWY_INLINE void load(Tag d, const Plan& plan, const std::uint32_t* before) {
    if (HWY_LIKELY(plan.num_values >= hn::Lanes(d))) return copy(plan, before, hn::Lanes(d));
    words = {};
    copy(plan, before, plan.num_values);
  }

  HWY_INLINE Vec of_row(Tag d, std::size_t i, const Plan&, const std::uint32_t*) const {
    return hn::Load(d, words[i].data());
  }

 private:
  HWY_INLINE void copy(const Plan& plan, const std::uint32_t* before, std::size_t count) {
    for (std::size_t i = 0; i < n; ++i, before += plan.place_stride) {
      for (std::size_t k = 0; k < count; ++k) words[i][k] = first_word(plan.text, before[k]);
    }
  }
};

#endif

/// Encodes `n` rows. Each value of the first row lies between the bytes at its places in `before` and `ends`.
template <std::size_t n, MissingTexts texts, bool skips>
HWY_INLINE void encode_rows(Tag d, const Constants& c, const Plan& plan, const std::uint32_t* before,
                            const std::uint32_t* ends, std::uint16_t* codes) {
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t code_stride = plan.num_values * num_splits;
  // A row's last group begins early if it can, and computes some codes a second time.
  const std::size_t last = plan.num_values < lanes ? 0 : plan.num_values - lanes;
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): clearing it took a twentieth of the time
  std::array<FirstWords<n>, 2> first_words;
  first_words[0].load(d, plan, before);
  for (std::size_t begin = 0, turn = 0; begin < plan.num_values; begin += lanes, turn ^= 1) {
    const std::size_t at = std::min(begin, last);
    if (begin + lanes < plan.num_values) {
      first_words[turn ^ 1].load(d, plan, before + std::min(begin + lanes, last));
    }
    Groups<PlacedGroup, n> groups;
    Vecs<n> words;
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t place = i * plan.place_stride + at;
      groups[i] = PlacedGroup(d, plan.text, before + place, ends + place);
      if (plan.num_values < lanes) {  // lanes after the last value count as empty
        groups[i].length = hn::IfThenElseZero(hn::FirstN(d, plan.num_values), groups[i].length);
      }
      words[i] = first_words[turn].of_row(d, i, plan, before + place);
    }
    blank_missing<n, texts>(d, plan.missing, words, groups);
    const Vecs<n> hashes = hash_placed<n>(d, c, groups, words, plan.seed);
    const std::size_t slot = at * num_splits;
    for (std::size_t i = 0; i < n; ++i) {
      Vec absent = hn::Zero(d);
      if constexpr (skips) {
        const Mask is_empty = hn::Eq(groups[i].length, hn::Zero(d));
        absent = hn::IfThenElseZero(is_empty, hn::LoadU(d, plan.skipped + at));
      }
      store_codes<skips>(d, hashes[i], absent, plan.widths + slot, plan.reciprocals + slot,
                         code_stride - slot, codes + i * code_stride + slot);
    }
  }
}

// A call that is not inlined leaves the constants in memory, where AVX-512 instructions can use them
// directly: 0.92 of the time of keeping them in registers (Zen 4). With AVX2 the call is slower: 1.1.
#undef WIDEHASH_WITH_CONSTANTS
#if HWY_TARGET == HWY_AVX2
#define WIDEHASH_WITH_CONSTANTS HWY_INLINE
#else
#define WIDEHASH_WITH_CONSTANTS HWY_NOINLINE
#endif

template <MissingTexts texts, bool skips>
WIDEHASH_WITH_CONSTANTS void encode_all(Tag d, const Constants& c, const Plan& plan, const PlacedFields& rows,
                                        std::uint16_t* codes) {
  const std::size_t code_stride = plan.num_values * num_splits;
  std::size_t row = 0;
  for (; row + groups_at_once <= rows.num_rows; row += groups_at_once) {
    const std::size_t place = row * rows.stride;
    encode_rows<groups_at_once, texts, skips>(d, c, plan, rows.before + place, rows.ends + place,
                                              codes + row * code_stride);
  }
  for (; row < rows.num_rows; ++row) {
    const std::size_t place = row * rows.stride;
    encode_rows<1, texts, skips>(d, c, plan, rows.before + place, rows.ends + place,
                                 codes + row * code_stride);
  }
}

template <MissingTexts texts, bool skips>
HWY_NOINLINE void encode(const Plan& plan, const PlacedFields& rows, std::uint16_t* codes) {
  const Tag d;
  const Constants c(d, plan.seed);
  encode_all<texts, skips>(d, c, plan, rows, codes);
}

void EncodePlaces(const PlacedFields& rows, std::uint64_t seed, std::span<const MissingWord> missing,
                  std::span<const std::uint64_t> skipped, const std::uint16_t* widths,
                  const std::uint16_t* reciprocals, std::uint16_t* codes) {
  Plan plan{.text = rows.text,
            .place_stride = rows.stride,
            .num_values = rows.num_fields,
            .seed = seed,
            .missing = missing,
            .skipped = skipped.data(),
            .widths = widths,
            .reciprocals = reciprocals};
  if (!skipped.empty()) {
    std::array<std::uint64_t, hash_group> whole{};  // read as whole vectors
    if (skipped.size() < whole.size()) {
      std::copy(skipped.begin(), skipped.end(), whole.begin());
      plan.skipped = whole.data();
    }
    // One instance for all kinds of texts: one for each kind would double the compiled code.
    return encode<MissingTexts::of_any_length, true>(plan, rows, codes);
  }
  switch (kind_of(missing)) {
    case MissingTexts::none:
      return encode<MissingTexts::none, false>(plan, rows, codes);
    case MissingTexts::short_ones:
      return encode<MissingTexts::short_ones, false>(plan, rows, codes);
    case MissingTexts::of_any_length:
      return encode<MissingTexts::of_any_length, false>(plan, rows, codes);
  }
}

}  // namespace widehash::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace widehash {

HWY_EXPORT(EncodePlaces);

void encode_places(const PlacedFields& rows, std::uint64_t seed, std::span<const MissingWord> missing,
                   const BucketReducer& reducer, std::uint16_t* codes,
                   std::span<const std::uint64_t> skipped) noexcept {
  HWY_DYNAMIC_DISPATCH(EncodePlaces)
  (rows, seed, missing, skipped, reducer.widths().data(), reducer.reciprocals().data(), codes);
}

}  // namespace widehash
#endif
