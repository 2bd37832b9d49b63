// The first layer of networks with hidden layers: an embedding bag. The sums (forward) or deltas (backward)
// of a block of units stay in registers while the row's codes are walked. Each code costs a load and an
// addition (backward, a store too) per vector.

#include "highway_targets.hpp"
#include "kernels.hpp"
#include "row_fetch.hpp"

#include <algorithm>
#include <array>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "unit_kernels.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace widehash::detail {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

const hn::ScalableTag<float> df;
using VF = hn::Vec<decltype(df)>;
using MF = hn::Mask<decltype(df)>;
constexpr std::size_t lanes = hn::MaxLanes(decltype(df)());
constexpr std::size_t most_vectors = 4;  // of units in registers at a time

/// What column_of() returns for a code without a column in the table.
constexpr std::size_t nowhere = ~std::size_t{0};
template <bool Checked, class Code>
HWY_INLINE std::size_t column_of(const CodeRun& all, const SlotRun& run, const Code* codes,
                                 std::size_t slot) {
  const std::uint32_t code = codes[slot];
  const std::uint32_t at = code + run.shifts[slot];
  if (Checked && (code == run.absents[slot] || at >= all.num_columns)) return nowhere;
  return at;
}

/// The work on one row, forward or backward, for a block of units: `Vectors` vectors of units, of which the
/// last is cut by `last`. `begin` and `end` run before and after the row's codes, and `add` runs once for the
/// codes of each size.
template <bool Checked, std::size_t Vectors, bool Cut>
struct Gather {
  static constexpr std::size_t j_last = Vectors - 1;

  static HWY_INLINE void begin(std::array<VF, Vectors>& sum, const float*, MF) {
    for (VF& v : sum) v = hn::Zero(df);
  }
  template <class Code>
  static HWY_INLINE void add(const CodeRun& all, const SlotRun& run, const Code* codes, const float* weights,
                             std::size_t units, MF last, std::array<VF, Vectors>& sum) {
    for (std::size_t slot = 0; slot < run.num_slots; ++slot) {
      const std::size_t at = column_of<Checked>(all, run, codes, slot);
      if (Checked && at == nowhere) continue;
      const float* row = weights + at * units;
      for (std::size_t j = 0; j < j_last; ++j) sum[j] = hn::Add(sum[j], hn::LoadU(df, row + j * lanes));
      const float* from = row + j_last * lanes;
      sum[j_last] = hn::Add(sum[j_last], Cut ? hn::MaskedLoad(last, df, from) : hn::LoadU(df, from));
    }
  }
  static HWY_INLINE void end(const std::array<VF, Vectors>& sum, float* sums, MF last) {
    for (std::size_t j = 0; j < j_last; ++j) hn::StoreU(sum[j], df, sums + j * lanes);
    if constexpr (Cut) {
      hn::BlendedStore(sum[j_last], last, df, sums + j_last * lanes);
    } else {
      hn::StoreU(sum[j_last], df, sums + j_last * lanes);
    }
  }
};

template <bool Checked, std::size_t Vectors, bool Cut>
struct Scatter {
  static constexpr std::size_t j_last = Vectors - 1;

  static HWY_INLINE void begin(std::array<VF, Vectors>& delta, const float* deltas, MF last) {
    for (std::size_t j = 0; j < j_last; ++j) delta[j] = hn::LoadU(df, deltas + j * lanes);
    const float* from = deltas + j_last * lanes;
    delta[j_last] = Cut ? hn::MaskedLoad(last, df, from) : hn::LoadU(df, from);
  }
  template <class Code>
  static HWY_INLINE void add(const CodeRun& all, const SlotRun& run, const Code* codes, float* gradient,
                             std::size_t units, MF last, const std::array<VF, Vectors>& delta) {
    for (std::size_t slot = 0; slot < run.num_slots; ++slot) {
      const std::size_t at = column_of<Checked>(all, run, codes, slot);
      if (Checked && at == nowhere) continue;
      float* row = gradient + at * units;
      for (std::size_t j = 0; j < j_last; ++j) {
        hn::StoreU(hn::Add(hn::LoadU(df, row + j * lanes), delta[j]), df, row + j * lanes);
      }
      float* to = row + j_last * lanes;
      if constexpr (Cut) {
        hn::BlendedStore(hn::Add(hn::MaskedLoad(last, df, to), delta[j_last]), last, df, to);
      } else {
        hn::StoreU(hn::Add(hn::LoadU(df, to), delta[j_last]), df, to);
      }
    }
  }
  static HWY_INLINE void end(const std::array<VF, Vectors>&, const float*, MF) {}
};

template <template <bool, std::size_t, bool> class Kernel, bool Checked, std::size_t Vectors, bool Cut,
          class Table, class Values>
HWY_INLINE void all_rows(const CodeRun& run, const CodeRows& rows, Table* table, std::size_t units,
                         std::size_t begin, std::size_t end, MF last, Values* values) {
  using Row = Kernel<Checked, Vectors, Cut>;
  const RowFetch fetch(run, rows);
  fetch.begin_at(begin);
  for (std::size_t row = begin; row < end; ++row) {
    fetch.ahead_of(row);
    std::array<VF, Vectors> block;
    Row::begin(block, values + row * units, last);
    Row::add(run, run.wide, rows.wide(run, row), table, units, last, block);
    Row::add(run, run.bytes, rows.bytes(run, row), table, units, last, block);
    Row::end(block, values + row * units, last);
  }
}

template <template <bool, std::size_t, bool> class Kernel, bool Checked, class Table, class Values>
void all_blocks(const CodeRun& run, const CodeRows& rows, Table* table, std::size_t units, std::size_t begin,
                std::size_t end, Values* values) {
  for (std::size_t unit = 0; unit < units; unit += most_vectors * lanes) {
    const std::size_t width = std::min(units - unit, most_vectors * lanes);
    const std::size_t vectors = (width + lanes - 1) / lanes;
    const bool cut = width % lanes != 0;
    const MF last = hn::FirstN(df, width - (vectors - 1) * lanes);
    const auto go = [&](auto count, auto is_cut) HWY_ATTR {
      all_rows<Kernel, Checked, count.value, is_cut.value>(run, rows, table + unit, units, begin, end, last,
                                                           values + unit);
    };
    const auto with_cut = [&](auto count) HWY_ATTR {
      return cut ? go(count, std::true_type{}) : go(count, std::false_type{});
    };
    static_assert(most_vectors == 4);
    if (vectors == 1) with_cut(std::integral_constant<std::size_t, 1>{});
    if (vectors == 2) with_cut(std::integral_constant<std::size_t, 2>{});
    if (vectors == 3) with_cut(std::integral_constant<std::size_t, 3>{});
    if (vectors == 4) with_cut(std::integral_constant<std::size_t, 4>{});
  }
}

void GatherUnits(const CodeRun& run, const CodeRows& rows, const float* weights, std::size_t units,
                 std::size_t begin, std::size_t end, float* sums) {
  return run.checked ? all_blocks<Gather, true>(run, rows, weights, units, begin, end, sums)
                     : all_blocks<Gather, false>(run, rows, weights, units, begin, end, sums);
}

void ScatterUnits(const CodeRun& run, const CodeRows& rows, const float* deltas, std::size_t units,
                  std::size_t begin, std::size_t end, float* gradient) {
  return run.checked ? all_blocks<Scatter, true>(run, rows, gradient, units, begin, end, deltas)
                     : all_blocks<Scatter, false>(run, rows, gradient, units, begin, end, deltas);
}

}  // namespace HWY_NAMESPACE
}  // namespace widehash::detail
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace widehash::detail {

HWY_EXPORT(GatherUnits);
HWY_EXPORT(ScatterUnits);

void gather_codes_units(const CodeRun& run, const CodeRows& rows, const float* weights, std::size_t units,
                        std::size_t begin, std::size_t end, float* sums) {
  HWY_DYNAMIC_DISPATCH(GatherUnits)(run, rows, weights, units, begin, end, sums);
}

void scatter_codes_units(const CodeRun& run, const CodeRows& rows, const float* deltas, std::size_t units,
                         std::size_t begin, std::size_t end, float* gradient) {
  HWY_DYNAMIC_DISPATCH(ScatterUnits)(run, rows, deltas, units, begin, end, gradient);
}

}  // namespace widehash::detail

#endif  // HWY_ONCE
