#include "first_layer_shapes.hpp"

#include <widehash/error.hpp>
#include <widehash/first_layer.hpp>

#include <fmt/format.h>

namespace widehash {

void detail::check_first_layer(const char* what, const CodeBatchView& batch, ColumnRange range,
                               std::uint32_t units, std::size_t table_size, std::size_t matrix_size) {
  if (batch.is_on_device()) throw ShapeError(fmt::format("{}: the rows are in the memory of a GPU", what));
  if (batch.has_packed_runs())
    throw ShapeError(fmt::format("{}: the rows of a shard have packed runs; unpack them first", what));
  if (batch.layout == nullptr || range.begin > range.end || range.end > batch.layout->num_columns ||
      units == 0 || table_size != range.size() * units || matrix_size != batch.num_rows * units) {
    throw ShapeError(fmt::format(
        "{}: columns [{}, {}) of {}, {} units and {} rows do not fit a table of {} and a matrix of {} values",
        what, range.begin, range.end, batch.layout == nullptr ? 0 : batch.layout->num_columns, units,
        batch.num_rows, table_size, matrix_size));
  }
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

}  // namespace widehash
