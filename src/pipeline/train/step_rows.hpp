#pragma once

/// \file
/// The rows of a step that one rank takes, brought together while the steps before are trained on.

#include "batch_stream.hpp"
#include "plan_feed.hpp"

#include <widehash/code_batch.hpp>
#include <widehash/internal/buffer_pool.hpp>
#include <widehash/replica.hpp>
#include <widehash/strategy.hpp>

#include <memory>
#include <utility>

namespace widehash {

/// What a rank has of a step, in memory that goes round.
struct GatheredStep {
  std::shared_ptr<PlannedStep> planned;  // of all ranks
  // This rank's slice, one of the two; neither where it shares rows with the other ranks.
  std::unique_ptr<CodeBatch> own;
  std::unique_ptr<ScatteredBatch> scattered;
  CodeBatchView rows;  // this rank's
  std::shared_ptr<PreparedRows> prepared;
};

/// Of one rank; any number of threads at once.
class StepRows {
 public:
  /// Rows are of `layout`. `several_ranks`: others take rows of the same steps, or the same rows.
  StepRows(std::shared_ptr<const CodeLayout> layout, bool several_ranks)
      : layout_(std::move(layout)), several_ranks_(several_ranks) {}

  /// Sets step.rows to `slice` of those that are planned.
  void gather(GatheredStep& step, RowSlice slice);
  /// Takes back the memory of a step that is done with.
  void take_back(GatheredStep& step);

 private:
  std::shared_ptr<const CodeLayout> layout_;
  bool several_ranks_;
  BufferPool<CodeBatch> batches_;
  BufferPool<ScatteredBatch> scattered_batches_;
};

}  // namespace widehash
