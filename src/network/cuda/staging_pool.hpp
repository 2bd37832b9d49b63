#pragma once

/// \file
/// Buffers for the batches that are on their way to a device while others are trained on: one for each batch
/// in flight, and one more for each step that the host is ahead. A buffer comes back when its step is begun.
/// If it were taken again at once, it would hold up the copies of all later batches until that step is done.

#include "staged_rows.hpp"

#include <widehash/replica.hpp>

#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <new>

namespace widehash::cuda {

class StagingPool {
 public:
  /// A buffer rests until `num_resting` others have come back after it. Targets are converted to `units`.
  StagingPool(const DeviceContext& context, std::size_t num_resting, const TargetUnits& units = {})
      : context_(context), num_resting_(num_resting), units_(units) {}

  /// Rows in a buffer that comes back to the pool when nobody holds them any more. The pool must outlive
  /// them.
  class Staged final : public PreparedRows {
   public:
    Staged(StagingPool& pool, std::unique_ptr<StagedRows> rows, double weight)
        : PreparedRows(weight), pool_(pool), rows_(std::move(rows)) {}
    ~Staged() override { pool_.give(std::move(rows_)); }
    StagedRows& rows() noexcept { return *rows_; }

    /// Whether their targets were checked ahead and a step can take them.
    bool has_good_targets = false;

   private:
    StagingPool& pool_;
    std::unique_ptr<StagedRows> rows_;
  };

  /// Gathers `rows` and begins to copy them. `weight` is the sum of their weights, if it will be asked for.
  /// May be called on any number of threads at once.
  std::shared_ptr<Staged> stage(const CodeBatchView& rows, double weight = 0) {
    auto staged = std::make_shared<Staged>(*this, take(), weight);
    staged->rows().stage(rows);
    return staged;
  }

 private:
  std::unique_ptr<StagedRows> take() {
    const std::lock_guard lock(mutex_);
    if (free_.size() <= num_resting_) {
      context_.make_current();
      return std::make_unique<StagedRows>(context_, units_);
    }
    auto rows = std::move(free_.front());
    free_.pop_front();
    return rows;
  }
  // Called by a destructor: without memory to keep it, the buffer is freed, which waits for the device.
  void give(std::unique_ptr<StagedRows> rows) noexcept {
    const std::lock_guard lock(mutex_);
    try {
      free_.push_back(std::move(rows));
    } catch (const std::bad_alloc&) {
      rows.reset();
    }
  }

  const DeviceContext& context_;
  std::mutex mutex_;
  std::size_t num_resting_;
  TargetUnits units_;
  std::deque<std::unique_ptr<StagedRows>> free_;  // in the order in which they came back
};

}  // namespace widehash::cuda
