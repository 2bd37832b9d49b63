#pragma once

/// \file
/// The training as one device lives it: where it starts (fresh, from a checkpoint, or from a finished model),
/// its epochs, and what is left on disk. All ranks do the same in step; rank 0 also judges, writes and
/// reports.
///
/// `<model>.checkpoint` holds the state to go on from; `<model>` the parameters to use.

#include "plan_feed.hpp"
#include "step_rows.hpp"
#include "training_job.hpp"

#include <widehash/communicator.hpp>
#include <widehash/strategy.hpp>

#include <array>
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
  std::string what_is_kept() const;

 private:
  bool is_main() const noexcept { return communicator_.rank() == 0; }
  void start();
  void go_on_from(const std::string& path, const ModelHeader& header);
  /// Judges what it starts from, where that is a model; false where there is none to judge.
  bool judge_start();
  bool is_at_start() const noexcept { return position_.epoch == 0 && position_.batch == 0; }
  /// Of a run that was asked to stop behind a step: which file holds which of them.
  std::string what_resume_finds() const;
  void run_epoch();
  void train_step(const GatheredStep& step);
  void add(const LossSum& sum);
  /// Waits for the steps that devices are still at.
  void settle();
  /// Judges the epoch, moves the position on, and saves.
  void finish_epoch(double seconds);
  /// By the validation rows, of which there are some; empty on all ranks but 0.
  MetricsReport validate();
  /// Fills in the validation metrics and whether they are the best so far; returns the latter.
  bool judge(EpochReport& epoch);
  /// Rank 0 then answers for the sums of all.
  void gather_sums();
  void save(const std::string& path);
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
  // Of the epoch that is running; kept in checkpoints.
  std::array<double, 2> sums_{};  // this rank's loss and weight
  std::uint64_t epoch_rows_ = 0;
  std::uint64_t rows_this_run_ = 0;
  std::uint64_t earlier_rows_ = 0;     // of this run, before the epoch that is running
  std::uint64_t last_checkpoint_ = 0;  // step after which it was written
  bool has_checkpoint_ = false;        // on disk, of this training
  bool has_model_ = false;             // likewise, of its best epoch or its last
  bool stop_asked_ = false;
  std::atomic<bool> stopped_ = false;  // read ahead by whoever plans the steps
  TrainReport report_;
};

}  // namespace widehash
