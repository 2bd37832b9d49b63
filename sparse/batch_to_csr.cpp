#include <widehash/csr_ops.hpp>
#include <widehash/error.hpp>
#include <widehash/threads.hpp>

#include <algorithm>
#include <vector>

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

}  // namespace

Csr to_csr(const CodeBatchView& batch) {
  if (batch.layout == nullptr) throw ShapeError("rows without a layout have no matrix");
  Csr matrix;
  matrix.num_rows = static_cast<SparseIndex>(batch.num_rows);
  matrix.num_columns = static_cast<SparseIndex>(batch.layout->num_columns);
  matrix.row_offsets.resize(batch.num_rows + 1);

  for_each_chunk(batch.num_rows, [&](std::size_t begin, std::size_t end) {
    RowEntries entries(batch);
    for (std::size_t row = begin; row < end; ++row) {
      SparseIndex count = 0;
      entries.for_each(row, [&](SparseIndex, float) { ++count; });
      matrix.row_offsets[row + 1] = count;
    }
  });
  for (std::size_t row = 0; row < batch.num_rows; ++row)
    matrix.row_offsets[row + 1] += matrix.row_offsets[row];

  matrix.columns.resize(static_cast<std::size_t>(matrix.row_offsets.back()));
  matrix.values.resize(matrix.columns.size());
  for_each_chunk(batch.num_rows, [&](std::size_t begin, std::size_t end) {
    RowEntries entries(batch);
    auto at = static_cast<std::size_t>(matrix.row_offsets[begin]);
    for (std::size_t row = begin; row < end; ++row) {
      entries.for_each(row, [&](SparseIndex column, float value) {
        matrix.columns[at] = column;
        matrix.values[at] = value;
        ++at;
      });
    }
  });
  return matrix;
}

}  // namespace widehash
