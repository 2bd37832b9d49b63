#pragma once

/// \file
/// A batch of encoded rows in the compact form that shards hold and training reads. See code_layout.hpp for
/// the slots. Row-major, so that a shuffled row is copied whole:
///
///     codes[row * code_stride + slot]                 codes of 16 bits
///     the bytes from codes[row * code_stride + wide_codes] on, [slot]     codes of 8 bits
///     columns[row * column_stride + slot]
///     numbers[row * number_stride + slot]
///     ragged[ragged_offsets[row] .. ragged_offsets[row + 1]]

#include <widehash/code_layout.hpp>
#include <widehash/device_codes.hpp>
#include <widehash/internal/raw_vector.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace widehash {

/// A look at rows that somebody else owns: a CodeBatch or a mapped shard. Trivially copyable.
struct CodeBatchView {
  const CodeLayout* layout = nullptr;
  std::size_t num_rows = 0;
  std::span<const std::uint16_t> codes;
  std::span<const std::uint32_t> columns;
  std::span<const float> numbers;
  /// num_rows + 1 positions in `ragged`; the first need not be 0. Empty where the layout has no ragged
  /// features.
  std::span<const std::uint64_t> ragged_offsets;
  std::span<const std::uint32_t> ragged;
  std::span<const float> targets;  // one per row; empty where the layout has none
  std::span<const float> weights;  // one per row; empty: every row weighs 1
  /// Where the codes of each row begin, for rows that lie scattered in shards; `codes` is then empty. Only
  /// the first layer of a network reads such a batch; whoever needs codes side by side gathers them first.
  std::span<const std::uint16_t* const> scattered_codes;
  /// Codes and columns of rows that lie slot by slot in the memory of a GPU; `codes` and `columns` are then
  /// empty. Only a network on that GPU takes such a batch, which then has no numbers and no ragged runs. It
  /// reads them between what is queued on their stream before the call and what is queued there after it.
  DeviceCodes device_codes;

  bool is_on_device() const noexcept { return !device_codes.is_null(); }
  /// The code_stride words of a row: its codes of 16 bits, then those of 8.
  const std::uint16_t* row_codes(std::size_t row) const noexcept {
    return scattered_codes.empty() ? codes.data() + row * layout->code_stride : scattered_codes[row];
  }
  const std::uint8_t* row_byte_codes(std::size_t row) const noexcept {
    return reinterpret_cast<const std::uint8_t*>(row_codes(row) + layout->wide_codes);
  }
  /// Bucket k of a block that has codes, or its absent mark: for whoever reads values one by one.
  std::uint32_t code(std::size_t row, const FeatureBlock& block, std::uint32_t k) const noexcept {
    if (block.slot_kind == SlotKind::codes) return row_codes(row)[block.slot + k];
    return row_byte_codes(row)[block.slot + k];
  }
  /// Rows [begin, begin + count). Throws ShapeError past the end. Cost: O(1).
  CodeBatchView rows(std::size_t begin, std::size_t count) const;
};

/// Owns its rows. The layout is shared: it is the same for every batch of a dataset. One that was moved from
/// has none, and is only to be assigned to.
class CodeBatch {
 public:
  CodeBatch() = default;
  explicit CodeBatch(std::shared_ptr<const CodeLayout> layout);

  const CodeLayout& layout() const { return *layout_; }
  const std::shared_ptr<const CodeLayout>& shared_layout() const noexcept { return layout_; }
  std::size_t num_rows() const noexcept { return num_rows_; }
  CodeBatchView view() const noexcept;

  /// Throws ShapeError where this batch takes no rows of `layout`: it has another, or none. For whoever
  /// writes in place.
  void require_layout(const CodeLayout& layout) const;

  /// Forgets the rows and keeps the memory.
  void clear() noexcept;
  /// Makes room for fixed slots of `num_rows` rows. The slots of new rows must be written before they are
  /// read; their ragged runs are empty. The batch stays as it was where it throws. Throws ShapeError without a layout.
  void resize(std::size_t num_rows);
  /// Copies all rows of `from` to the end. Throws ShapeError where the layouts differ. `from` must not look
  /// at this batch.
  void append(const CodeBatchView& from);
  /// Copies the rows of `from` with these numbers to the end, in this order, under the same terms. Throws
  /// ShapeError where there is no such row. Cost: O(rows * slots), in parallel where no run is ragged.
  void append_rows(const CodeBatchView& from, std::span<const std::size_t> rows);
  /// Keeps only the first `num_rows` rows; more than there are changes nothing.
  void truncate(std::size_t num_rows);

  /// Writes what CodeBatchView::code reads. Requires that it fits the block's kind of code.
  void set_code(std::size_t row, const FeatureBlock& block, std::uint32_t k, std::uint32_t bucket) noexcept {
    std::uint16_t* const words = codes.data() + row * layout_->code_stride;
    if (block.slot_kind == SlotKind::codes) {
      words[block.slot + k] = static_cast<std::uint16_t>(bucket);
    } else {
      auto* const bytes = reinterpret_cast<std::uint8_t*>(words + layout_->wide_codes);
      bytes[block.slot + k] = static_cast<std::uint8_t>(bucket);
    }
  }

  /// Copies row `from_row` of `from` over row `row`: its slots, target and weight. Its ragged run goes to the
  /// end of `ragged`, so rows that have one are set in ascending order after clear() and resize(). Requires
  /// equal layouts and rows that are there.
  void set_row(std::size_t row, const CodeBatchView& from, std::size_t from_row);

  // Writing in place, for encoders. Ragged runs are appended row by row: push columns to `ragged`, then end
  // the row by storing ragged.size() in ragged_offsets[row + 1].
  RawVector<std::uint16_t> codes;
  RawVector<std::uint32_t> columns;
  RawVector<float> numbers;
  std::vector<std::uint64_t> ragged_offsets;
  std::vector<std::uint32_t> ragged;
  RawVector<float> targets;
  RawVector<float> weights;

 private:
  void resize_arrays(std::size_t num_rows);

  std::shared_ptr<const CodeLayout> layout_;
  std::size_t num_rows_ = 0;
};

/// Throws DataError naming `source` and the row (counted from 1) where a code, a column, a ragged offset or a
/// class is out of range, or a number is not finite: what makes every later index safe. Cost: one pass.
void check_batch(const CodeBatchView& batch, const std::string& source);

}  // namespace widehash
