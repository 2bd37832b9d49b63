#include "chunks.hpp"
#include "slot_plan.hpp"

#include <widehash/error.hpp>
#include <widehash/first_layer.hpp>

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace widehash {
namespace {

using detail::SlotPlan;
using detail::visit_columns;

void check_shapes(const char* what, const CodeBatchView& batch, ColumnRange range, std::uint32_t units,
                  std::size_t table_size, std::size_t matrix_size) {
  if (batch.layout == nullptr || range.begin > range.end || range.end > batch.layout->num_columns ||
      units == 0 || table_size != range.size() * units || matrix_size != batch.num_rows * units) {
    throw ShapeError(fmt::format(
        "{}: columns [{}, {}) of {}, {} units and {} rows do not fit a table of {} and a matrix of {} values",
        what, range.begin, range.end, batch.layout == nullptr ? 0 : batch.layout->num_columns, units,
        batch.num_rows, table_size, matrix_size));
  }
}

/// One unit: four running sums, one per split, so that the additions of a feature do not wait for one
/// another.
template <bool Checked, class Real>
void gather_one_unit(const SlotPlan& plan, const CodeBatchView& batch, const Real* weights, std::size_t begin,
                     std::size_t end, Real* sums) {
  for (std::size_t row = begin; row < end; ++row) {
    std::array<Real, 4> sum{};
    visit_columns<Checked>(
        plan, batch, row, [&](std::size_t at, std::uint32_t slot) { sum[slot % 4] += weights[at]; },
        [&](std::size_t at, float value) { sum[0] += value * weights[at]; });
    sums[row] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
  }
}

/// One unit, nothing but codes, all of them present and in the range: the shape of click data. The same order
/// of sums as gather_one_unit, so the same bits.
template <class Real>
void gather_plain_codes(const SlotPlan& plan, const CodeBatchView& batch, const Real* weights,
                        std::size_t begin, std::size_t end, Real* sums) {
  const std::size_t num_slots = plan.codes.size();
  std::vector<const Real*> tables;
  tables.reserve(num_slots);
  for (const auto& s : plan.codes) tables.push_back(weights + s.shift);
  for (std::size_t row = begin; row < end; ++row) {
    const std::uint16_t* codes = batch.codes.data() + row * num_slots;
    std::array<Real, 4> sum{};
    for (std::size_t slot = 0; slot < num_slots; slot += 4) {
      for (std::size_t k = 0; k < 4; ++k) sum[k] += tables[slot + k][codes[slot + k]];
    }
    sums[row] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
  }
}

template <bool Checked, class Real>
void gather_units(const SlotPlan& plan, const CodeBatchView& batch, const Real* weights, std::size_t units,
                  std::size_t begin, std::size_t end, Real* sums) {
  for (std::size_t row = begin; row < end; ++row) {
    Real* sum = sums + row * units;
    std::fill(sum, sum + units, Real{0});
    visit_columns<Checked>(
        plan, batch, row,
        [&](std::size_t at, std::uint32_t) {
          const Real* weight = weights + at * units;
          for (std::size_t u = 0; u < units; ++u) sum[u] += weight[u];
        },
        [&](std::size_t at, float value) {
          const Real* weight = weights + at * units;
          for (std::size_t u = 0; u < units; ++u) sum[u] += value * weight[u];
        });
  }
}

/// Every row of the batch into the columns of one part. Touched positions go to `touched_here` in the order
/// met.
template <bool Checked, class Real>
void scatter_part(const SlotPlan& part, const CodeBatchView& batch, const Real* deltas, std::size_t units,
                  Real* gradient, TouchedColumns* touched, std::vector<std::uint32_t>& touched_here) {
  const auto touch = [&](std::size_t at) {
    if (touched != nullptr && touched->mark(at)) touched_here.push_back(static_cast<std::uint32_t>(at));
  };
  for (std::size_t row = 0; row < batch.num_rows; ++row) {
    const Real* delta = deltas + row * units;
    visit_columns<Checked>(
        part, batch, row,
        [&](std::size_t at, std::uint32_t) {
          Real* sum = gradient + at * units;
          for (std::size_t u = 0; u < units; ++u) sum[u] += delta[u];
          touch(at);
        },
        [&](std::size_t at, float value) {
          Real* sum = gradient + at * units;
          for (std::size_t u = 0; u < units; ++u) sum[u] += value * delta[u];
          touch(at);
        });
  }
}

/// The same for one unit without bookkeeping, the hot case.
template <class Real>
void scatter_one_unit(const SlotPlan& part, const CodeBatchView& batch, const Real* deltas, Real* gradient) {
  for (std::size_t row = 0; row < batch.num_rows; ++row) {
    const Real delta = deltas[row];
    visit_columns<false>(
        part, batch, row, [&](std::size_t at, std::uint32_t) { gradient[at] += delta; },
        [&](std::size_t at, float value) { gradient[at] += value * delta; });
  }
}

bool is_plain_codes(const SlotPlan& plan, const CodeLayout& layout) noexcept {
  if (plan.checked || !plan.columns.empty() || !plan.numbers.empty() || plan.has_ragged) return false;
  if (plan.codes.size() != layout.code_stride || layout.code_stride % 4 != 0) return false;
  for (std::size_t i = 0; i < plan.codes.size(); ++i) {
    if (plan.codes[i].slot != i) return false;
  }
  return true;
}

}  // namespace

void TouchedColumns::clear() noexcept {
  for (const std::uint32_t position : positions_) marks_[position] = 0;
  positions_.clear();
}

void TouchedColumns::append(std::span<const std::uint32_t> positions) {
  positions_.insert(positions_.end(), positions.begin(), positions.end());
}

template <class Real>
void gather_sum(const CodeBatchView& batch, std::span<const Real> weights, ColumnRange range,
                std::uint32_t units, std::span<Real> sums) {
  check_shapes("gather_sum", batch, range, units, weights.size(), sums.size());
  const SlotPlan plan = detail::make_slot_plan(*batch.layout, range);
  const bool is_plain = units == 1 && is_plain_codes(plan, *batch.layout);
  detail::for_each_chunk(batch.num_rows, [&](std::size_t, std::size_t begin, std::size_t end) {
    if (is_plain) {
      gather_plain_codes(plan, batch, weights.data(), begin, end, sums.data());
    } else if (units == 1) {
      const auto gather = plan.checked ? gather_one_unit<true, Real> : gather_one_unit<false, Real>;
      gather(plan, batch, weights.data(), begin, end, sums.data());
    } else {
      const auto gather = plan.checked ? gather_units<true, Real> : gather_units<false, Real>;
      gather(plan, batch, weights.data(), units, begin, end, sums.data());
    }
  });
}

template <class Real>
void scatter_gradient(const CodeBatchView& batch, std::span<const Real> deltas, ColumnRange range,
                      std::uint32_t units, std::span<Real> gradient, TouchedColumns* touched) {
  check_shapes("scatter_gradient", batch, range, units, gradient.size(), deltas.size());
  if (touched != nullptr && touched->range_size() != range.size()) {
    throw ShapeError(fmt::format("scatter_gradient: touched columns of a range of {} for a range of {}",
                                 touched->range_size(), range.size()));
  }
  const auto parts = detail::split_by_columns(detail::make_slot_plan(*batch.layout, range));
  std::vector<std::vector<std::uint32_t>> touched_parts(parts.size());
  detail::for_each_chunk(parts.size(), 1, [&](std::size_t i, std::size_t, std::size_t) {
    const SlotPlan& part = parts[i];
    if (units == 1 && touched == nullptr && !part.checked) {
      scatter_one_unit(part, batch, deltas.data(), gradient.data());
    } else {
      const auto scatter = part.checked ? scatter_part<true, Real> : scatter_part<false, Real>;
      scatter(part, batch, deltas.data(), units, gradient.data(), touched, touched_parts[i]);
    }
  });
  for (const auto& positions : touched_parts) {
    if (touched != nullptr) touched->append(positions);
  }
}

std::uint64_t num_set_columns(const CodeBatchView& batch) noexcept {
  const CodeLayout& layout = *batch.layout;
  std::uint64_t count = std::uint64_t{batch.num_rows} *
                        (std::uint64_t{layout.code_stride} + layout.column_stride + layout.number_stride);
  if (layout.has_ragged && !batch.ragged_offsets.empty()) {
    count += batch.ragged_offsets[batch.num_rows] - batch.ragged_offsets.front();
  }
  return count;
}

template void gather_sum<float>(const CodeBatchView&, std::span<const float>, ColumnRange, std::uint32_t,
                                std::span<float>);
template void gather_sum<double>(const CodeBatchView&, std::span<const double>, ColumnRange, std::uint32_t,
                                 std::span<double>);
template void scatter_gradient<float>(const CodeBatchView&, std::span<const float>, ColumnRange,
                                      std::uint32_t, std::span<float>, TouchedColumns*);
template void scatter_gradient<double>(const CodeBatchView&, std::span<const double>, ColumnRange,
                                       std::uint32_t, std::span<double>, TouchedColumns*);

}  // namespace widehash
