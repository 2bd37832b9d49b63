#include "training_run.hpp"

#include <widehash/train.hpp>

namespace widehash {

TrainReport train(const TrainOptions& options, const ProgressCallback& progress,
                  const std::function<void(const EpochReport&)>& on_epoch) {
  return TrainingRun(options, progress, on_epoch).run();
}

}  // namespace widehash
