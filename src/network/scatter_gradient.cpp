#include "first_layer_shapes.hpp"
#include "kernels.hpp"
#include "row_fetch.hpp"
#include "slot_plan.hpp"

#include <widehash/error.hpp>
#include <widehash/first_layer.hpp>
#include <widehash/threads.hpp>

#include <cstddef>
#include <cstring>
#include <limits>
#include <type_traits>

#include <fmt/format.h>

namespace widehash {
namespace {

using detail::CodeRows;
using detail::CodeRun;
using detail::SlotPlan;
using detail::visit_codes;
using detail::visit_others;

/// Scatters the codes of every row to the columns of one part.
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

/// Adds `delta` to the columns of whole features. One load brings the four codes of a feature, and an array
/// holds the addresses of the slots' columns.
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

/// scatter_codes for one unit and whole features that are never absent: the shape of click data.
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

/// Marks the columns that the batch sets in one part.
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

/// Scatters all rows to the columns of one part in the best way for the plan.
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

template <class Real>
void scatter_gradient(const CodeBatchView& batch, std::span<const Real> deltas, ColumnRange range,
                      std::uint32_t units, std::span<Real> gradient, TouchedColumns* touched) {
  detail::check_first_layer("scatter_gradient", batch, range, units, gradient.size(), deltas.size());
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
  // One part for each thread, which keeps its columns of the gradient from batch to batch.
  if (parts.size() <= current_threads()) {
    parallel_shares(parts.size(), scatter_one);
  } else {
    parallel_for(parts.size(), scatter_one);
  }
  if (touched != nullptr) touched->list();
}

template void scatter_gradient<float>(const CodeBatchView&, std::span<const float>, ColumnRange,
                                      std::uint32_t, std::span<float>, TouchedColumns*);
template void scatter_gradient<double>(const CodeBatchView&, std::span<const double>, ColumnRange,
                                       std::uint32_t, std::span<double>, TouchedColumns*);

}  // namespace widehash
