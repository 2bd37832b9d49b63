#include <widehash/error.hpp>
#include <widehash/loss_blocks.hpp>

#include <algorithm>
#include <cmath>
#include <random>
#include <span>
#include <vector>

#include <gtest/gtest.h>

namespace widehash {
namespace {

/// Losses of two models on the same rows: noise that both share, plus a little of their own.
struct Rows {
  std::vector<double> first;
  std::vector<double> second;
  std::vector<float> targets;
  std::vector<float> weights;
};

Rows random_losses(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> noise;
  Rows rows;
  for (std::size_t i = 0; i < count; ++i) {
    const double shared = 5 + noise(random);
    rows.first.push_back(shared + 0.1 * noise(random));
    rows.second.push_back(shared + 0.1 * noise(random) + 0.02);
    rows.targets.push_back(static_cast<float>(random() % 5));
    rows.weights.push_back(static_cast<float>(random() % 4));
  }
  return rows;
}

LossBlocks blocks_of(const std::vector<double>& losses, const Rows& rows, bool has_weights,
                     std::size_t batch_rows) {
  LossBlocks blocks;
  for (std::size_t begin = 0; begin < losses.size(); begin += batch_rows) {
    const std::size_t count = std::min(batch_rows, losses.size() - begin);
    blocks.add(std::span(losses).subspan(begin, count), std::span(rows.targets).subspan(begin, count),
               has_weights ? std::span(rows.weights).subspan(begin, count) : std::span<const float>());
  }
  return blocks;
}

LossDifference difference_of(const Rows& rows, bool has_weights = false) {
  return loss_difference(blocks_of(rows.first, rows, has_weights, 1000).blocks(),
                         blocks_of(rows.second, rows, has_weights, 777).blocks());
}

TEST(LossBlocks, OfFewRowsTheErrorIsThatOfPairs) {
  const Rows rows = random_losses(5000, 1);
  double mean = 0;
  for (std::size_t i = 0; i < 5000; ++i) mean += (rows.first[i] - rows.second[i]) / 5000;
  double squares = 0;
  for (std::size_t i = 0; i < 5000; ++i) squares += std::pow(rows.first[i] - rows.second[i] - mean, 2);
  const LossDifference found = difference_of(rows);
  EXPECT_NEAR(found.difference, mean, 1e-12);
  EXPECT_NEAR(found.standard_error.value(), std::sqrt(squares / 4999 / 5000), 1e-12);
}

TEST(LossBlocks, OfManyRowsAndOfWeightsTheErrorIsTheSpreadOfSamples) {
  // 200,000 rows make blocks of four rows.
  for (const std::size_t count : {std::size_t{400}, std::size_t{200'000}}) {
    const std::size_t samples = count == 400 ? 400 : 40;
    std::vector<double> differences;
    double errors = 0;
    for (std::size_t sample = 0; sample < samples; ++sample) {
      const LossDifference found = difference_of(random_losses(count, 100 + sample), true);
      differences.push_back(found.difference);
      errors += found.standard_error.value() / static_cast<double>(samples);
    }
    double mean = 0;
    for (const double one : differences) mean += one / static_cast<double>(samples);
    double squares = 0;
    for (const double one : differences) squares += (one - mean) * (one - mean);
    const double spread = std::sqrt(squares / static_cast<double>(samples - 1));
    EXPECT_NEAR(errors, spread, (count == 400 ? 0.12 : 0.35) * errors);
    EXPECT_NEAR(mean, -0.02, 4 * errors / std::sqrt(static_cast<double>(samples)));
  }
}

TEST(LossBlocks, SumsAndMemoryDoNotDependOnTheCut) {
  const Rows rows = random_losses(3 * LossBlocks::most_blocks + 5, 3);
  const LossBlocks whole = blocks_of(rows.first, rows, true, rows.first.size());
  const LossBlocks parts = blocks_of(rows.first, rows, true, 4099);
  EXPECT_LE(whole.blocks().size(), LossBlocks::most_blocks);
  EXPECT_GE(whole.blocks().size(), LossBlocks::most_blocks / 2);
  ASSERT_EQ(whole.blocks().size(), parts.blocks().size());
  double loss = 0;
  double expected = 0;
  for (std::size_t i = 0; i < whole.blocks().size(); ++i) {
    EXPECT_EQ(whole.blocks()[i].loss, parts.blocks()[i].loss);
    EXPECT_EQ(whole.blocks()[i].weight, parts.blocks()[i].weight);
    loss += whole.blocks()[i].loss;
  }
  for (std::size_t i = 0; i < rows.first.size(); ++i) expected += rows.first[i] * rows.weights[i];
  EXPECT_NEAR(loss, expected, 1e-6 * expected);
}

TEST(LossBlocks, OtherRowsAreRefused) {
  const Rows rows = random_losses(100, 4);
  const LossBlocks blocks = blocks_of(rows.first, rows, true, 100);
  Rows other = rows;
  other.targets[50] = 9;
  other.weights[50] = 1;
  EXPECT_THROW(loss_difference(blocks.blocks(), blocks_of(rows.first, other, true, 100).blocks()),
               ConfigError);
  EXPECT_THROW(loss_difference(blocks.blocks(), blocks_of(rows.first, rows, false, 100).blocks()),
               ConfigError);
  EXPECT_THROW(loss_difference(blocks.blocks(), std::span(blocks.blocks()).first(99)), ConfigError);
  EXPECT_THROW(loss_difference({}, {}), ConfigError);
}

TEST(LossBlocks, OneRowSaysNothingOfTheError) {
  const LossDifference found = difference_of(random_losses(1, 5));
  EXPECT_FALSE(found.standard_error.has_value());
  const Rows same = {{1, 2}, {1, 2}, {0, 0}, {1, 1}};
  EXPECT_EQ(difference_of(same).difference, 0);
  EXPECT_EQ(difference_of(same).standard_error, 0);
}

}  // namespace
}  // namespace widehash
