#pragma once

/// \file
/// Buffers for the batches that are on their way to a device while others are trained on: as many as there are at once.

#include "staged_rows.hpp"

#include <widehash/replica.hpp>

#include <memory>
#include <mutex>
#include <vector>

namespace widehash::cuda {

class StagingPool {
 public:
  explicit StagingPool(const DeviceContext& context) : context_(context) {}

  /// Rows in a buffer that comes back to the pool when nobody holds them any more; the pool must outlive that.
  class Staged final : public PreparedRows {
   public:
    Staged(StagingPool& pool, std::unique_ptr<StagedRows> rows) : pool_(pool), rows_(std::move(rows)) {}
    ~Staged() override { pool_.give(std::move(rows_)); }
    StagedRows& rows() noexcept { return *rows_; }

   private:
    StagingPool& pool_;
    std::unique_ptr<StagedRows> rows_;
  };

  /// Gathers `rows` and begins to copy them. Any number of threads.
  std::shared_ptr<Staged> stage(const CodeBatchView& rows) {
    auto staged = std::make_shared<Staged>(*this, take());
    staged->rows().stage(rows);
    return staged;
  }

 private:
  std::unique_ptr<StagedRows> take() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) {
      context_.make_current();
      return std::make_unique<StagedRows>(context_);
    }
    auto rows = std::move(free_.back());
    free_.pop_back();
    return rows;
  }
  void give(std::unique_ptr<StagedRows> rows) {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(rows));
  }

  const DeviceContext& context_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<StagedRows>> free_;
};

}  // namespace widehash::cuda
