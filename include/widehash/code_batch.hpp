#pragma once

/// \file
/// A batch of encoded rows in the compact form that shards store and training reads. See code_layout.hpp for
/// the slots. The batch is row-major, so that shuffling copies a row as a whole:
///
///     codes[row * code_stride + slot]                                16-bit codes
///     byte `slot` from codes[row * code_stride + wide_codes] on      8-bit codes
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

/// A view of rows owned by something else: a CodeBatch or a mapped shard. Trivially copyable.
struct CodeBatchView {
  const CodeLayout* layout = nullptr;
  std::size_t num_rows = 0;
  std::span<const std::uint16_t> codes;
  std::span<const std::uint32_t> columns;
  std::span<const float> numbers;
  /// num_rows + 1 positions in `ragged`, or in `packed_runs` if there are any; the first need not be 0. Empty
  /// if the layout has no ragged features.
  std::span<const std::uint64_t> ragged_offsets;
  std::span<const std::uint32_t> ragged;
  std::span<const float> targets;  // one per row; empty if the layout has no targets
  std::span<const float> weights;  // one per row; empty: every row weighs 1
  /// The start of each row's codes, for rows scattered over shards; `codes` is then empty. Only the first
  /// layer of a network reads such a batch. Any other reader must gather the codes first.
  std::span<const std::uint16_t* const> scattered_codes;
  /// Codes and columns that lie slot by slot in GPU memory; `codes` and `columns` are then empty. Only a
  /// network on that GPU accepts such a batch, which must not have numbers or ragged runs. The network reads
  /// them after the work queued on their stream before the call, and before the work queued there after it.
  DeviceCodes device_codes;
  /// The ragged runs of rows in a shard; `ragged` is then empty. A batch that copies such rows, a matrix made of
  /// them and a shard writer accept them as they are. Any other reader must unpack them first (unpacked_runs.hpp).
  std::span<const std::byte> packed_runs;

  bool has_packed_runs() const noexcept { return !packed_runs.empty(); }
  bool is_on_device() const noexcept { return !device_codes.is_null(); }
  /// The code_stride words of a row: its 16-bit codes, then its 8-bit codes.
  const std::uint16_t* row_codes(std::size_t row) const noexcept {
    return scattered_codes.empty() ? codes.data() + row * layout->code_stride : scattered_codes[row];
  }
  const std::uint8_t* row_byte_codes(std::size_t row) const noexcept {
    return reinterpret_cast<const std::uint8_t*>(row_codes(row) + layout->wide_codes);
  }
  /// Returns bucket k of a block that has codes, or its absent mark. For reading single values.
  std::uint32_t code(std::size_t row, const FeatureBlock& block, std::uint32_t k) const noexcept {
    if (block.slot_kind == SlotKind::codes) return row_codes(row)[block.slot + k];
    return row_byte_codes(row)[block.slot + k];
  }
  /// Returns rows [begin, begin + count). Throws ShapeError past the end. Cost: O(1).
  CodeBatchView rows(std::size_t begin, std::size_t count) const;
};

/// Owns its rows and shares its layout, which is the same for every batch of a dataset. A moved-from batch
/// has no layout and may only be assigned to.
class CodeBatch {
 public:
  CodeBatch() = default;
  explicit CodeBatch(std::shared_ptr<const CodeLayout> layout);

  const CodeLayout& layout() const { return *layout_; }
  const std::shared_ptr<const CodeLayout>& shared_layout() const noexcept { return layout_; }
  std::size_t num_rows() const noexcept { return num_rows_; }
  CodeBatchView view() const noexcept;

  /// Throws ShapeError if this batch does not take rows of `layout`, because it has another layout or none.
  /// For code that writes in place.
  void require_layout(const CodeLayout& layout) const;

  /// Removes the rows but keeps the memory.
  void clear() noexcept;
  /// Resizes the fixed slots to `num_rows` rows. The slots of new rows must be written before they are read;
  /// their ragged runs are empty. Throws ShapeError without a layout. If it throws, the batch is unchanged.
  void resize(std::size_t num_rows);
  /// Appends a copy of all rows of `from`, which must not be a view of this batch. Throws ShapeError if the
  /// layouts differ.
  void append(const CodeBatchView& from);
  /// Appends copies of the given rows of `from`, in this order. Same requirements as append(). Throws
  /// ShapeError if a row does not exist. Cost: O(rows * slots), in parallel unless the layout has ragged
  /// features.
  void append_rows(const CodeBatchView& from, std::span<const std::size_t> rows);
  /// Keeps only the first `num_rows` rows. Does nothing if there are not more than that.
  void truncate(std::size_t num_rows);

  /// Writes what CodeBatchView::code() reads. Requires that `bucket` fits the block's kind of code.
  void set_code(std::size_t row, const FeatureBlock& block, std::uint32_t k, std::uint32_t bucket) noexcept {
    std::uint16_t* const words = codes.data() + row * layout_->code_stride;
    if (block.slot_kind == SlotKind::codes) {
      words[block.slot + k] = static_cast<std::uint16_t>(bucket);
    } else {
      auto* const bytes = reinterpret_cast<std::uint8_t*>(words + layout_->wide_codes);
      bytes[block.slot + k] = static_cast<std::uint8_t>(bucket);
    }
  }

  /// Overwrites row `row` with row `from_row` of `from`: its slots, target and weight. Its ragged run is
  /// appended to `ragged`, so rows with ragged runs must be set in ascending order after clear() and
  /// resize(). Requires equal layouts and existing rows.
  void set_row(std::size_t row, const CodeBatchView& from, std::size_t from_row);

  // For encoders, which write in place. Ragged runs are appended row by row: push the columns to `ragged`,
  // then end the row by storing ragged.size() in ragged_offsets[row + 1].
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

/// Throws DataError, naming `source` and the row (counted from 1), if a code, column, ragged offset or class
/// is out of range, a number is not finite, or a ragged run is not made of whole values. Afterwards all indexing
/// by the batch is safe. Cost: one pass.
void check_batch(const CodeBatchView& batch, const std::string& source);

}  // namespace widehash
