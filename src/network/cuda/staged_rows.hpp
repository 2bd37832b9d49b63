#pragma once

/// \file
/// Rows on their way to a device. They are gathered from where they lie on the host (mapped shards, scattered
/// or not) into pinned memory, copied beside other work, and turned from row by row to slot by slot on the
/// device, in the order of the steps. Codes that are already on the device are read in place.

#include "cuda/device_buffer.hpp"
#include "cuda/pinned_buffer.hpp"
#include "device_rows.hpp"

#include <widehash/code_batch.hpp>
#include <widehash/target_units.hpp>

#include <cstdint>
#include <optional>

namespace widehash::cuda {

class StagedRows {
 public:
  /// Targets are converted to `units`.
  explicit StagedRows(const DeviceContext& context, const TargetUnits& units = {})
      : context_(context), units_(units) {}

  /// Copies `rows`, which may change once the call has returned, although the device may still be copying.
  /// Overwrites what was staged before, once the work marked by used() is done. For codes in the memory of a
  /// device, checks where they lie but does not read them; throws ShapeError if kernels cannot read them.
  /// After an exception, nothing is being copied any more.
  void stage(const CodeBatchView& rows);

  /// Returns the rows for kernels on the context's stream. The stream waits for them here, and for what is
  /// queued by now on the stream of lent codes.
  const DeviceRows& take();
  /// Marks the end of the work that reads the rows. Later work on the stream of lent codes waits for it.
  void used();

 private:
  /// The slots of a batch, slot by slot. If they came row by row, take() makes them from `from`.
  template <class T>
  struct Turned {
    DeviceBuffer<T> by_slot;
    const T* from = nullptr;  // on the device; null if nothing is to be turned
    std::uint32_t num_slots = 0;
    std::uint64_t row_size = 0;  // contents from one row to the next
  };
  /// One kind of slot: row by row in pinned memory and on the device, then slot by slot.
  template <class T>
  struct Slots {
    PinnedBuffer<T> pinned;
    DeviceBuffer<T> by_row;
    Turned<T> turned;
  };
  /// One run of numbers.
  template <class T>
  struct Run {
    PinnedBuffer<T> pinned;
    DeviceBuffer<T> device;
  };

  void stage_all(const CodeBatchView& rows);
  /// Copies num_rows x num_slots contents, row r being at row_of(r), to be turned by take(). Returns where
  /// they will lie slot by slot; null for none.
  template <class T, class RowOf>
  const T* stage_slots(Slots<T>& slots, std::size_t num_rows, std::uint32_t num_slots, const RowOf& row_of);
  /// The same for codes, which a row has in two sizes side by side.
  void stage_codes(const CodeBatchView& rows);
  /// Takes the codes and columns that already lie on the device.
  void borrow_codes(const CodeBatchView& rows);
  /// Copies rows of `row_size` contents to `target` on the device.
  template <class T, class RowOf>
  void copy_rows(PinnedBuffer<T>& pinned, std::size_t num_rows, std::size_t row_size, T* target,
                 const RowOf& row_of);
  /// Reserves room on the device for `num_slots` slots of rows that begin `row_size` contents apart at
  /// `from`. Returns where they will lie slot by slot; null for none.
  template <class T>
  const T* to_be_turned(Turned<T>& slots, const T* from, std::uint32_t num_slots, std::uint64_t row_size);
  /// Turns slots from row by row to slot by slot, unless there is nothing to turn.
  template <class T>
  void turn(Turned<T>& slots) const;
  /// Copies one run to the device. Returns where it lies; null for an empty run.
  template <class T>
  const T* stage_run(Run<T>& run, std::span<const T> values);
  /// The same for `count` numbers that `fill` writes to pinned memory.
  template <class T, class Fill>
  const T* stage_run(Run<T>& run, std::size_t count, const Fill& fill);

  const DeviceContext& context_;
  TargetUnits units_;
  Slots<std::uint16_t> codes_;
  Turned<std::uint8_t> byte_codes_;
  Slots<std::uint32_t> columns_;
  Slots<float> numbers_;
  Run<std::uint64_t> ragged_offsets_;
  Run<std::uint32_t> ragged_;
  Run<float> targets_;
  Run<float> weights_;
  DeviceRows device_;
  bool is_taken_ = false;  // but not yet marked as used
  Event copied_;
  Event used_;
  Event lent_;
  std::optional<cudaStream_t> lender_;  // the stream of the codes that are lent
};

}  // namespace widehash::cuda
