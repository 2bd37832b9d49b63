#include "training_run.hpp"

#include <widehash/train.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>

namespace widehash {

std::uint64_t default_batch_size(std::uint64_t num_rows, bool hidden_layers) noexcept {
  constexpr std::uint64_t smallest = 512;
  constexpr std::uint64_t largest = 16384;
  constexpr std::uint64_t fewest_steps = 900;
  if (hidden_layers) return smallest;
  return std::clamp(std::bit_floor(num_rows / fewest_steps), smallest, largest);
}

TrainReport train(const TrainOptions& options, const ProgressCallback& progress,
                  const std::function<void(const EpochReport&)>& on_epoch) {
  return TrainingRun(options, progress, on_epoch).run();
}

}  // namespace widehash
