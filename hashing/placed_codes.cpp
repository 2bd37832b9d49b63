// Compiled once for every instruction set (Highway's foreach_target); the best is chosen when the program runs.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "placed_codes.cpp"
#include <hwy/foreach_target.h>

#include <widehash/code.hpp>
#include <widehash/placed_codes.hpp>

#include "placed_group-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace widehash::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// The first `count` values; empty ones in place of the others, which may be none at all.
HWY_INLINE Group first_of(Tag d, const Group& group, std::size_t count, const char* text) {
  const Mask wanted = hn::FirstN(d, count);
  const Vec from = hn::Set(d, reinterpret_cast<std::uint64_t>(text));
  return {.address = hn::IfThenElse(wanted, group.address, from),
          .length = hn::IfThenElseZero(wanted, group.length)};
}

#if HWY_TARGET == HWY_SCALAR

HWY_INLINE void store_codes(Tag, Vec hash, const std::uint16_t* widths, const std::uint16_t*, std::size_t,
                            std::uint16_t* codes) {
  for (int k = 0; k < num_splits; ++k) {
    const std::uint32_t width = widths[k] == 0 ? 65536 : widths[k];
    codes[k] = static_cast<std::uint16_t>(SplitRemainder(width)(hn::GetLane(hash) >> (48 - 16 * k) & 0xFFFF));
  }
}

#else

/// Writes the buckets of a group, as many as there is room for.
HWY_INLINE void store_codes(Tag, Vec hash, const std::uint16_t* widths, const std::uint16_t* reciprocals,
                            std::size_t room, std::uint16_t* codes) {
  const hn::Repartition<std::uint16_t, Tag> d_code;
  // The most significant split comes first; in a word it stands last.
  const auto split = hn::Reverse4(d_code, hn::BitCast(d_code, hash));
  const auto width = hn::LoadU(d_code, widths);
  const auto quotient = hn::MulHigh(split, hn::LoadU(d_code, reciprocals));
  const auto rest = hn::Sub(split, hn::Mul(quotient, width));
  const auto bucket = hn::Min(rest, hn::Sub(rest, width));
  if (HWY_LIKELY(room >= hn::Lanes(d_code))) {
    hn::StoreU(bucket, d_code, codes);
  } else {
    hn::BlendedStore(bucket, hn::FirstN(d_code, room), d_code, codes);
  }
}

#endif

void EncodePlaces(const PlacedRows& rows, std::size_t first_field, std::uint64_t seed,
                  const std::uint16_t* widths, const std::uint16_t* reciprocals, std::size_t num_values,
                  std::uint16_t* codes) {
  const Tag d;
  const PlaceTag d_place;
  const Constants c(d, seed);
  const std::size_t lanes = hn::Lanes(d);
  // A row's last group writes on into the next row, which comes after it; behind the last row is nothing of ours.
  const std::size_t code_stride = num_values * num_splits;
  const std::uint16_t* const codes_end = codes + rows.num_rows * code_stride;
  const std::uint32_t* ends = rows.ends + first_field;
  for (std::size_t row = 0; row < rows.num_rows; ++row, ends += rows.num_fields, codes += code_stride) {
    for (std::size_t at = 0; at < num_values; at += lanes) {
      Group group = group_at(d, rows.text, hn::LoadU(d_place, ends + at - 1), hn::LoadU(d_place, ends + at));
      if (at + lanes > num_values) group = first_of(d, group, num_values - at, rows.text);
      const std::size_t slot = at * num_splits;
      store_codes(d, hash_of_placed(d, c, group, gather_words(d, group.address), seed), widths + slot,
                  reciprocals + slot, static_cast<std::size_t>(codes_end - codes) - slot, codes + slot);
    }
  }
}

}  // namespace widehash::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace widehash {

HWY_EXPORT(EncodePlaces);

void encode_places(const PlacedRows& rows, std::size_t first_field, std::uint64_t seed,
                   const BucketReducer& reducer, std::uint16_t* codes) noexcept {
  HWY_DYNAMIC_DISPATCH(EncodePlaces)
  (rows, first_field, seed, reducer.widths().data(), reducer.reciprocals().data(), reducer.num_features(),
   codes);
}

}  // namespace widehash
#endif
