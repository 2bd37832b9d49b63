#include "append_rows.hpp"

#include <widehash/code_batch.hpp>
#include <widehash/error.hpp>
#include <widehash/threads.hpp>

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

namespace widehash {
namespace {

static_assert(std::is_trivially_copyable_v<CodeBatchView>);

constexpr std::size_t chunk_rows = 4096;  // rows that a thread copies at a time

void require_any(const CodeLayout* layout) {
  if (layout == nullptr) throw ShapeError("a batch without a layout takes no rows");
}

void require_appendable(const CodeLayout* layout, const CodeBatchView& from) {
  require_any(layout);
  detail::require_appendable(from, *layout, "rows to append");
}

}  // namespace

CodeBatchView CodeBatchView::rows(std::size_t begin, std::size_t count) const {
  if (begin > num_rows || count > num_rows - begin) {
    throw ShapeError(
        fmt::format("cannot take {} rows from row {} on: the batch has {} rows", count, begin, num_rows));
  }
  CodeBatchView part = *this;
  part.num_rows = count;
  if (layout == nullptr) return part;
  if (is_on_device()) {
    // With codes slot by slot, a row is at the same distance from the beginning of each slot.
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
          ragged,        targets,   weights, {},      {},      {}};
}

void CodeBatch::require_layout(const CodeLayout& layout) const {
  require_any(layout_.get());
  if (!same_layout(*layout_, layout)) throw ShapeError("a batch only takes rows of its own encoding");
}

void CodeBatch::clear() noexcept {
  if (layout_ != nullptr) truncate(0);
  num_rows_ = 0;  // also of a batch that was moved from
}

void CodeBatch::resize(std::size_t num_rows) {
  require_any(layout_.get());
  const std::uint32_t largest_stride =
      std::max({layout_->code_stride, layout_->column_stride, layout_->number_stride, std::uint32_t{1}});
  if (num_rows >= codes.max_size() / (2 * largest_stride))
    throw ShapeError(fmt::format("a batch of {} rows is larger than any memory", num_rows));
  try {
    resize_arrays(num_rows);
  } catch (...) {
    resize_arrays(num_rows_);  // no array grows
    throw;
  }
  num_rows_ = num_rows;
}

void CodeBatch::resize_arrays(std::size_t num_rows) {
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
  if (num_rows >= num_rows_ || layout_ == nullptr) return;
  resize_arrays(num_rows);  // no array grows
  num_rows_ = num_rows;
}

void CodeBatch::append(const CodeBatchView& from) {
  require_appendable(layout_.get(), from);
  codes.insert(codes.end(), from.codes.begin(), from.codes.end());
  detail::append_all_but_codes(from, *this);
  num_rows_ += from.num_rows;
}

void CodeBatch::append_rows(const CodeBatchView& from, std::span<const std::size_t> rows) {
  require_appendable(layout_.get(), from);
  const auto wrong = std::ranges::find_if(rows, [&](std::size_t row) { return row >= from.num_rows; });
  if (wrong != rows.end()) {
    throw ShapeError(fmt::format("there is no row {} in a batch of {} rows", *wrong, from.num_rows));
  }
  const std::size_t first = num_rows_;
  resize(first + rows.size());
  const auto set_rows = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) set_row(first + i, from, rows[i]);
  };
  if (!layout_->has_ragged) {
    parallel_for((rows.size() + chunk_rows - 1) / chunk_rows, [&](std::size_t chunk) {
      set_rows(chunk * chunk_rows, std::min(rows.size(), (chunk + 1) * chunk_rows));
    });
    return;
  }
  try {
    set_rows(0, rows.size());
  } catch (...) {
    truncate(first);
    throw;
  }
}

void CodeBatch::set_row(std::size_t row, const CodeBatchView& from, std::size_t from_row) {
  const auto copy = [&](const auto& values, auto& to, std::size_t stride) {
    std::copy_n(values.data() + from_row * stride, stride, to.data() + row * stride);
  };
  std::copy_n(from.row_codes(from_row), layout_->code_stride, codes.data() + row * layout_->code_stride);
  copy(from.columns, columns, layout_->column_stride);
  copy(from.numbers, numbers, layout_->number_stride);
  if (layout_->has_targets) targets[row] = from.targets[from_row];
  if (layout_->has_weights) weights[row] = from.weights[from_row];
  if (!layout_->has_ragged) return;
  detail::append_run(from, from_row, ragged);
  ragged_offsets[row + 1] = ragged.size();
}

}  // namespace widehash
