#include "chunks.hpp"
#include "first_layer_shapes.hpp"
#include "kernels.hpp"
#include "slot_plan.hpp"

#include <widehash/first_layer.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <type_traits>

namespace widehash {
namespace {

using detail::CodeRows;
using detail::CodeRun;
using detail::num_partial_sums;
using detail::SlotPlan;
using detail::visit_codes;
using detail::visit_others;

/// Adds the slots that are not codes to a row's sums, in order.
template <bool Checked, class Real>
void add_others(const SlotPlan& plan, const CodeBatchView& batch, const Real* weights, std::size_t units,
                std::size_t row, Real* sum) {
  visit_others<Checked>(
      plan, batch, row,
      [&](std::size_t at) {
        for (std::size_t u = 0; u < units; ++u) sum[u] += weights[at * units + u];
      },
      [&](std::size_t at, float value) {
        for (std::size_t u = 0; u < units; ++u) sum[u] += value * weights[at * units + u];
      });
}

/// Gathers the codes of rows [begin, end) for one unit, in the order of sums that num_partial_sums describes.
template <bool Checked, class Real>
void gather_one_unit(const SlotPlan& plan, const CodeBatchView& batch, const Real* weights, std::size_t begin,
                     std::size_t end, Real* sums) {
  for (std::size_t row = begin; row < end; ++row) {
    std::array<Real, num_partial_sums> sum{};
    visit_codes<Checked>(plan, batch, row, [&](std::size_t at, std::size_t place, std::size_t count) {
      sum[detail::partial_sum_of(place, count)] += weights[at];
    });
    for (std::size_t count = num_partial_sums; count > 1; count /= 2) {
      for (std::size_t i = 0; i < count / 2; ++i) sum[i] += sum[i + count / 2];
    }
    sums[row] = sum[0];
  }
}

template <bool Checked, class Real>
void gather_units(const SlotPlan& plan, const CodeBatchView& batch, const Real* weights, std::size_t units,
                  std::size_t begin, std::size_t end, Real* sums) {
  for (std::size_t row = begin; row < end; ++row) {
    Real* sum = sums + row * units;
    std::fill(sum, sum + units, Real{0});
    visit_codes<Checked>(plan, batch, row, [&](std::size_t at, std::size_t, std::size_t) {
      for (std::size_t u = 0; u < units; ++u) sum[u] += weights[at * units + u];
    });
  }
}

/// Gathers the codes of rows [begin, end) in the best way for the plan.
template <class Real>
void gather_rows(const SlotPlan& plan, const CodeRun& run, const CodeBatchView& batch, const Real* weights,
                 std::size_t units, std::size_t begin, std::size_t end, Real* sums) {
  if constexpr (std::is_same_v<Real, float>) {
    if (!run.is_empty() && units == 1) {
      return detail::gather_codes(run, CodeRows(batch), weights, begin, end, sums);
    }
    if (!run.is_empty()) {
      return detail::gather_codes_units(run, CodeRows(batch), weights, units, begin, end, sums);
    }
  }
  if (units == 1) {
    const auto gather = plan.checked ? gather_one_unit<true, Real> : gather_one_unit<false, Real>;
    return gather(plan, batch, weights, begin, end, sums);
  }
  const auto gather = plan.checked ? gather_units<true, Real> : gather_units<false, Real>;
  gather(plan, batch, weights, units, begin, end, sums);
}

}  // namespace

template <class Real>
void gather_sum(const CodeBatchView& batch, std::span<const Real> weights, ColumnRange range,
                std::uint32_t units, std::span<Real> sums) {
  detail::check_first_layer("gather_sum", batch, range, units, weights.size(), sums.size());
  const SlotPlan plan = detail::make_slot_plan(*batch.layout, range);
  const CodeRun run = detail::make_code_run(plan);
  detail::for_each_chunk(batch.num_rows, [&](std::size_t, std::size_t begin, std::size_t end) {
    gather_rows(plan, run, batch, weights.data(), units, begin, end, sums.data());
    if (!plan.has_others()) return;
    const auto add = plan.checked ? add_others<true, Real> : add_others<false, Real>;
    for (std::size_t row = begin; row < end; ++row) {
      add(plan, batch, weights.data(), units, row, sums.data() + row * units);
    }
  });
}

template void gather_sum<float>(const CodeBatchView&, std::span<const float>, ColumnRange, std::uint32_t,
                                std::span<float>);
template void gather_sum<double>(const CodeBatchView&, std::span<const double>, ColumnRange, std::uint32_t,
                                 std::span<double>);

}  // namespace widehash
