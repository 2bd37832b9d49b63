#include "staged_rows.hpp"

#include "chunks.hpp"
#include "transpose.hpp"

#include <widehash/error.hpp>
#include <widehash/internal/fetch_lines.hpp>

#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include <fmt/format.h>

namespace widehash::cuda {
namespace {

constexpr std::size_t rows_ahead = 8;

// Every slot begins at a multiple of 32 bytes, whatever its contents are.
constexpr std::uint64_t stride_of(std::uint64_t num_rows) noexcept { return (num_rows + 31) / 32 * 32; }

/// Kernels take the step from slot to slot as a number of 32 bits.
void require_step(std::uint64_t stride) {
  if (stride <= std::numeric_limits<std::uint32_t>::max()) return;
  throw ShapeError(
      fmt::format("batch: {} rows to a slot, more than a GPU takes; give smaller batches", stride));
}

void require_memory_of(const DeviceContext& context, const void* memory) {
  cudaPointerAttributes attributes{};
  check(cudaPointerGetAttributes(&attributes, memory), "cudaPointerGetAttributes");
  if (attributes.type == cudaMemoryTypeDevice && attributes.device == context.device()) return;
  throw ShapeError(fmt::format("batch: its codes are not in the memory of {}", context.name()));
}

/// Throws ShapeError if kernels cannot read the codes that are lent.
void require_readable(const CodeBatchView& rows, const DeviceContext& context) {
  const CodeLayout& layout = *rows.layout;
  const DeviceCodes& lent = rows.device_codes;
  if (layout.number_stride > 0 || layout.has_ragged)
    throw ShapeError(
        "batch: codes in the memory of a GPU cannot have a schema with numbers or multi-valued features");
  if (lent.slot_stride < rows.num_rows)
    throw ShapeError(fmt::format(
        "batch: {} rows in the memory of a GPU with {} places per slot; a network reads them slot by slot",
        rows.num_rows, lent.slot_stride));
  require_step(lent.slot_stride);
  const auto require = [&](const void* memory, std::uint32_t num_slots, const char* what) {
    if (num_slots == 0) return;
    if (memory == nullptr) throw ShapeError(fmt::format("batch: no {} in the memory of the GPU", what));
    require_memory_of(context, memory);
  };
  require(lent.codes, layout.wide_codes, "codes of 16 bits");
  require(lent.byte_codes, layout.byte_codes, "codes of 8 bits");
  require(lent.columns, layout.column_stride, "columns");
}

}  // namespace

template <class T, class RowOf>
void StagedRows::copy_rows(PinnedBuffer<T>& pinned, std::size_t num_rows, std::size_t row_size, T* target,
                           const RowOf& row_of) {
  const std::size_t count = num_rows * row_size;
  pinned.reserve(count);
  T* to = pinned.data();
  detail::for_each_chunk(num_rows, [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      // Shuffled rows are in no cache: a core copies 1.2 to 1.5 times as many a second if it prefetches them.
      if (row + rows_ahead < end) detail::fetch_lines(row_of(row + rows_ahead), row_size * sizeof(T));
      std::memcpy(to + row * row_size, row_of(row), row_size * sizeof(T));
    }
  });
  copy_to_device(std::span<const T>(to, count), target, context_.copy_stream());
}

template <class T>
const T* StagedRows::to_be_turned(Turned<T>& slots, const T* from, std::uint32_t num_slots,
                                  std::uint64_t row_size) {
  if (num_slots == 0) return nullptr;
  slots.by_slot.reserve(context_, device_.stride * num_slots, "codes of a batch");
  slots.from = from;
  slots.num_slots = num_slots;
  slots.row_size = row_size;
  return slots.by_slot.data();
}

template <class T>
void StagedRows::turn(Turned<T>& slots) const {
  if (slots.from == nullptr) return;
  transpose<T>(slots.from, device_.num_rows, slots.num_slots, slots.row_size, device_.stride,
               slots.by_slot.data(), context_.stream());
  slots.from = nullptr;
}

template <class T, class RowOf>
const T* StagedRows::stage_slots(Slots<T>& slots, std::size_t num_rows, std::uint32_t num_slots,
                                 const RowOf& row_of) {
  const std::size_t count = num_rows * num_slots;
  if (count == 0) return nullptr;
  if (num_slots == 1) {  // already slot by slot
    slots.turned.by_slot.reserve(context_, device_.stride, "codes of a batch");
    copy_rows(slots.pinned, num_rows, 1, slots.turned.by_slot.data(), row_of);
    return slots.turned.by_slot.data();
  }
  slots.by_row.reserve(context_, count, "codes of a batch");
  copy_rows(slots.pinned, num_rows, num_slots, slots.by_row.data(), row_of);
  return to_be_turned<T>(slots.turned, slots.by_row.data(), num_slots, num_slots);
}

void StagedRows::stage_codes(const CodeBatchView& rows) {
  const CodeLayout& layout = *rows.layout;
  const std::size_t count = rows.num_rows * layout.code_stride;
  if (count == 0) return;
  codes_.by_row.reserve(context_, count, "codes of a batch");
  copy_rows(codes_.pinned, rows.num_rows, layout.code_stride, codes_.by_row.data(),
            [&](std::size_t row) { return rows.row_codes(row); });
  const std::uint16_t* const words = codes_.by_row.data();
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(words + layout.wide_codes);
  device_.codes = to_be_turned<std::uint16_t>(codes_.turned, words, layout.wide_codes, layout.code_stride);
  device_.byte_codes = to_be_turned<std::uint8_t>(byte_codes_, bytes, layout.byte_codes,
                                                  std::uint64_t{layout.code_stride} * sizeof(std::uint16_t));
}

void StagedRows::borrow_codes(const CodeBatchView& rows) {
  require_readable(rows, context_);
  const DeviceCodes& lent = rows.device_codes;
  device_.stride = lent.slot_stride;
  device_.codes = lent.codes;
  device_.byte_codes = lent.byte_codes;
  device_.columns = lent.columns;
  lender_ = lent.stream;
}

void StagedRows::used() {
  context_.stream().record(used_);
  is_taken_ = false;
  if (lender_) check(cudaStreamWaitEvent(*lender_, used_.get(), 0), "cudaStreamWaitEvent");
}

template <class T, class Fill>
const T* StagedRows::stage_run(Run<T>& run, std::size_t count, const Fill& fill) {
  if (count == 0) return nullptr;
  run.pinned.reserve(count);
  fill(run.pinned.first(count));
  run.device.reserve(context_, count, "targets and runs of a batch");
  copy_to_device(std::span<const T>(run.pinned.first(count)), run.device.data(), context_.copy_stream());
  return run.device.data();
}

template <class T>
const T* StagedRows::stage_run(Run<T>& run, std::span<const T> values) {
  return stage_run(run, values.size(),
                   [&](std::span<T> pinned) { std::copy(values.begin(), values.end(), pinned.begin()); });
}

void StagedRows::stage(const CodeBatchView& rows) {
  context_.make_current();
  if (is_taken_) {  // by a step that failed; the work that it queued may still read them
    context_.stream().synchronize();
    is_taken_ = false;
  }
  try {
    stage_all(rows);
  } catch (...) {
    // Otherwise the next call would overwrite what is still being copied.
    (void)cudaStreamSynchronize(context_.copy_stream().get());
    throw;
  }
}

void StagedRows::stage_all(const CodeBatchView& rows) {
  copied_.wait();
  if (rows.has_packed_runs()) throw ShapeError("the rows of a shard have packed runs; unpack them first");
  context_.copy_stream().wait_for(used_);
  const CodeLayout& layout = *rows.layout;
  const std::size_t count = rows.num_rows;
  device_ = {};
  device_.num_rows = count;
  device_.stride = stride_of(count);
  require_step(device_.stride);
  lender_.reset();
  codes_.turned.from = nullptr;
  byte_codes_.from = nullptr;
  columns_.turned.from = nullptr;
  numbers_.turned.from = nullptr;
  if (rows.is_on_device()) {
    borrow_codes(rows);
  } else {
    stage_codes(rows);
    device_.columns = stage_slots(columns_, count, layout.column_stride, [&](std::size_t row) {
      return rows.columns.data() + row * layout.column_stride;
    });
  }
  device_.numbers = stage_slots(numbers_, count, layout.number_stride, [&](std::size_t row) {
    return rows.numbers.data() + row * layout.number_stride;
  });
  if (layout.has_ragged && count > 0) {
    // The ragged run of a slice begins in the middle of its batch's run.
    const std::uint64_t first = rows.ragged_offsets[0];
    std::vector<std::uint64_t> offsets(rows.ragged_offsets.begin(), rows.ragged_offsets.begin() + count + 1);
    for (std::uint64_t& offset : offsets) offset -= first;
    device_.num_ragged = offsets.back();
    device_.ragged_offsets = stage_run<std::uint64_t>(ragged_offsets_, offsets);
    device_.ragged = stage_run<std::uint32_t>(ragged_, rows.ragged.subspan(first, offsets.back()));
  }
  device_.targets = stage_run<float>(targets_, rows.targets.size(), [&](std::span<float> pinned) {
    to_outputs<float>(units_, rows.targets, pinned);
  });
  device_.weights = stage_run<float>(weights_, rows.weights);
  context_.copy_stream().record(copied_);
}

const DeviceRows& StagedRows::take() {
  is_taken_ = true;
  // Recorded only now, because the lender may write its codes until the step begins.
  if (lender_) {
    check(cudaEventRecord(lent_.get(), *lender_), "cudaEventRecord on the stream of a batch's codes");
    context_.stream().wait_for(lent_);
  }
  context_.stream().wait_for(copied_);
  // Not on the copy stream, where a batch's transposes would stand between its copies and those of the next
  // batch: the bus would idle while they wait for the step that fills the device. The copies that overwrite
  // the transposed contents wait for used(), which comes later.
  turn(codes_.turned);
  turn(byte_codes_);
  turn(columns_.turned);
  turn(numbers_.turned);
  return device_;
}

}  // namespace widehash::cuda
