#include "chunks.hpp"
#include "kernels.hpp"
#include "row_fetch.hpp"
#include "slot_plan.hpp"

#include <widehash/error.hpp>
#include <widehash/first_layer.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <type_traits>

#include <fmt/format.h>

namespace widehash {
namespace {

using detail::CodeRows;
using detail::CodeRun;
using detail::num_partial_sums;
using detail::SlotPlan;
using detail::visit_codes;
using detail::visit_others;

void check_shapes(const char* what, const CodeBatchView& batch, ColumnRange range, std::uint32_t units,
                  std::size_t table_size, std::size_t matrix_size) {
  if (batch.is_on_device()) throw ShapeError(fmt::format("{}: the rows are in the memory of a GPU", what));
  if (batch.layout == nullptr || range.begin > range.end || range.end > batch.layout->num_columns ||
      units == 0 || table_size != range.size() * units || matrix_size != batch.num_rows * units) {
    throw ShapeError(fmt::format(
        "{}: columns [{}, {}) of {}, {} units and {} rows do not fit a table of {} and a matrix of {} values",
        what, range.begin, range.end, batch.layout == nullptr ? 0 : batch.layout->num_columns, units,
        batch.num_rows, table_size, matrix_size));
  }
}

/// What the slots that are no codes add to a row's sums, in order.
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

/// The codes of rows [begin, end) with one unit, in the order of sums that num_partial_sums describes.
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

/// The codes of every row into the columns of one part.
template <bool Checked, class Real>
void scatter_codes(const SlotPlan& part, const CodeBatchView& batch, const Real* deltas, std::size_t units,
                   Real* gradient) {
  for (std::size_t row = 0; row < batch.num_rows; ++row) {
    const Real* delta = deltas + row * units;
    visit_codes<Checked>(part, batch, row, [&](std::size_t at, std::size_t, std::size_t) {
      for (std::size_t u = 0; u < units; ++u) gradient[at * units + u] += delta[u];
    });
  }
}

/// Adds `delta` to the columns of whole features: one load brings the four codes of each, and the addresses
/// of the slots' columns wait in an array.
template <class Code, class Real>
void add_fours(const Code* codes, const std::vector<Real*>& columns, Real delta) {
  using Four = std::conditional_t<sizeof(Code) == 2, std::uint64_t, std::uint32_t>;
  constexpr int bits = 8 * sizeof(Code);
  constexpr Four mask = std::numeric_limits<Code>::max();
  for (std::size_t slot = 0; slot < columns.size(); slot += 4) {
    Four four = 0;
    std::memcpy(&four, codes + slot, sizeof four);
    columns[slot][four & mask] += delta;
    columns[slot + 1][four >> bits & mask] += delta;
    columns[slot + 2][four >> (2 * bits) & mask] += delta;
    columns[slot + 3][four >> (3 * bits)] += delta;
  }
}

template <class Real>
std::vector<Real*> first_columns(const std::vector<detail::PlannedSlot>& slots, Real* gradient) {
  std::vector<Real*> columns;
  columns.reserve(slots.size());
  for (const auto& s : slots) columns.push_back(gradient + s.shift);
  return columns;
}

/// scatter_codes for one unit and whole features that are always there: the shape of click data.
template <class Real>
void scatter_fours(const SlotPlan& part, const CodeRun& run, const CodeBatchView& batch, const Real* deltas,
                   Real* gradient) {
  const std::vector<Real*> wide_columns = first_columns(part.codes, gradient);
  const std::vector<Real*> byte_columns = first_columns(part.byte_codes, gradient);
  const CodeRows rows(batch);
  const detail::RowFetch fetch(run, rows);
  fetch.begin_at(0);
  for (std::size_t row = 0; row < batch.num_rows; ++row) {
    fetch.ahead_of(row);
    add_fours(rows.wide(run, row), wide_columns, deltas[row]);
    add_fours(rows.bytes(run, row), byte_columns, deltas[row]);
  }
}

template <bool Checked, class Real>
void scatter_others(const SlotPlan& part, const CodeBatchView& batch, const Real* deltas, std::size_t units,
                    Real* gradient) {
  for (std::size_t row = 0; row < batch.num_rows; ++row) {
    const Real* delta = deltas + row * units;
    visit_others<Checked>(
        part, batch, row,
        [&](std::size_t at) {
          for (std::size_t u = 0; u < units; ++u) gradient[at * units + u] += delta[u];
        },
        [&](std::size_t at, float value) {
          for (std::size_t u = 0; u < units; ++u) gradient[at * units + u] += value * delta[u];
        });
  }
}

template <class Code>
void mark_run(const detail::SlotRun& run, const Code* codes, TouchedColumns::Marker mark) {
  const std::uint32_t* const shifts = run.shifts.data();
  for (std::size_t slot = 0; slot < run.num_slots; ++slot) mark(codes[slot] + shifts[slot]);
}

void mark_codes(const CodeRun& run, const CodeBatchView& batch, TouchedColumns::Marker mark) {
  const CodeRows rows(batch);
  const detail::RowFetch fetch(run, rows);
  fetch.begin_at(0);
  for (std::size_t row = 0; row < batch.num_rows; ++row) {
    fetch.ahead_of(row);
    mark_run(run.wide, rows.wide(run, row), mark);
    mark_run(run.bytes, rows.bytes(run, row), mark);
  }
}

/// Marks what the batch sets in one part.
template <bool Checked>
void mark_part(const SlotPlan& part, const CodeBatchView& batch, TouchedColumns::Marker mark) {
  const CodeRun run = detail::make_code_run(part);
  const bool marks_runs = !Checked && !run.is_empty();
  if (marks_runs) mark_codes(run, batch, mark);
  if (marks_runs && !part.has_others()) return;
  for (std::size_t row = 0; row < batch.num_rows; ++row) {
    if (!marks_runs)
      visit_codes<Checked>(part, batch, row, [&](std::size_t at, std::size_t, std::size_t) { mark(at); });
    visit_others<Checked>(part, batch, row, mark, [&](std::size_t at, float) { mark(at); });
  }
}

/// Marks that are looked at together: where none is set, none is looked at by itself.
constexpr std::size_t marks_at_once = 8;

/// Calls use(first) for marks [first, first + marks_at_once) of which one is set. `count` is a multiple of
/// marks_at_once.
template <class Mark, class Use>
void for_each_marked(const Mark* marks, std::size_t count, const Use& use) {
  for (std::size_t first = 0; first < count; first += marks_at_once) {
    std::uint64_t any = 0;
    static_assert(sizeof any == marks_at_once * sizeof(Mark));
    std::memcpy(&any, marks + first, sizeof any);
    if (any != 0) use(first);
  }
}

/// The best way to gather the codes of rows [begin, end).
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

/// The best way to scatter all rows to the columns of one part.
template <class Real>
void scatter_part(const SlotPlan& part, const CodeBatchView& batch, const Real* deltas, std::size_t units,
                  Real* gradient) {
  if (part.has_others()) {
    const auto scatter = part.checked ? scatter_others<true, Real> : scatter_others<false, Real>;
    scatter(part, batch, deltas, units, gradient);
  }
  const CodeRun run = detail::make_code_run(part);
  const bool has_whole_features = run.wide.num_slots % 4 == 0 && run.bytes.num_slots % 4 == 0;
  if (!run.is_empty() && has_whole_features && units == 1 && !part.checked) {
    return scatter_fours(part, run, batch, deltas, gradient);
  }
  if constexpr (std::is_same_v<Real, float>) {
    if (!run.is_empty() && units > 1) {
      return detail::scatter_codes_units(run, CodeRows(batch), deltas, units, 0, batch.num_rows, gradient);
    }
  }
  const auto scatter = part.checked ? scatter_codes<true, Real> : scatter_codes<false, Real>;
  scatter(part, batch, deltas, units, gradient);
}

}  // namespace

TouchedColumns::TouchedColumns(ColumnRange range)
    : range_size_(range.size()),
      marks_((range.size() + group_columns - 1) / group_columns * group_columns),
      group_marks_((marks_.size() / group_columns + marks_at_once - 1) / marks_at_once * marks_at_once) {}

template <class Use>
void TouchedColumns::for_each_group(const Use& use) {
  for_each_marked(group_marks_.data(), group_marks_.size(), [&](std::size_t first) {
    for (std::size_t group = first; group < first + marks_at_once; ++group)
      if (group_marks_[group] != Mark::none) use(group);
  });
}

void TouchedColumns::clear() noexcept {
  for_each_group([&](std::size_t group) {
    group_marks_[group] = Mark::none;
    std::memset(marks_.data() + group * group_columns, 0, group_columns);
  });
  positions_.clear();
}

void TouchedColumns::list() {
  std::size_t count = 0;
  for_each_group([&](std::size_t group) {
    positions_.resize(count + group_columns);
    std::uint32_t* const to = positions_.data();
    const std::size_t begin = group * group_columns;
    for_each_marked(marks_.data() + begin, group_columns, [&](std::size_t first) {
      // Every position is written, and the next one over it unless it is marked: no branch that could be
      // guessed wrong.
      for (std::size_t at = begin + first; at < begin + first + marks_at_once; ++at) {
        to[count] = static_cast<std::uint32_t>(at);
        count += static_cast<std::size_t>(marks_[at]);
      }
    });
  });
  positions_.resize(count);
}

template <class Real>
void gather_sum(const CodeBatchView& batch, std::span<const Real> weights, ColumnRange range,
                std::uint32_t units, std::span<Real> sums) {
  check_shapes("gather_sum", batch, range, units, weights.size(), sums.size());
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

template <class Real>
void scatter_gradient(const CodeBatchView& batch, std::span<const Real> deltas, ColumnRange range,
                      std::uint32_t units, std::span<Real> gradient, TouchedColumns* touched) {
  check_shapes("scatter_gradient", batch, range, units, gradient.size(), deltas.size());
  if (touched != nullptr && touched->range_size() != range.size()) {
    throw ShapeError(fmt::format("scatter_gradient: touched columns of a range of {} for a range of {}",
                                 touched->range_size(), range.size()));
  }
  const auto parts =
      detail::split_by_columns(detail::make_slot_plan(*batch.layout, range), current_threads());
  const auto scatter_one = [&](std::size_t i) {
    scatter_part(parts[i], batch, deltas.data(), units, gradient.data());
    if (touched == nullptr) return;
    (parts[i].checked ? mark_part<true> : mark_part<false>)(parts[i], batch, touched->marker());
  };
  // One part a thread: each keeps its columns of the gradient from batch to batch.
  if (parts.size() <= current_threads()) {
    parallel_shares(parts.size(), scatter_one);
  } else {
    parallel_for(parts.size(), scatter_one);
  }
  if (touched != nullptr) touched->list();
}

std::uint64_t num_set_columns(const CodeBatchView& batch) noexcept {
  const CodeLayout& layout = *batch.layout;
  std::uint64_t count = std::uint64_t{batch.num_rows} *
                        (std::uint64_t{layout.num_codes()} + layout.column_stride + layout.number_stride);
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
