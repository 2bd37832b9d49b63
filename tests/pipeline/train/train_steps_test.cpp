// How the rows of an epoch are divided into steps.
#include "pipeline/training_kit.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace widehash::test {
namespace {

class TrainSteps : public TrainTest {};

TEST_F(TrainSteps, ARowMoreThanFillsTheBatchesChangesLittle) {
  // With one row more than 64 batches: a batch of that row alone would make as long a step as the others.
  const std::string valid = data("valid", 2000, 2);
  for (const OptimizerKind kind : {OptimizerKind::ftrl, OptimizerKind::adagrad, OptimizerKind::sgd}) {
    std::vector<double> losses;
    for (const std::size_t rows : {64 * 32, 64 * 32 + 1}) {
      TrainOptions options = quick_training(data(fmt::format("rows{}", rows), rows, 1), file("m.model"));
      options.overwrite = true;
      options.batch_size = 32;
      options.decay_learning_rate = false;
      options.optimizer = default_settings(kind, {.active_columns = 8});
      options.valid = {valid};
      losses.push_back(*train(options).epochs.back().valid->log_loss);
    }
    EXPECT_NEAR(losses[0], losses[1], 0.02) << to_string(kind);
  }
}

TEST_F(TrainSteps, FewRowsMakeSixStepsByDefault) {
  EXPECT_EQ(default_batch_size(320, false, 1), 32u);
  EXPECT_EQ(default_batch_size(1000, true, 1), 128u);
  EXPECT_EQ(default_batch_size(3000, false, 1), 512u);
  EXPECT_EQ(default_batch_size(50, false, 5), 32u);
  EXPECT_EQ(default_batch_size(1, false, 1), 1u);
  EXPECT_EQ(default_batch_size(1, false, 6), 512u);
  EXPECT_EQ(default_batch_size(0, false, 0), 1u);
  EXPECT_EQ(default_batch_size(100, false, ~std::uint64_t{0}), 512u);
  EXPECT_EQ(default_batch_size(1'000'000, false, 1), 1024u);
  EXPECT_EQ(default_batch_size(1'000'000, true, 1), 512u);
  EXPECT_EQ(default_batch_size(~std::uint64_t{0}, false, 1), 16384u);
  EXPECT_EQ(default_batch_size(1000, false, 1, 4), 32u) << "each of four towers takes its part";
  EXPECT_EQ(default_batch_size(3, false, 1, 4), 1u);
}

}  // namespace
}  // namespace widehash::test
