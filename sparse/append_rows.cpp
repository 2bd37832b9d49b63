#include "append_rows.hpp"

#include "batch_check.hpp"

#include <widehash/error.hpp>

#include <algorithm>
#include <cstdint>

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

void append_slots_and_offsets(const CodeBatchView& from, CodeBatch& to) {
  const auto extend = [](auto& array, const auto& more) {
    array.insert(array.end(), more.begin(), more.end());
  };
  extend(to.columns, from.columns);
  extend(to.numbers, from.numbers);
  extend(to.targets, from.targets);
  extend(to.weights, from.weights);
  if (!to.layout().has_ragged) return;
  // A view's offsets begin wherever its rows begin, not at 0.
  const std::uint64_t first = from.ragged_offsets.front();
  const std::uint64_t base = to.ragged_offsets.back();
  for (const std::uint64_t offset : from.ragged_offsets.subspan(1)) {
    to.ragged_offsets.push_back(base + offset - first);
  }
}

std::span<const std::uint32_t> ragged_columns(const CodeBatchView& rows) noexcept {
  if (!rows.layout->has_ragged) return {};
  const std::uint64_t first = rows.ragged_offsets.front();
  return rows.ragged.subspan(first, rows.ragged_offsets.back() - first);
}

void append_all_but_codes(const CodeBatchView& from, CodeBatch& to) {
  append_slots_and_offsets(from, to);
  const auto columns = ragged_columns(from);
  to.ragged.insert(to.ragged.end(), columns.begin(), columns.end());
}

}  // namespace widehash::detail
