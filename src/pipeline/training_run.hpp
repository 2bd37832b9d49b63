#pragma once

/// \file
/// One run of training: where it starts (fresh, from a checkpoint, or from a finished model), its epochs, and
/// what it leaves on disk. `<model>.checkpoint` holds the state to go on from; `<model>` the parameters to
/// use.

#include "batch_stream.hpp"
#include "buffer_pool.hpp"

#include <widehash/dataset.hpp>
#include <widehash/model.hpp>
#include <widehash/train.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace widehash {

class TrainingRun {
 public:
  TrainingRun(const TrainOptions& options, const ProgressCallback& progress,
              const std::function<void(const EpochReport&)>& on_epoch);

  TrainReport run();

 private:
  Architecture make_architecture() const;
  Model<float> starting_model() const;
  std::string settings_json() const;
  void run_epoch();
  void train_batch(const BatchPlan& plan, const CodeBatchView& batch);
  /// Judges the epoch, moves the position on, and saves.
  void finish_epoch(double seconds);
  /// Writes down in the model what a resumed run needs beside it.
  void note_training();
  void save_checkpoint();

  TrainOptions options_;
  const ProgressCallback& progress_;
  const std::function<void(const EpochReport&)>& on_epoch_;
  Dataset dataset_;
  std::optional<Dataset> valid_;
  std::string checkpoint_path_;
  BatchStream stream_;
  std::unique_ptr<Model<float>> model_;
  BufferPool<CodeBatch> batches_;
  BufferPool<ScatteredBatch> scattered_batches_;
  std::uint64_t rows_this_run_ = 0;
  // Of the epoch that is running; kept in checkpoints.
  double loss_sum_ = 0;
  double weight_sum_ = 0;
  std::uint64_t epoch_rows_ = 0;
  TrainReport report_;
};

}  // namespace widehash
