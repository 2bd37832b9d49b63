#include "append_rows.hpp"

#include "batch_check.hpp"
#include "packed_runs.hpp"

#include <widehash/error.hpp>

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

namespace widehash::detail {

void require_appendable(const CodeBatchView& from, const CodeLayout& layout, const std::string& what) {
  if (from.layout == nullptr || !same_layout(*from.layout, layout)) {
    throw ShapeError(what + ": they have a different encoding");
  }
  if (const std::string problem = size_problem(from); !problem.empty()) {
    throw ShapeError(what + ": " + problem);
  }
  if (layout.has_ragged && !std::ranges::is_sorted(from.ragged_offsets))
    throw ShapeError(what + ": their ragged offsets decrease");
}

void append_slots(const CodeBatchView& from, CodeBatch& to) {
  const auto extend = [](auto& array, const auto& more) {
    array.insert(array.end(), more.begin(), more.end());
  };
  extend(to.columns, from.columns);
  extend(to.numbers, from.numbers);
  extend(to.targets, from.targets);
  extend(to.weights, from.weights);
}

void append_run(const CodeBatchView& from, std::size_t row, std::vector<std::uint32_t>& to) {
  const std::uint64_t begin = from.ragged_offsets[row];
  const std::uint64_t end = from.ragged_offsets[row + 1];
  if (!from.has_packed_runs()) {
    const auto run = from.ragged.subspan(begin, end - begin);
    to.insert(to.end(), run.begin(), run.end());
    return;
  }
  const bool is_inside = begin <= end && end <= from.packed_runs.size();
  if (!is_inside || !unpack_run(*from.layout, from.packed_runs.subspan(begin, end - begin), to))
    throw ShapeError(fmt::format("the packed run of row {} is damaged; verify the dataset", row + 1));
}

std::span<const std::uint32_t> run_columns(const CodeBatchView& rows, std::size_t row,
                                           std::vector<std::uint32_t>& memory) {
  if (!rows.has_packed_runs())
    return rows.ragged.subspan(rows.ragged_offsets[row],
                               rows.ragged_offsets[row + 1] - rows.ragged_offsets[row]);
  memory.clear();
  append_run(rows, row, memory);
  return memory;
}

void append_all_but_codes(const CodeBatchView& from, CodeBatch& to) {
  append_slots(from, to);
  if (!to.layout().has_ragged) return;
  if (from.has_packed_runs()) {
    for (std::size_t row = 0; row < from.num_rows; ++row) {
      append_run(from, row, to.ragged);
      to.ragged_offsets.push_back(to.ragged.size());
    }
    return;
  }
  // A view's offsets begin wherever its rows begin, not at 0.
  const std::uint64_t first = from.ragged_offsets.front();
  const std::uint64_t base = to.ragged.size();
  for (const std::uint64_t offset : from.ragged_offsets.subspan(1))
    to.ragged_offsets.push_back(base + offset - first);
  const auto columns = from.ragged.subspan(first, from.ragged_offsets.back() - first);
  to.ragged.insert(to.ragged.end(), columns.begin(), columns.end());
}

}  // namespace widehash::detail
