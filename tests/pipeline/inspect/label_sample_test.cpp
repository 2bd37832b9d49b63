#include "inspect/label_sample.hpp"

#include "pipeline/inspect_kit.hpp"

#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace widehash::test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

/// A label, or a field that may explain it, as a function of the row.
using ValueOf = std::function<std::string(std::size_t row)>;

std::optional<double> explained(std::size_t rows, const ValueOf& label, const ValueOf& field,
                                std::size_t max_cells = LabelSample::most_cells) {
  std::vector<FieldCensus> census{FieldCensus("y"), FieldCensus("x")};
  LabelSample sample(2, max_cells);
  for (std::size_t row = 0; row < rows; ++row) {
    const std::string values[] = {label(row), field(row)};
    const bool is_chosen = !sample.choose(1).empty();
    for (std::size_t i = 0; i < 2; ++i) {
      census[i].add(values[i]);
      if (is_chosen) sample.add(i, values[i]);
    }
  }
  const std::vector<const FieldCensus*> pointers{&census[0], &census[1]};
  const auto shares = sample.explained(pointers, 0);
  EXPECT_EQ(shares[0], std::nullopt) << "the label itself";
  return shares[1];
}

/// A random number that depends only on the row and `salt`.
double uniform(std::size_t row, std::uint32_t salt = 1) {
  std::mt19937_64 random(row * 7919 + salt);
  return std::uniform_real_distribution<>()(random);
}

std::string coin(std::size_t row) { return uniform(row) < 0.5 ? "yes" : "no"; }

TEST(LabelSample, IsTheSameInWhateverPiecesTheRowsCome) {
  std::mt19937 random(5);
  for (const std::size_t rows : {1, 2, 3, 63, 64, 65, 1000, 4097}) {
    std::vector<std::vector<std::size_t>> samples;
    for (const std::size_t largest : {std::size_t{1}, std::size_t{7}, std::size_t{300}, rows}) {
      LabelSample sample(3, 3 * 50);
      std::vector<std::size_t> kept;
      std::size_t stride = 1;
      for (std::size_t row = 0; row < rows;) {
        const std::size_t count = std::min(rows - row, largest == rows ? rows : 1 + random() % largest);
        for (const std::size_t at : sample.choose(count)) kept.push_back(row + at);
        row += count;
      }
      // The sample drops rows that it chose before there were too many; so does this loop.
      while ((rows - 1) / stride + 1 > 50) stride *= 2;
      std::erase_if(kept, [&](std::size_t row) { return row % stride != 0; });
      samples.push_back(kept);
      EXPECT_EQ(kept.size(), (rows - 1) / stride + 1);
    }
    for (const auto& kept : samples) EXPECT_EQ(kept, samples[0]) << rows;
  }
}

TEST(LabelSample, FindsTheShareThatAChannelWithNoiseHas) {
  const auto entropy = [](double p) { return -p * std::log(p) - (1 - p) * std::log(1 - p); };
  for (const double noise : {0.001, 0.1, 0.3}) {
    const auto field = [&](std::size_t row) {
      return (coin(row) == "yes") != (uniform(row, 2) < noise) ? "up" : "down";
    };
    EXPECT_NEAR(explained(40'000, coin, field).value(), 1 - entropy(noise) / entropy(0.5), 0.02) << noise;
    EXPECT_NEAR(explained(400'000, coin, field, 2 * 20'000).value(), 1 - entropy(noise) / entropy(0.5), 0.03)
        << "every 32nd row";
  }
}

TEST(LabelSample, TakesRowsInAnyRegularOrder) {
  for (const std::size_t period : {2, 3, 4, 8, 10}) {
    const auto label = [&](std::size_t row) { return row % period == 0 ? "yes" : "no"; };
    EXPECT_GT(explained(20'000, label, label).value(), 0.95) << period;
    EXPECT_LT(explained(20'000, label, [](std::size_t row) { return fmt::format("{}", uniform(row) < 0.5); })
                  .value(),
              0.01)
        << period;
  }
}

TEST(LabelSample, FindsNothingInWhatHasNothingToDoWithIt) {
  EXPECT_LT(explained(20'000, coin, [](std::size_t row) { return fmt::format("{}", row % 50); }).value(),
            0.01);
  EXPECT_EQ(explained(20'000, coin, [](std::size_t row) { return fmt::format("name{}", row); }).value(), 0)
      << "each value is seen once";
  EXPECT_LT(
      explained(20'000, coin, [](std::size_t row) { return fmt::format("{}", uniform(row, 3)); }).value(),
      0.02)
      << "numbers by their quantiles";
}

TEST(LabelSample, FindsNumbersThatLieApart) {
  const auto amount = [](std::size_t row) {
    return row % 10 == 3 ? "NA" : fmt::format("{:.6f}", uniform(row, 4) + (coin(row) == "yes" ? 0.9 : 0));
  };
  EXPECT_GT(explained(20'000, coin, amount).value(), 0.7);
  const auto missing = [](std::size_t row) {
    return coin(row) == "yes" ? fmt::format("{:.6f}", uniform(row, 4)) : std::string();
  };
  EXPECT_GT(explained(20'000, coin, missing).value(), 0.95) << "numbers of one label alone";
}

TEST(LabelSample, TakesLabelsOfManyNumbersByTheirDeciles) {
  const auto label = [](std::size_t row) { return fmt::format("{:.4f}", 100 * uniform(row)); };
  EXPECT_GT(
      explained(40'000, label, [](std::size_t row) { return fmt::format("{:.3f}", uniform(row)); }).value(),
      0.8);
  EXPECT_LT(explained(40'000, label, [](std::size_t row) { return fmt::format("{:.3f}", uniform(row, 9)); })
                .value(),
            0.02);
}

TEST(LabelSample, PassesOverRowsWithoutALabel) {
  for (const std::string missing : {"", "NA", "?"}) {
    const auto label = [&](std::size_t row) { return row % 3 == 0 ? missing : coin(row); };
    const auto field = [](std::size_t row) { return row % 3 == 0 ? "none" : coin(row); };
    const auto constant = [](std::size_t row) { return row % 3 == 0 ? "none" : "some"; };
    EXPECT_GT(explained(20'000, label, field).value(), 0.99) << missing;
    EXPECT_LT(explained(20'000, label, constant).value(), 0.01) << missing;
  }
}

TEST(LabelSample, SaysNothingOfTooFewRows) {
  EXPECT_EQ(explained(60, coin, coin), std::nullopt);
  const auto rare = [](std::size_t row) { return row % 10'000 == 1 ? "1" : "0"; };
  EXPECT_EQ(explained(100'000, rare, rare), std::nullopt) << "ten rows of the rarer label judge";
  EXPECT_EQ(explained(
                1000, [](std::size_t) { return "0"; }, coin),
            std::nullopt);
  EXPECT_EQ(explained(0, coin, coin), std::nullopt);
}

class InspectedLeaks : public InspectTest {};

TEST_F(InspectedLeaks, AreNamed) {
  std::string text = "site\tlate\trefund\n";
  for (std::size_t row = 0; row < 2000; ++row) {
    const bool is_late = uniform(row) < 0.2;
    text += fmt::format("s{}\t{}\t{}\n", row % 40, is_late ? 1 : 0,
                        is_late ? fmt::format("{:.2f}", uniform(row, 7)) : "0");
  }
  const InspectReport found = run({text}, "late");
  EXPECT_THAT(found.notes, Contains(HasSubstr("'refund' (9")));
  EXPECT_THAT(found.notes, Not(Contains(HasSubstr("'site' ("))));
  EXPECT_GT(found.fields[2].label_explained.value(), 0.9);
  EXPECT_LT(found.fields[0].label_explained.value(), 0.05);
  EXPECT_EQ(found.fields[1].label_explained, std::nullopt);
  expect_usable(found);
  EXPECT_EQ(run({text}).fields[2].label_explained, std::nullopt) << "without a label";
}

}  // namespace
}  // namespace widehash::test
