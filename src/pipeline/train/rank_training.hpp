#pragma once

/// \file
/// The training as one device lives it: where it starts (fresh, from a checkpoint, or from a finished model),
/// its epochs, and what is left on disk. All ranks do the same in step; rank 0 also judges, writes and
/// reports.

#include "epoch_sums.hpp"
#include "plan_feed.hpp"
#include "step_rows.hpp"
#include "training_files.hpp"
#include "training_job.hpp"

#include <widehash/communicator.hpp>
#include <widehash/strategy.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace widehash {

class RankTraining {
 public:
  /// All that is given must outlive the training. The callbacks are called on rank 0 only.
  RankTraining(const TrainingJob& job, PlanFeed& feed, Communicator& communicator,
               const ProgressCallback& progress, const std::function<void(const EpochReport&)>& on_epoch);

  /// Collective. The report is complete on rank 0.
  TrainReport run();
  /// Where the run ended because it was asked to: what is kept and how to go on, the same on all ranks; else
  /// empty.
  std::string how_to_go_on() const;
  /// Where a failure leaves a checkpoint to go on from: that it does, and how; else empty.
  std::string what_is_kept() const { return files_.what_is_kept(); }

 private:
  bool is_main() const noexcept { return communicator_.rank() == 0; }
  void start();
  void go_on_from(const ModelFile<float>& file);
  /// Judges what it starts from, where that is a model; false where there is none to judge.
  bool judge_start();
  void run_epoch();
  void train_step(const GatheredStep& step);
  /// Waits for the steps that devices are still at.
  void settle();
  /// Judges the epoch, moves the position on, and saves.
  void finish_epoch(double seconds);
  /// By the validation rows, of which there are some; empty on all ranks but 0.
  MetricsReport validate();
  /// Fills in the validation metrics and whether they are the best so far; returns the latter.
  bool judge(EpochReport& epoch);
  /// The same; where it fails, the epoch is kept as a checkpoint.
  bool judge_or_keep(EpochReport& epoch);
  void keep_epoch() noexcept;
  void write_checkpoint();
  /// Whether somebody has asked to stop. Ranks ask together, for none may wait in a collective for one that
  /// has left. Ends the run behind the step just done, where it was asked to and its state can be kept.
  void stop_if_asked();

  const TrainingJob& job_;
  PlanFeed& feed_;
  Communicator& communicator_;
  const ProgressCallback& progress_;
  const std::function<void(const EpochReport&)>& on_epoch_;
  std::unique_ptr<Strategy<float>> strategy_;
  TrainingPosition position_;
  StepRows step_rows_;
  TrainingFiles files_;
  EpochSums sums_;  // of the epoch that is running
  std::uint64_t rows_this_run_ = 0;
  std::uint64_t earlier_rows_ = 0;  // of this run, before the epoch that is running
  bool stop_asked_ = false;
  std::atomic<bool> stopped_ = false;  // read ahead by whoever plans the steps
  TrainReport report_;
};

}  // namespace widehash
