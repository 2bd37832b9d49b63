#pragma once

/// \file
/// The rows of a step that one rank takes, gathered while earlier steps are trained on.

#include "batch_stream.hpp"
#include "plan_feed.hpp"

#include <widehash/code_batch.hpp>
#include <widehash/internal/buffer_pool.hpp>
#include <widehash/replica.hpp>
#include <widehash/strategy.hpp>

#include <memory>
#include <utility>

namespace widehash {

/// What a rank has of a step, in memory that is reused.
struct GatheredStep {
  std::shared_ptr<PlannedStep> planned;  // of all ranks
  // This rank's slice is in one of the two, or in neither where it shares rows with the other ranks.
  std::unique_ptr<CodeBatch> own;
  std::unique_ptr<ScatteredBatch> scattered;
  CodeBatchView rows;  // this rank's
  std::shared_ptr<PreparedRows> prepared;
};

/// Gathers the rows of one rank. Any number of threads at once.
class StepRows {
 public:
  /// Rows have `layout`. `several_ranks`: other ranks take rows of the same steps, or the same rows.
  StepRows(std::shared_ptr<const CodeLayout> layout, bool several_ranks)
      : layout_(std::move(layout)), several_ranks_(several_ranks) {}

  /// Sets step.rows to `slice` of the planned rows.
  void gather(GatheredStep& step, RowSlice slice);
  /// Takes back the memory of a finished step.
  void take_back(GatheredStep& step);

 private:
  std::shared_ptr<const CodeLayout> layout_;
  bool several_ranks_;
  BufferPool<CodeBatch> batches_;
  BufferPool<ScatteredBatch> scattered_batches_;
};

}  // namespace widehash
