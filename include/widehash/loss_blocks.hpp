#pragma once

/// \file
/// Measures how much better one model is than another on the same rows. The losses l and k of two models on a
/// row vary together, so their difference is known much better than the mean of either. In blocks b of
/// consecutive rows, with d_b = sum over b of w (l - k) and w_b = sum over b of w:
///
///     difference   d = sum_b d_b / sum_b w_b
///     error^2      B / (B - 1) sum_b (d_b - d w_b)^2 / (sum_b w_b)^2      over the B blocks with weight above 0
///
/// A block has one row as long as there are at most `most_blocks` rows, then two, four, ...: memory does not
/// grow with the rows.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace widehash {

/// Sums over consecutive rows.
struct LossBlock {
  double weight = 0;
  double target = 0;  // sum of w t, to detect whether two models had the same rows
  double loss = 0;    // sum of w l

  void add(const LossBlock& other) noexcept {
    weight += other.weight;
    target += other.target;
    loss += other.loss;
  }
};

class LossBlocks {
 public:
  static constexpr std::size_t most_blocks = std::size_t{1} << 16;  // 1.5 MB

  /// Shapes: losses, targets [rows]; weights [rows] or empty (all 1). The result does not depend, to the last
  /// bit, on how the rows are divided between calls.
  void add(std::span<const double> losses, std::span<const float> targets, std::span<const float> weights);

  const std::vector<LossBlock>& blocks() const noexcept { return blocks_; }

 private:
  LossBlock& block_of_next_row();

  std::vector<LossBlock> blocks_;
  std::uint64_t rows_per_block_ = 1;
  std::uint64_t rows_in_last_ = 0;
};

struct LossDifference {
  double difference = 0;                 // of the mean losses; below 0 the first model is better
  std::optional<double> standard_error;  // none if there is only one block
};

/// Throws ConfigError if the blocks are not of the same rows, or weigh nothing.
LossDifference loss_difference(std::span<const LossBlock> first, std::span<const LossBlock> second);

}  // namespace widehash
