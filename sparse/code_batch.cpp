#include "append_rows.hpp"

#include <widehash/code_batch.hpp>
#include <widehash/error.hpp>

#include <type_traits>
#include <utility>

#include <fmt/format.h>

namespace widehash {

static_assert(std::is_trivially_copyable_v<CodeBatchView>);

CodeBatchView CodeBatchView::rows(std::size_t begin, std::size_t count) const {
  if (begin > num_rows || count > num_rows - begin) {
    throw ShapeError(
        fmt::format("rows {} to {} are asked of a batch of {} rows", begin, begin + count, num_rows));
  }
  CodeBatchView part = *this;
  part.num_rows = count;
  if (layout == nullptr) return part;
  if (is_on_device()) {
    // Slot by slot a row is the same distance from the begin of each slot.
    if (part.device_codes.codes != nullptr) part.device_codes.codes += begin;
    if (part.device_codes.byte_codes != nullptr) part.device_codes.byte_codes += begin;
    if (part.device_codes.columns != nullptr) part.device_codes.columns += begin;
  } else {
    if (scattered_codes.empty()) {
      part.codes = codes.subspan(begin * layout->code_stride, count * layout->code_stride);
    } else {
      part.scattered_codes = scattered_codes.subspan(begin, count);
    }
    part.columns = columns.subspan(begin * layout->column_stride, count * layout->column_stride);
  }
  part.numbers = numbers.subspan(begin * layout->number_stride, count * layout->number_stride);
  if (layout->has_ragged) part.ragged_offsets = ragged_offsets.subspan(begin, count + 1);
  if (!targets.empty()) part.targets = targets.subspan(begin, count);
  if (!weights.empty()) part.weights = weights.subspan(begin, count);
  return part;
}

CodeBatch::CodeBatch(std::shared_ptr<const CodeLayout> layout) : layout_(std::move(layout)) { resize(0); }

CodeBatchView CodeBatch::view() const noexcept {
  return {layout_.get(), num_rows_, codes,   columns, numbers, ragged_offsets,
          ragged,        targets,   weights, {},      {}};
}

void CodeBatch::clear() noexcept {
  if (layout_ != nullptr) truncate(0);
}

void CodeBatch::resize(std::size_t num_rows) {
  num_rows_ = num_rows;
  codes.resize(num_rows * layout_->code_stride);
  columns.resize(num_rows * layout_->column_stride);
  numbers.resize(num_rows * layout_->number_stride);
  if (layout_->has_ragged) {
    ragged_offsets.resize(num_rows + 1, ragged.size());
    ragged.resize(ragged_offsets.back());
  }
  if (layout_->has_targets) targets.resize(num_rows);
  if (layout_->has_weights) weights.resize(num_rows);
}

void CodeBatch::truncate(std::size_t num_rows) {
  if (num_rows < num_rows_) resize(num_rows);
}

void CodeBatch::append_row(const CodeBatchView& from, std::size_t row) { append(from.rows(row, 1)); }

void CodeBatch::append(const CodeBatchView& from) {
  if (layout_ == nullptr) throw ShapeError("a batch without a layout takes no rows");
  detail::require_appendable(from, *layout_, "rows to append");
  codes.insert(codes.end(), from.codes.begin(), from.codes.end());
  detail::append_all_but_codes(from, *this);
  num_rows_ += from.num_rows;
}

}  // namespace widehash
