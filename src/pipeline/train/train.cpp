#include "training_run.hpp"

#include <widehash/train.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>

namespace widehash {

std::uint64_t default_batch_size(std::uint64_t num_rows, bool hidden_layers, std::uint64_t epochs,
                                 std::uint64_t towers) noexcept {
  constexpr std::uint64_t usual = 512;
  constexpr std::uint64_t largest = 16384;
  constexpr std::uint64_t fewest_steps = 900;  // per epoch, for steps of more rows than the usual
  constexpr std::uint64_t fewest_in_all = 6;
  const std::uint64_t fewest_here = (fewest_in_all - 1) / std::max<std::uint64_t>(epochs, 1) + 1;
  if (!hidden_layers && num_rows / fewest_steps > usual)
    return std::min(std::bit_floor(num_rows / fewest_steps), largest);
  std::uint64_t rows = usual;
  const std::uint64_t rows_each = num_rows / std::max<std::uint64_t>(towers, 1);
  const auto num_steps = [&] { return rows_each / rows + (rows_each % rows != 0 ? 1 : 0); };
  while (rows > 1 && num_steps() < fewest_here) rows /= 2;
  return rows;
}

TrainReport train(const TrainOptions& options, const ProgressCallback& progress,
                  const std::function<void(const EpochReport&)>& on_epoch) {
  return TrainingRun(options, progress, on_epoch).run();
}

}  // namespace widehash
