#include <widehash/csr_ops.hpp>
#include <widehash/error.hpp>
#include <widehash/threads.hpp>
#include <widehash/unpacked_runs.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace widehash {
namespace {

// Rows that a thread takes at a time: enough to pay for the start, few enough to share a batch among many
// threads.
constexpr std::size_t chunk_rows = 4096;

/// Adjacent slots of one kind in a row, whose columns are adjacent in the matrix too. A column is the value
/// of its slot plus the slot's base. Blocks that are always there share a run, so a row of many features
/// takes few loops.
struct SlotRun {
  SlotKind kind = SlotKind::none;
  std::uint32_t slot = 0;
  std::uint32_t num_slots = 0;
  std::size_t first_base = 0;     // in RowEntries::bases_
  bool may_be_absent = false;     // a single block, whose slots are absent together
  std::uint64_t end_columns = 0;  // of ragged blocks: the column after the last
};

/// The entries of the rows of a batch, in ascending order of columns within each row. Blocks lie in schema
/// order, and so do their columns; only the ragged run needs sorting.
template <class Index>
class RowEntries {
 public:
  explicit RowEntries(const CodeBatchView& batch) : batch_(batch), layout_(*batch.layout) {
    for (const FeatureBlock& block : layout_.blocks) add(block);
  }

  std::size_t count(std::size_t row) {
    std::size_t entries = always_there_;
    if (entries == bases_.size() && !layout_.has_ragged) return entries;
    if (layout_.has_ragged) sort_ragged(row);
    for (const SlotRun& run : runs_) {
      if (run.may_be_absent && !is_absent(row, run)) entries += run.num_slots;
      if (run.kind == SlotKind::numbers) {
        const float* const numbers = numbers_of(row, run);
        for (std::uint32_t i = 0; i < run.num_slots; ++i) entries += numbers[i] != 0 ? 1 : 0;
      }
      if (run.kind == SlotKind::ragged) for_each_ragged(run, [&](std::uint32_t, std::size_t) { ++entries; });
    }
    return entries;
  }

  /// Returns an upper bound of count(row), without looking at the row's slots.
  std::size_t most(std::size_t row) const noexcept {
    const std::size_t num_ragged =
        layout_.has_ragged ? batch_.ragged_offsets[row + 1] - batch_.ragged_offsets[row] : 0;
    return bases_.size() + num_ragged;
  }

  /// Writes the columns from `columns` on and, at the same places of `values`, those values that are not 1.
  /// Returns the number of columns.
  std::size_t write(std::size_t row, Index* const columns, float* const values) {
    if (layout_.has_ragged) sort_ragged(row);
    Index* to = columns;
    for (const SlotRun& run : runs_) {
      if (run.may_be_absent && is_absent(row, run)) continue;
      const Index* const bases = bases_.data() + run.first_base;
      const auto add_slots = [&](const auto* slots) {
        for (std::uint32_t i = 0; i < run.num_slots; ++i) to[i] = bases[i] + static_cast<Index>(slots[i]);
        to += run.num_slots;
      };
      switch (run.kind) {
        case SlotKind::none:
          break;
        case SlotKind::codes:
          add_slots(batch_.row_codes(row) + run.slot);
          break;
        case SlotKind::byte_codes:
          add_slots(batch_.row_byte_codes(row) + run.slot);
          break;
        case SlotKind::columns:
          add_slots(columns_of(row, run));
          break;
        case SlotKind::numbers: {
          const float* const numbers = numbers_of(row, run);
          for (std::uint32_t i = 0; i < run.num_slots; ++i) {
            if (numbers[i] == 0) continue;
            values[to - columns] = numbers[i];
            *to++ = bases[i];
          }
          break;
        }
        case SlotKind::ragged:
          for_each_ragged(run, [&](std::uint32_t column, std::size_t times) {
            values[to - columns] = static_cast<float>(times);
            *to++ = static_cast<Index>(column);
          });
          break;
      }
    }
    return static_cast<std::size_t>(to - columns);
  }

 private:
  void add(const FeatureBlock& block) {
    if (block.slot_kind == SlotKind::none) return;
    const bool is_ragged = block.slot_kind == SlotKind::ragged;
    const bool joins = !runs_.empty() && runs_.back().kind == block.slot_kind && !is_ragged &&
                       !runs_.back().may_be_absent && !block.may_be_absent &&
                       runs_.back().slot + runs_.back().num_slots == block.slot;
    if (!joins) {
      runs_.push_back({block.slot_kind, block.slot, 0, bases_.size(), block.may_be_absent && !is_ragged,
                       block.column_offset + block.num_columns});
    }
    if (is_ragged) return;
    runs_.back().num_slots += block.num_slots;
    const std::uint64_t step = block.has_codes() ? block.width : 0;
    for (std::uint32_t k = 0; k < block.num_slots; ++k)
      bases_.push_back(static_cast<Index>(block.column_offset + k * step));
    if (!block.may_be_absent && block.slot_kind != SlotKind::numbers) always_there_ += block.num_slots;
  }

  const std::uint32_t* columns_of(std::size_t row, const SlotRun& run) const noexcept {
    return batch_.columns.data() + row * layout_.column_stride + run.slot;
  }
  const float* numbers_of(std::size_t row, const SlotRun& run) const noexcept {
    return batch_.numbers.data() + row * layout_.number_stride + run.slot;
  }

  bool is_absent(std::size_t row, const SlotRun& run) const noexcept {
    if (run.kind == SlotKind::codes) return batch_.row_codes(row)[run.slot] == absent_code;
    if (run.kind == SlotKind::byte_codes) return batch_.row_byte_codes(row)[run.slot] == absent_byte_code;
    return *columns_of(row, run) == absent_column;
  }

  void sort_ragged(std::size_t row) {
    const std::uint64_t begin = batch_.ragged_offsets[row];
    const auto run = batch_.ragged.subspan(begin, batch_.ragged_offsets[row + 1] - begin);
    ragged_.assign(run.begin(), run.end());
    std::ranges::sort(ragged_);
    next_ragged_ = 0;
  }

  /// Calls emit(column, times) for the columns of a ragged block. Blocks must be requested in the order of
  /// their columns.
  template <class Emit>
  void for_each_ragged(const SlotRun& run, const Emit& emit) {
    while (next_ragged_ < ragged_.size() && ragged_[next_ragged_] < run.end_columns) {
      const std::uint32_t column = ragged_[next_ragged_];
      const std::size_t first = next_ragged_;
      while (next_ragged_ < ragged_.size() && ragged_[next_ragged_] == column) ++next_ragged_;
      emit(column, next_ragged_ - first);
    }
  }

  const CodeBatchView& batch_;
  const CodeLayout& layout_;
  std::vector<SlotRun> runs_;
  std::vector<Index> bases_;  // of every slot that is not ragged
  std::size_t always_there_ = 0;
  std::vector<std::uint32_t> ragged_;  // of the row that was sorted last
  std::size_t next_ragged_ = 0;
};

template <class Body>
void for_each_chunk(std::size_t num_rows, Body&& body) {
  parallel_for((num_rows + chunk_rows - 1) / chunk_rows, [&](std::size_t chunk) {
    body(chunk * chunk_rows, std::min(num_rows, (chunk + 1) * chunk_rows));
  });
}

void require_layout(const CodeBatchView& batch) {
  if (batch.layout == nullptr) throw ShapeError("rows without a layout have no matrix");
}

}  // namespace

template <class Index>
void csr_row_offsets(const CodeBatchView& rows, std::span<Index> row_offsets) {
  require_layout(rows);
  UnpackedRuns runs;
  const CodeBatchView batch = unpacked(rows, runs);
  if (row_offsets.size() != batch.num_rows + 1) {
    throw ShapeError(fmt::format("there is room for {} row offsets, which do not fit {} rows",
                                 row_offsets.size(), batch.num_rows));
  }
  row_offsets[0] = 0;
  for_each_chunk(batch.num_rows, [&](std::size_t begin, std::size_t end) {
    RowEntries<Index> entries(batch);
    for (std::size_t row = begin; row < end; ++row) {
      row_offsets[row + 1] = static_cast<Index>(entries.count(row));
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
void csr_entries(const CodeBatchView& rows, std::span<const Index> row_offsets, std::span<Index> columns,
                 std::span<float> values) {
  require_layout(rows);
  UnpackedRuns runs;
  const CodeBatchView batch = unpacked(rows, runs);
  if (row_offsets.size() != batch.num_rows + 1 || std::cmp_not_equal(columns.size(), row_offsets.back()) ||
      values.size() != columns.size()) {
    throw ShapeError(fmt::format("there is room for {} columns and {} values, which do not fit {} rows",
                                 columns.size(), values.size(), batch.num_rows));
  }
  const auto require = [&](bool are_of_batch) {
    if (are_of_batch) return;
    throw ShapeError(
        "the row offsets do not match this batch; take those that csr_row_offsets() gives for it");
  };
  require(row_offsets.front() == 0);
  for_each_chunk(batch.num_rows, [&](std::size_t begin, std::size_t end) {
    const Index first = row_offsets[begin];
    const Index last = row_offsets[end];
    require(0 <= first && first <= last && std::cmp_less_equal(last, columns.size()));
    RowEntries<Index> entries(batch);
    auto entry = static_cast<std::size_t>(first);
    std::fill(values.data() + entry, values.data() + last, 1.0F);
    for (std::size_t row = begin; row < end; ++row) {
      const std::size_t room = columns.size() - entry;
      require(entries.most(row) <= room || entries.count(row) <= room);
      entry += entries.write(row, columns.data() + entry, values.data() + entry);
      require(std::cmp_equal(entry, row_offsets[row + 1]));
    }
  });
}

Csr to_csr(const CodeBatchView& rows) {
  require_layout(rows);
  UnpackedRuns runs;
  const CodeBatchView batch = unpacked(rows, runs);
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
