#include <widehash/error.hpp>
#include <widehash/loss_blocks.hpp>

#include <algorithm>
#include <cmath>

namespace widehash {
namespace {

bool are_of_same_rows(const LossBlock& a, const LossBlock& b) noexcept {
  return a.weight == b.weight && a.target == b.target;
}

}  // namespace

LossBlock& LossBlocks::block_of_next_row() {
  if (blocks_.empty() || rows_in_last_ == rows_per_block_) {
    if (blocks_.size() == most_blocks) {
      for (std::size_t i = 0; i < most_blocks / 2; ++i) {
        blocks_[i] = blocks_[2 * i];
        blocks_[i].add(blocks_[2 * i + 1]);
      }
      blocks_.resize(most_blocks / 2);
      rows_per_block_ *= 2;
    }
    blocks_.emplace_back();
    rows_in_last_ = 0;
  }
  ++rows_in_last_;
  return blocks_.back();
}

void LossBlocks::add(std::span<const double> losses, std::span<const float> targets,
                     std::span<const float> weights) {
  for (std::size_t row = 0; row < losses.size(); ++row) {
    const double weight = weights.empty() ? 1.0 : weights[row];
    block_of_next_row().add({weight, weight * targets[row], weight * losses[row]});
  }
}

LossDifference loss_difference(std::span<const LossBlock> first, std::span<const LossBlock> second) {
  if (!std::ranges::equal(first, second, are_of_same_rows)) {
    throw ConfigError(
        "the models were not evaluated on the same rows: they use different labels or weights, or leave out "
        "different bad rows; evaluate each on its own, or fix the rows");
  }
  double weight = 0;
  double difference = 0;
  double count = 0;
  for (std::size_t i = 0; i < first.size(); ++i) {
    weight += first[i].weight;
    difference += first[i].loss - second[i].loss;
    if (first[i].weight > 0) ++count;
  }
  if (!(weight > 0)) throw ConfigError("there are no rows with any weight to compare models on");
  LossDifference found{difference / weight, std::nullopt};
  if (count < 2) return found;
  double squares = 0;
  for (std::size_t i = 0; i < first.size(); ++i) {
    const double apart = first[i].loss - second[i].loss - found.difference * first[i].weight;
    squares += apart * apart;
  }
  found.standard_error = std::sqrt(count / (count - 1) * squares) / weight;
  return found;
}

}  // namespace widehash
