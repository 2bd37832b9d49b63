#pragma once

/// \file
/// A training from the caller's side: the team of devices, one RankTraining on each, and the report on them
/// all.

#include <widehash/device_team.hpp>
#include <widehash/train.hpp>

#include <functional>

namespace widehash {

class TrainingJob;

class TrainingRun {
 public:
  /// The callbacks must outlive it.
  TrainingRun(const TrainOptions& options, const ProgressCallback& progress,
              const std::function<void(const EpochReport&)>& on_epoch);

  TrainReport run();

 private:
  /// Collective: what every device spent its time on, on rank 0; there the trace is written too.
  void report_devices(Communicator& communicator, TrainReport& report) const;

  TrainOptions options_;
  const ProgressCallback& progress_;
  const std::function<void(const EpochReport&)>& on_epoch_;
};

}  // namespace widehash
