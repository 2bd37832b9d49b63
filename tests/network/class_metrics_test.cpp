#include <widehash/class_metrics.hpp>
#include <widehash/error.hpp>
#include <widehash/metrics.hpp>
#include <widehash/threads.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace widehash {
namespace {

using Floats = std::vector<float>;

/// Scores of a model of classes, with the targets. There are few different scores, so that many are equal.
struct ClassRows {
  std::uint32_t num_classes = 2;
  Floats scores;
  Floats targets;
  Floats weights;  // some are 0

  std::span<const float> scores_of(std::size_t row) const {
    return std::span(scores).subspan(row * num_classes, num_classes);
  }
};

/// If there are more than two classes, no row is of class 1, and class 0 is never predicted.
ClassRows random_class_rows(std::size_t num_rows, std::uint32_t num_classes, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  ClassRows rows{.num_classes = num_classes, .scores = {}, .targets = {}, .weights = {}};
  for (std::size_t row = 0; row < num_rows; ++row) {
    for (std::uint32_t k = 0; k < num_classes; ++k)
      rows.scores.push_back(static_cast<float>(1 + random() % 8) / 8);
    const auto target = static_cast<std::uint32_t>(random() % num_classes);
    rows.targets.push_back(num_classes > 2 && target == 1 ? 2.0f : static_cast<float>(target));
    if (num_classes > 2) rows.scores[row * num_classes] = 0;
    rows.weights.push_back(static_cast<float>(random() % 1000) / 777);
  }
  return rows;
}

MetricsReport report_of(const ClassRows& rows, std::size_t threads, const std::vector<std::size_t>& batches,
                        std::uint32_t confusion_classes = 1000) {
  MetricsSettings settings;
  settings.task = MetricTask::classes;
  settings.outputs = rows.num_classes;
  settings.confusion_classes = confusion_classes;
  Metrics metrics(settings);
  with_threads(threads, [&] {
    std::size_t begin = 0;
    for (const std::size_t count : batches) {
      metrics.add(std::span(rows.scores).subspan(begin * rows.num_classes, count * rows.num_classes),
                  std::span(rows.targets).subspan(begin, count),
                  std::span(rows.weights).subspan(begin, count));
      begin += count;
    }
  });
  return metrics.report();
}

/// Weight of the rows with that target for which that class is predicted, by definition, row by row.
double weight_of(const ClassRows& rows, std::uint32_t target, std::uint32_t predicted) {
  double sum = 0;
  for (std::size_t row = 0; row < rows.targets.size(); ++row) {
    const auto scores = rows.scores_of(row);
    std::uint32_t best = 0;
    for (std::uint32_t k = 1; k < rows.num_classes; ++k) {
      if (scores[k] > scores[best]) best = k;
    }
    if (static_cast<std::uint32_t>(rows.targets[row]) == target && best == predicted)
      sum += double{rows.weights[row]};
  }
  return sum;
}

TEST(ClassMetrics, AreThoseOfThePlainDefinition) {
  for (const std::uint32_t num_classes : {2, 3, 12}) {
    const ClassRows rows = random_class_rows(9000, num_classes, num_classes);
    const MetricsReport report = report_of(rows, 2, {9000});
    ASSERT_EQ(report.classes.size(), num_classes);
    ASSERT_EQ(report.confusion.size(), std::size_t{num_classes} * num_classes);
    MacroAverages sums{0, 0, 0};
    int occurring = 0;
    double correct = 0;
    for (std::uint32_t k = 0; k < num_classes; ++k) {
      double support = 0;
      double predicted = 0;
      for (std::uint32_t other = 0; other < num_classes; ++other) {
        support += weight_of(rows, k, other);
        predicted += weight_of(rows, other, k);
        EXPECT_EQ(report.confusion[std::size_t{k} * num_classes + other], weight_of(rows, k, other));
      }
      const ClassMetrics& found = report.classes[k];
      EXPECT_NEAR(found.support, support, 1e-8);
      EXPECT_NEAR(found.predicted, predicted, 1e-8);
      EXPECT_EQ(found.correct, weight_of(rows, k, k));
      correct += found.correct;
      EXPECT_EQ(found.precision().has_value(), predicted > 0);
      EXPECT_EQ(found.recall().has_value(), support > 0);
      EXPECT_EQ(found.f1().has_value(), support + predicted > 0);
      const double precision = predicted > 0 ? found.correct / predicted : 0;
      const double recall = support > 0 ? found.correct / support : 0;
      const double f1 = precision + recall > 0 ? 2 * precision * recall / (precision + recall) : 0;
      EXPECT_NEAR(found.precision().value_or(0), precision, 1e-12);
      EXPECT_NEAR(found.recall().value_or(0), recall, 1e-12);
      EXPECT_NEAR(found.f1().value_or(0), f1, 1e-12);
      if (support + predicted == 0) continue;
      ++occurring;
      *sums.precision += precision;
      *sums.recall += recall;
      *sums.f1 += f1;
    }
    EXPECT_NEAR(report.macro.precision.value(), *sums.precision / occurring, 1e-12);
    EXPECT_NEAR(report.macro.recall.value(), *sums.recall / occurring, 1e-12);
    EXPECT_NEAR(report.macro.f1.value(), *sums.f1 / occurring, 1e-12);
    EXPECT_NEAR(report.accuracy.value(), correct / report.weight, 1e-12);
  }
}

/// Everything reported about the classes, as numbers that can be compared bit by bit.
std::vector<double> all_numbers(const MetricsReport& report) {
  std::vector<double> numbers = report.confusion;
  for (const ClassMetrics& one : report.classes)
    numbers.insert(numbers.end(), {one.support, one.predicted, one.correct});
  for (const auto& value : {report.accuracy, report.log_loss, report.constant_log_loss,
                            report.macro.precision, report.macro.recall, report.macro.f1})
    numbers.push_back(value.value_or(-1));
  return numbers;
}

TEST(ClassMetrics, NeitherBatchesNorThreadsChangeABit) {
  constexpr std::size_t num_rows = 20'000;
  const ClassRows rows = random_class_rows(num_rows, 7, 5);
  const std::vector<double> whole = all_numbers(report_of(rows, 1, {num_rows}));
  std::mt19937_64 random(3);
  for (int round = 0; round < 20; ++round) {
    std::vector<std::size_t> batches;
    for (std::size_t left = num_rows; left > 0; left -= batches.back())
      batches.push_back(std::min<std::size_t>(left, random() % (round < 10 ? 300 : 9000)));
    const auto threads = static_cast<std::size_t>(1 + round % 5);
    EXPECT_EQ(all_numbers(report_of(rows, threads, batches)), whole) << "round " << round;
  }
}

TEST(ClassMetrics, BeyondTheClassesAskedForThereIsNoMatrixButAllElse) {
  const ClassRows rows = random_class_rows(3000, 9, 2);
  const MetricsReport with = report_of(rows, 1, {3000}, 9);
  MetricsReport without = report_of(rows, 1, {3000}, 8);
  EXPECT_EQ(with.confusion.size(), 81u);
  EXPECT_TRUE(without.confusion.empty());
  without.confusion = with.confusion;
  EXPECT_EQ(all_numbers(with), all_numbers(without));
}

TEST(ClassMetrics, OfRowsWithoutWeightAreThoseOfNoRows) {
  Metrics metrics({MetricTask::classes, 3});
  EXPECT_TRUE(metrics.report().classes.empty());
  metrics.add(Floats{1, 0, 0}, Floats{2}, Floats{0});
  EXPECT_TRUE(metrics.report().classes.empty());
  EXPECT_FALSE(metrics.report().macro.f1.has_value());
  metrics.add(Floats{0, 1, 0}, Floats{1}, Floats{2});
  const MetricsReport report = metrics.report();
  EXPECT_FALSE(report.classes[0].occurs());
  EXPECT_FALSE(report.classes[2].occurs());
  EXPECT_EQ(report.macro.f1, 1.0);
}

TEST(ClassMetrics, OneThatIsFoundAlwaysAndAloneIsPerfectWhateverTheWeights) {
  Metrics metrics({MetricTask::classes, 2});
  const Floats weights{0.1f, 0.7f, 3.3f, 1e-3f};
  for (int call = 0; call < 3000; ++call)
    metrics.add(Floats{0, 1, 0, 1, 0, 1, 0, 1}, Floats{1, 1, 1, 1}, weights);
  const MetricsReport report = metrics.report();
  EXPECT_EQ(report.classes[1].precision(), 1.0);
  EXPECT_EQ(report.classes[1].recall(), 1.0);
  // The share of the only class is exactly 1, so the constant has no loss and models are not compared with it.
  EXPECT_EQ(report.constant_log_loss, 0.0);
}

TEST(ClassMetrics, ARefusedCallAddsNothing) {
  const ClassRows rows = random_class_rows(50, 4, 1);
  Metrics metrics({MetricTask::classes, 4});
  metrics.add(rows.scores, rows.targets, rows.weights);
  const std::vector<double> before = all_numbers(metrics.report());
  Floats scores = rows.scores;
  scores.back() = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW(metrics.add(scores, rows.targets, rows.weights), DataError);
  EXPECT_EQ(all_numbers(metrics.report()), before);
}

TEST(ClassMetrics, HaveTheGivenNames) {
  MetricsSettings settings{.task = MetricTask::classes, .outputs = 2};
  settings.class_names = {"no", "yes"};
  Metrics metrics(settings);
  metrics.add(Floats{0, 1}, Floats{1}, {});
  EXPECT_EQ(metrics.report().classes[1].name, "yes");
  settings.class_names = {"no"};
  EXPECT_THROW(Metrics{settings}, ConfigError);
  settings = {};
  settings.class_names = {"no"};
  EXPECT_THROW(Metrics{settings}, ConfigError);
}

TEST(ClassMetrics, OtherTasksHaveNone) {
  Metrics metrics({});
  metrics.add(Floats{0.3f}, Floats{1}, {});
  const MetricsReport report = metrics.report();
  EXPECT_TRUE(report.classes.empty());
  EXPECT_TRUE(report.confusion.empty());
  EXPECT_FALSE(report.macro.f1.has_value());
}

}  // namespace
}  // namespace widehash
