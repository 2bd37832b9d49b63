#pragma once

/// \file
/// A training as the caller sees it: the team of devices, one RankTraining on each, and the report on all of them.

#include <widehash/device_team.hpp>
#include <widehash/train.hpp>

#include <functional>

namespace widehash {

class TrainingJob;

class TrainingRun {
 public:
  /// The callbacks must outlive this object.
  TrainingRun(const TrainOptions& options, const ProgressCallback& progress,
              const std::function<void(const EpochReport&)>& on_epoch);

  TrainReport run();

 private:
  /// Collective. Reports on rank 0 what every device spent its time on, and writes the trace there.
  void report_devices(Communicator& communicator, TrainReport& report) const;

  TrainOptions options_;
  const ProgressCallback& progress_;
  const std::function<void(const EpochReport&)>& on_epoch_;
};

}  // namespace widehash
