// The first layer of hidden networks: an embedding bag. The sums (forward) or deltas (backward) of a block of units stay in
// registers while the row's codes are walked; each code costs a load and an addition (backward, a store too) per vector.

#include "highway_targets.hpp"
#include "kernels.hpp"

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

/// The place in the table of a code, or `nowhere`.
constexpr std::size_t nowhere = ~std::size_t{0};
template <bool Checked>
HWY_INLINE std::size_t column_of(const CodeRun& run, const std::uint16_t* codes, std::size_t slot) {
  const std::uint32_t code = codes[slot];
  const std::uint32_t at = code + run.shifts[slot];
  if (Checked && (code == run.absents[slot] || at >= run.num_columns)) return nowhere;
  return at;
}

/// Units [0, width) from `units` columns apart, `Vectors` vectors of which the last is cut by `last`.
template <bool Checked, std::size_t Vectors, bool Cut>
HWY_INLINE void gather_block(const CodeRun& run, const std::uint16_t* codes, const float* weights,
                             std::size_t units, MF last, float* sums) {
  std::array<VF, Vectors> sum;
  for (VF& v : sum) v = hn::Zero(df);
  for (std::size_t slot = 0; slot < run.num_slots; ++slot) {
    const std::size_t at = column_of<Checked>(run, codes, slot);
    if (Checked && at == nowhere) continue;
    const float* row = weights + at * units;
    for (std::size_t j = 0; j + 1 < Vectors; ++j) sum[j] = hn::Add(sum[j], hn::LoadU(df, row + j * lanes));
    constexpr std::size_t j = Vectors - 1;
    const float* from = row + j * lanes;
    sum[j] = hn::Add(sum[j], Cut ? hn::MaskedLoad(last, df, from) : hn::LoadU(df, from));
  }
  for (std::size_t j = 0; j + 1 < Vectors; ++j) hn::StoreU(sum[j], df, sums + j * lanes);
  constexpr std::size_t j = Vectors - 1;
  if constexpr (Cut) {
    hn::BlendedStore(sum[j], last, df, sums + j * lanes);
  } else {
    hn::StoreU(sum[j], df, sums + j * lanes);
  }
}

template <bool Checked, std::size_t Vectors, bool Cut>
HWY_INLINE void scatter_block(const CodeRun& run, const std::uint16_t* codes, const float* deltas,
                              std::size_t units, MF last, float* gradient) {
  std::array<VF, Vectors> delta;
  for (std::size_t j = 0; j + 1 < Vectors; ++j) delta[j] = hn::LoadU(df, deltas + j * lanes);
  constexpr std::size_t j_last = Vectors - 1;
  delta[j_last] =
      Cut ? hn::MaskedLoad(last, df, deltas + j_last * lanes) : hn::LoadU(df, deltas + j_last * lanes);
  for (std::size_t slot = 0; slot < run.num_slots; ++slot) {
    const std::size_t at = column_of<Checked>(run, codes, slot);
    if (Checked && at == nowhere) continue;
    float* row = gradient + at * units;
    for (std::size_t j = 0; j + 1 < Vectors; ++j) {
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

/// What one row needs, forward or backward, for a block of units.
struct Gather {
  template <bool Checked, std::size_t Vectors, bool Cut>
  static HWY_INLINE void block(const CodeRun& run, const std::uint16_t* codes, const float* table,
                               std::size_t units, MF last, float* rows) {
    gather_block<Checked, Vectors, Cut>(run, codes, table, units, last, rows);
  }
};
struct Scatter {
  template <bool Checked, std::size_t Vectors, bool Cut>
  static HWY_INLINE void block(const CodeRun& run, const std::uint16_t* codes, float* table,
                               std::size_t units, MF last, const float* rows) {
    scatter_block<Checked, Vectors, Cut>(run, codes, rows, units, last, table);
  }
};

template <class Kernel, bool Checked, std::size_t Vectors, bool Cut, class Table, class Values>
HWY_INLINE void all_rows(const CodeRun& run, const CodeRows& rows, Table* table, std::size_t units,
                         std::size_t begin, std::size_t end, MF last, Values* values) {
  for (std::size_t row = begin; row < end; ++row) {
    const std::uint16_t* codes = rows.row(row) + run.first_slot;
    Kernel::template block<Checked, Vectors, Cut>(run, codes, table, units, last, values + row * units);
  }
}

template <class Kernel, bool Checked, class Table, class Values>
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
