#include <widehash/csr_ops.hpp>
#include <widehash/error.hpp>
#include <widehash/threads.hpp>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace widehash {
namespace {

// Rows a thread takes at a time: enough to pay for starting, few enough to share a batch among many threads.
constexpr std::size_t chunk_rows = 4096;

/// The entries of a row in ascending order of columns. Blocks lie in schema order and so do their columns;
/// only the ragged run needs sorting.
class RowEntries {
 public:
  explicit RowEntries(const CodeBatchView& batch) : batch_(batch), layout_(*batch.layout) {}

  /// Calls emit(column, value) for each entry of row `row`.
  template <class Emit>
  void for_each(std::size_t row, Emit&& emit) {
    if (layout_.has_ragged) {
      const auto run = batch_.ragged.subspan(batch_.ragged_offsets[row],
                                             batch_.ragged_offsets[row + 1] - batch_.ragged_offsets[row]);
      ragged_.assign(run.begin(), run.end());
      std::sort(ragged_.begin(), ragged_.end());
    }
    auto next = ragged_.cbegin();
    const std::uint32_t* columns = batch_.columns.data() + row * layout_.column_stride;
    const float* numbers = batch_.numbers.data() + row * layout_.number_stride;
    for (const FeatureBlock& block : layout_.blocks) {
      const std::size_t begin = block.slot;
      const std::size_t end = begin + block.num_slots;
      switch (block.slot_kind) {
        case SlotKind::none:
          break;
        case SlotKind::codes:
        case SlotKind::byte_codes:
          if (block.may_be_absent && batch_.code(row, block, 0) == block.absent_mark()) break;
          for (std::uint32_t k = 0; k < block.num_slots; ++k) {
            emit(static_cast<SparseIndex>(block.column_offset + std::uint64_t{k} * block.width +
                                          batch_.code(row, block, k)),
                 1.0F);
          }
          break;
        case SlotKind::columns:
          if (block.may_be_absent && columns[begin] == absent_column) break;
          for (std::size_t i = begin; i < end; ++i)
            emit(static_cast<SparseIndex>(block.column_offset + columns[i]), 1.0F);
          break;
        case SlotKind::numbers:
          if (numbers[begin] != 0) emit(static_cast<SparseIndex>(block.column_offset), numbers[begin]);
          break;
        case SlotKind::ragged:
          while (next != ragged_.cend() && *next < block.column_offset + block.num_columns) {
            const auto same = std::find_if(next, ragged_.cend(), [&](std::uint32_t c) { return c != *next; });
            emit(SparseIndex{*next}, static_cast<float>(same - next));
            next = same;
          }
          break;
      }
    }
  }

 private:
  const CodeBatchView& batch_;
  const CodeLayout& layout_;
  std::vector<std::uint32_t> ragged_;
};

template <class Body>
void for_each_chunk(std::size_t num_rows, Body&& body) {
  parallel_for((num_rows + chunk_rows - 1) / chunk_rows, [&](std::size_t chunk) {
    body(chunk * chunk_rows, std::min(num_rows, (chunk + 1) * chunk_rows));
  });
}

/// Entries of every row, where all rows have as many: values that are always there, and are neither numbers
/// nor ragged.
std::optional<std::size_t> entries_of_every_row(const CodeLayout& layout) {
  std::size_t entries = 0;
  for (const FeatureBlock& block : layout.blocks) {
    if (block.slot_kind == SlotKind::none) continue;
    const bool is_fixed = block.has_codes() || block.slot_kind == SlotKind::columns;
    if (!is_fixed || block.may_be_absent) return std::nullopt;
    entries += block.num_slots;
  }
  return entries;
}

/// The columns of a row of codes alone, straight from them.
template <class Index>
Index* write_columns(const CodeBatchView& batch, std::size_t row, Index* to) noexcept {
  const std::uint16_t* const codes = batch.row_codes(row);
  const std::uint8_t* const byte_codes = batch.row_byte_codes(row);
  const std::uint32_t* const columns = batch.columns.data() + row * batch.layout->column_stride;
  for (const FeatureBlock& block : batch.layout->blocks) {
    auto base = static_cast<Index>(block.column_offset);
    const auto add = [&](const auto* values, std::uint32_t step) {
      for (std::uint32_t k = 0; k < block.num_slots; ++k, base += static_cast<Index>(step)) {
        *to++ = base + static_cast<Index>(values[block.slot + k]);
      }
    };
    if (block.slot_kind == SlotKind::codes) add(codes, block.width);
    if (block.slot_kind == SlotKind::byte_codes) add(byte_codes, block.width);
    if (block.slot_kind == SlotKind::columns) add(columns, 0);
  }
  return to;
}

void require_layout(const CodeBatchView& batch) {
  if (batch.layout == nullptr) throw ShapeError("rows without a layout have no matrix");
}

}  // namespace

template <class Index>
void csr_row_offsets(const CodeBatchView& batch, std::span<Index> row_offsets) {
  require_layout(batch);
  if (row_offsets.size() != batch.num_rows + 1) {
    throw ShapeError(fmt::format("room for {} row offsets of {} rows", row_offsets.size(), batch.num_rows));
  }
  const std::optional<std::size_t> of_every_row = entries_of_every_row(*batch.layout);
  row_offsets[0] = 0;
  for_each_chunk(batch.num_rows, [&](std::size_t begin, std::size_t end) {
    RowEntries entries(batch);
    for (std::size_t row = begin; row < end; ++row) {
      std::size_t count = of_every_row.value_or(0);
      if (!of_every_row) entries.for_each(row, [&](SparseIndex, float) { ++count; });
      row_offsets[row + 1] = static_cast<Index>(count);
    }
  });
  SparseIndex num_entries = 0;
  for (Index& offset : row_offsets) {
    num_entries += offset;
    if (!std::in_range<Index>(num_entries)) {
      throw ShapeError(fmt::format("{} rows have more entries than row offsets of {} bits can count",
                                   batch.num_rows, 8 * sizeof(Index)));
    }
    offset = static_cast<Index>(num_entries);
  }
}

template <class Index>
void csr_entries(const CodeBatchView& batch, std::span<const Index> row_offsets, std::span<Index> columns,
                 std::span<float> values) {
  require_layout(batch);
  if (row_offsets.size() != batch.num_rows + 1 || std::cmp_not_equal(columns.size(), row_offsets.back()) ||
      values.size() != columns.size()) {
    throw ShapeError(fmt::format("room for {} columns and {} values of {} rows", columns.size(),
                                 values.size(), batch.num_rows));
  }
  const bool is_fixed = entries_of_every_row(*batch.layout).has_value();
  for_each_chunk(batch.num_rows, [&](std::size_t begin, std::size_t end) {
    RowEntries entries(batch);
    const auto first = static_cast<std::size_t>(row_offsets[begin]);
    Index* column = columns.data() + first;
    float* value = values.data() + first;
    if (is_fixed) std::fill(value, values.data() + row_offsets[end], 1.0F);
    for (std::size_t row = begin; row < end; ++row) {
      if (is_fixed) {
        column = write_columns(batch, row, column);
        continue;
      }
      entries.for_each(row, [&](SparseIndex of_entry, float entry) {
        *column++ = static_cast<Index>(of_entry);
        *value++ = entry;
      });
    }
  });
}

Csr to_csr(const CodeBatchView& batch) {
  require_layout(batch);
  Csr matrix;
  matrix.num_rows = static_cast<SparseIndex>(batch.num_rows);
  matrix.num_columns = static_cast<SparseIndex>(batch.layout->num_columns);
  matrix.row_offsets.resize(batch.num_rows + 1);
  csr_row_offsets<SparseIndex>(batch, matrix.row_offsets);
  matrix.columns.resize(static_cast<std::size_t>(matrix.row_offsets.back()));
  matrix.values.resize(matrix.columns.size());
  csr_entries<SparseIndex>(batch, matrix.row_offsets, matrix.columns, matrix.values);
  return matrix;
}

template void csr_row_offsets(const CodeBatchView&, std::span<std::int32_t>);
template void csr_row_offsets(const CodeBatchView&, std::span<std::int64_t>);
template void csr_entries(const CodeBatchView&, std::span<const std::int32_t>, std::span<std::int32_t>,
                          std::span<float>);
template void csr_entries(const CodeBatchView&, std::span<const std::int64_t>, std::span<std::int64_t>,
                          std::span<float>);

}  // namespace widehash
