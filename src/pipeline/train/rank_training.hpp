#pragma once

/// \file
/// The training as one device sees it: where it starts (fresh, from a checkpoint, or from a finished model), its
/// epochs, and what it leaves on disk. All ranks do the same in step; rank 0 also judges, writes and reports.

#include "epoch_sums.hpp"
#include "plan_feed.hpp"
#include "step_rows.hpp"
#include "step_threads.hpp"
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
  /// All arguments must outlive the training. The callbacks are called on rank 0 only.
  RankTraining(const TrainingJob& job, PlanFeed& feed, Communicator& communicator,
               const ProgressCallback& progress, const std::function<void(const EpochReport&)>& on_epoch);

  /// Collective. The report is complete on rank 0.
  TrainReport run();
  /// Where the run ended because it was asked to stop: says what is kept and how to continue, the same on all
  /// ranks. Otherwise empty.
  std::string how_to_go_on() const;
  /// Where a failure leaves a file to continue from: says so, and how. Otherwise empty.
  std::string what_is_kept() const { return files_.what_is_kept(); }

 private:
  bool is_main() const noexcept { return communicator_.rank() == 0; }
  void start();
  void go_on_from(const ModelFile<float>& file);
  /// Judges the model that the training starts from. Returns false where there is none to judge.
  bool judge_start();
  void run_epoch();
  /// Takes steps from `next` on, with one number of threads. Returns whether the epoch goes on after them.
  bool run_steps(std::uint64_t& next);
  void train_step(const GatheredStep& step);
  /// Waits for the steps that devices are still working on.
  void settle();
  /// Judges the epoch, advances the position, and saves.
  void finish_epoch(double seconds);
  /// Returns the metrics over the validation rows, which must exist; empty on all ranks but rank 0.
  MetricsReport validate();
  /// Fills in the validation metrics. Returns whether they are the best so far.
  bool judge(EpochReport& epoch);
  /// The same; where judging fails, keeps the epoch as a checkpoint.
  bool judge_or_keep(EpochReport& epoch);
  void keep_epoch() noexcept;
  void write_checkpoint();
  /// Ends the run after the step just done, where a stop was requested; with checkpoints, only once the state
  /// can be kept. Ranks ask for stops together, since none may wait in a collective for a rank that has left.
  void stop_if_asked();

  const TrainingJob& job_;
  PlanFeed& feed_;
  Communicator& communicator_;
  const ProgressCallback& progress_;
  const std::function<void(const EpochReport&)>& on_epoch_;
  std::unique_ptr<Strategy<float>> strategy_;
  TrainingPosition position_;
  StepRows step_rows_;
  StepThreads step_threads_;
  TrainingFiles files_;
  EpochSums sums_;  // of the current epoch
  std::uint64_t rows_this_run_ = 0;
  std::uint64_t earlier_rows_ = 0;  // of this run, before the current epoch
  bool stop_asked_ = false;
  std::atomic<bool> stopped_ = false;  // also read by the thread that plans steps ahead
  TrainReport report_;
};

}  // namespace widehash
