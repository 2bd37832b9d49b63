// Takes one row after another, sixteen codes at a time. On a Sapphire Rapids core, a row of 104 codes takes
// 26 ns, where the plain loop of four sums takes 48 ns; every gather costs about 0.75 cycles a code, which is
// what the core's load ports allow.

#include "highway_targets.hpp"
#include "kernels.hpp"
#include "row_fetch.hpp"

#include <algorithm>
#include <array>

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
using VF = hn::Vec<decltype(df)>;
using VU = hn::Vec<decltype(du)>;
using MF = hn::Mask<decltype(df)>;
constexpr std::size_t lanes = hn::MaxLanes(decltype(df)());
constexpr std::size_t vectors = num_partial_sums / lanes;

/// Adds the lanes pairwise: i and i + half.
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

/// Adds the partial sums pairwise, where lane i of vector j is sum j * lanes + i.
HWY_INLINE float fold(std::array<VF, vectors> sums) {
  for (std::size_t count = vectors; count > 1; count /= 2) {
    for (std::size_t j = 0; j < count / 2; ++j) sums[j] = hn::Add(sums[j], sums[j + count / 2]);
  }
  return sum_of_lanes(df, sums[0]);
}

/// weights[at[i]] in lane i. AVX2 loads each lane by itself: on a Zen 3 core, rows of 156 codes take 117 ns
/// this way, and 166 ns with its gather, which is microcode there. Adding scalars instead of vectors gained
/// another 3% and was left out.
HWY_INLINE VF gather(const float* weights, VU at) {
#if HWY_TARGET == HWY_AVX2
  const hn::Repartition<std::uint64_t, decltype(du)> d64;
  const auto pairs = hn::BitCast(d64, at);
  const auto low = [&](std::uint64_t pair) { return weights[pair & 0xFFFFFFFF]; };
  const auto high = [&](std::uint64_t pair) { return weights[pair >> 32]; };
  const std::uint64_t a = hn::ExtractLane(pairs, 0);
  const std::uint64_t b = hn::ExtractLane(pairs, 1);
  const std::uint64_t c = hn::ExtractLane(pairs, 2);
  const std::uint64_t d = hn::ExtractLane(pairs, 3);
  return VF{_mm256_setr_ps(low(a), high(a), low(b), high(b), low(c), high(c), low(d), high(d))};
#else
  return hn::GatherIndex(df, weights, hn::BitCast(di, at));
#endif
}

/// The weights of the codes at `codes`; 0 where `valid` is false or a check fails.
template <bool Checked, bool Masked, class Code>
HWY_INLINE VF weights_of(const CodeRun& all, const SlotRun& run, const Code* codes, std::size_t slot,
                         MF valid, const float* weights) {
  const hn::Rebind<Code, decltype(df)> d_code;
  const VU code = hn::PromoteTo(du, hn::LoadU(d_code, codes));
  VU at = hn::Add(code, hn::LoadU(du, &run.shifts[slot]));
  if constexpr (!Checked && !Masked) return gather(weights, at);
  auto good = hn::RebindMask(du, valid);
  if constexpr (Checked) {
    good = hn::And(good, hn::Ne(code, hn::LoadU(du, &run.absents[slot])));
    good = hn::And(good, hn::Lt(at, hn::Set(du, all.num_columns)));
  }
  at = hn::IfThenElseZero(good, at);
  return hn::IfThenElseZero(hn::RebindMask(df, good), gather(weights, at));
}

/// Adds the weights of the first `odd` codes, which are fewer than num_partial_sums. At least
/// num_partial_sums codes must be readable.
template <bool Checked, class Code>
HWY_INLINE void add_odd(const CodeRun& all, const SlotRun& run, const Code* codes, std::size_t odd,
                        const float* weights, std::array<VF, vectors>& sums) {
  for (std::size_t j = 0; j < vectors && j * lanes < odd; ++j) {
    const std::size_t at = j * lanes;
    const MF valid = hn::FirstN(df, std::min(lanes, odd - at));
    sums[j] = hn::Add(sums[j], weights_of<Checked, true>(all, run, codes + at, at, valid, weights));
  }
}

/// Adds the weights of a row's codes of one size.
template <bool Checked, class Code>
HWY_INLINE void add_run(const CodeRun& all, const SlotRun& run, const Code* codes, const float* weights,
                        std::array<VF, vectors>& sums) {
  if (HWY_UNLIKELY(run.num_slots < num_partial_sums)) {
    // The memory after the codes may not be readable, so they are copied.
    if (run.num_slots == 0) return;
    std::array<Code, num_partial_sums> few{};
    std::copy_n(codes, run.num_slots, few.begin());
    return add_odd<Checked>(all, run, few.data(), run.num_slots, weights, sums);
  }
  const MF every = hn::FirstN(df, lanes);
  const std::size_t odd = run.num_slots % num_partial_sums;
  add_odd<Checked>(all, run, codes, odd, weights, sums);
  for (std::size_t slot = odd; slot < run.num_slots; slot += num_partial_sums) {
    for (std::size_t j = 0; j < vectors; ++j) {
      const std::size_t at = slot + j * lanes;
      sums[j] = hn::Add(sums[j], weights_of<Checked, false>(all, run, codes + at, at, every, weights));
    }
  }
}

template <bool Checked>
void gather_rows(const CodeRun& run, const CodeRows& rows, const float* weights, std::size_t begin,
                 std::size_t end, float* sums) {
  const RowFetch fetch(run, rows);
  fetch.begin_at(begin);
  for (std::size_t row = begin; row < end; ++row) {
    fetch.ahead_of(row);
    std::array<VF, vectors> partial;
    for (VF& sum : partial) sum = hn::Zero(df);
    add_run<Checked>(run, run.wide, rows.wide(run, row), weights, partial);
    add_run<Checked>(run, run.bytes, rows.bytes(run, row), weights, partial);
    sums[row] = fold(partial);
  }
}

void GatherCodes(const CodeRun& run, const CodeRows& rows, const float* weights, std::size_t begin,
                 std::size_t end, float* sums) {
  return run.checked ? gather_rows<true>(run, rows, weights, begin, end, sums)
                     : gather_rows<false>(run, rows, weights, begin, end, sums);
}

}  // namespace HWY_NAMESPACE
}  // namespace widehash::detail
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace widehash::detail {

HWY_EXPORT(GatherCodes);

void gather_codes(const CodeRun& run, const CodeRows& rows, const float* weights, std::size_t begin,
                  std::size_t end, float* sums) {
  HWY_DYNAMIC_DISPATCH(GatherCodes)(run, rows, weights, begin, end, sums);
}

}  // namespace widehash::detail

#endif  // HWY_ONCE
