#include "strategy_kit.hpp"

#include <widehash/error.hpp>

#include <fmt/format.h>

namespace widehash::test {
namespace {

template <class Real>
class Tower : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(Tower, Reals);

const ParallelSettings gradients{ParallelMode::tower, Mix::gradients};
const ParallelSettings parameters{ParallelMode::tower, Mix::parameters, 1};
const ParallelSettings predictions{ParallelMode::tower, Mix::predictions};

/// Steps of `devices` batches of 7 rows, and a last step with one row for each of two towers and none for the others.
Course tower_course(OptimizerKind kind, std::vector<std::uint32_t> hidden, std::size_t devices,
                    std::uint64_t epochs = 10) {
  return make_course(kind, std::move(hidden), 7 * devices, 2, 4, epochs);
}

TYPED_TEST(Tower, MixedGradientsEqualOneDeviceOnAllBatchesTogether) {
  for (const OptimizerKind kind : optimizer_kinds) {
    for (const std::vector<std::uint32_t>& hidden : {std::vector<std::uint32_t>{}, {5, 3}}) {
      for (const std::size_t devices : {2, 3, 4}) {
        const Course course = tower_course(kind, hidden, devices);
        const auto expected = train_course<TypeParam>(course, gradients, 1);
        expect_equal(
            train_course<TypeParam>(course, gradients, devices), expected,
            fmt::format("{}, {} hidden layers, {} devices", to_string(kind), hidden.size(), devices));
      }
    }
  }
}

TYPED_TEST(Tower, ParametersMixedAtEveryStepOfSgdEqualMixedGradients) {
  for (const std::vector<std::uint32_t>& hidden : {std::vector<std::uint32_t>{}, {5, 3}}) {
    for (const std::size_t devices : {2, 3, 4}) {
      Course course = tower_course(OptimizerKind::sgd, hidden, devices);
      for (const double mean_weight : {0.0, 1.25}) {
        course.optimizer.mean_weight = mean_weight;
        const auto expected = train_course<TypeParam>(course, gradients, devices);
        expect_equal(
            train_course<TypeParam>(course, parameters, devices), expected,
            fmt::format("{} hidden layers, {} devices, mean weight {}", hidden.size(), devices, mean_weight));
      }
    }
  }
}

TYPED_TEST(Tower, ParametersMixedRarelyAreAnotherTrainingThatLearnsToo) {
  for (const OptimizerKind kind : optimizer_kinds) {
    const Course course = tower_course(kind, {5}, 3);
    const auto every = train_course<TypeParam>(course, parameters, 3);
    const auto rarely = train_course<TypeParam>(course, {ParallelMode::tower, Mix::parameters, 3}, 3);
    EXPECT_GT(distance(every.model.network.parameters(), rarely.model.network.parameters()), 1e-4);
    EXPECT_LT(rarely.loss / rarely.weight, 0.69) << to_string(kind);
    EXPECT_NEAR(rarely.weight, every.weight, 1e-9 * every.weight);
    // A tower whose last batch is empty makes no step of its own, but after the mean all towers have made the
    // same number.
    EXPECT_EQ(rarely.model.optimizer.step(), 50u);
  }
}

TYPED_TEST(Tower, TheMeanOfFtrlIsTheWeightOfItsState) {
  const Course course = tower_course(OptimizerKind::ftrl, {4}, 3);
  const auto outcome = train_course<TypeParam>(course, parameters, 3);
  const auto& optimizer = outcome.model.optimizer;
  const double a = optimizer.settings().learning_rate;
  const auto weights = outcome.model.network.parameters().first_weights;
  const auto z = optimizer.states()[0].first_weights;
  const auto n = optimizer.states()[1].first_weights;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double l1 = optimizer.settings().l1;
    const double slope =
        (optimizer.settings().beta + std::sqrt(static_cast<double>(n[i]))) / a + optimizer.settings().l2;
    const double zi = z[i];
    const double expected = std::abs(zi) <= l1 ? 0 : -(zi - std::copysign(l1, zi)) / slope;
    EXPECT_NEAR(weights[i], expected, 1e-5 * std::max(1.0, std::abs(expected)));
  }
}

TYPED_TEST(Tower, IndependentTowersPredictTheirMean) {
  const Course course = tower_course(OptimizerKind::adam, {4}, 3);
  const auto outcome = train_course<TypeParam>(course, predictions, 3);
  ASSERT_EQ(outcome.model.other_towers.size(), 2u);
  const CodeBatchView rows = course.steps[0].view();
  Workspace<TypeParam> work;
  std::vector<TypeParam> mean(rows.num_rows);
  outcome.model.predict(rows, work, mean);
  std::vector<double> sum(rows.num_rows);
  std::vector<TypeParam> own(rows.num_rows);
  const auto add = [&](const Network<TypeParam>& tower) {
    tower.predict(rows, work, own);
    for (std::size_t i = 0; i < own.size(); ++i) sum[i] += own[i];
  };
  add(outcome.model.network);
  for (const auto& tower : outcome.model.other_towers) add(tower);
  for (std::size_t i = 0; i < sum.size(); ++i) EXPECT_NEAR(mean[i], sum[i] / 3, 1e-6);
  EXPECT_GT(distance(outcome.model.network.parameters(), outcome.model.other_towers[0].parameters()), 0.01);
}

TYPED_TEST(Tower, TheFirstOfIndependentTowersIsOneDeviceOnItsBatches) {
  Course course = tower_course(OptimizerKind::adam, {4}, 2);
  const auto towers = train_course<TypeParam>(course, predictions, 2);
  for (CodeBatch& step : course.steps) step.truncate(step.num_rows() / 2);
  const auto alone = train_course<TypeParam>(course, gradients, 1);
  EXPECT_EQ(distance(alone.model.network.parameters(), towers.model.network.parameters()), 0);
}

TYPED_TEST(Tower, EachTakesAnEvenShareOfEveryStep) {
  const Course course = tower_course(OptimizerKind::sgd, {}, 3);
  for (const ParallelSettings& settings : {gradients, parameters, predictions}) {
    DeviceTeam team(std::vector<Device>(3));
    team.run([&](Communicator& communicator) {
      const auto strategy =
          make_strategy<TypeParam>(settings, communicator, {course.architecture, course.optimizer, nullptr});
      for (const std::uint64_t rows : {0, 1, 2, 3, 20, 21}) {
        const RowSlice slice = strategy->rows_of_step(rows);
        const auto offsets = even_offsets(rows, 3);
        const auto rank = static_cast<std::size_t>(communicator.rank());
        EXPECT_EQ(slice.begin, offsets[rank]);
        EXPECT_EQ(slice.begin + slice.count, offsets[rank + 1]);
      }
    });
  }
}

TYPED_TEST(Tower, EveryMixIsTheSameBitForBitEveryTime) {
  const Course course = tower_course(OptimizerKind::adam, {4}, 4, 4);
  for (const ParallelSettings& settings :
       {gradients, ParallelSettings{ParallelMode::tower, Mix::parameters, 3}, predictions}) {
    const std::string first = train_course<TypeParam>(course, settings, 4).file_bytes;
    for (int i = 0; i < 3; ++i)
      EXPECT_EQ(train_course<TypeParam>(course, settings, 4).file_bytes == first, true);
  }
}

}  // namespace
}  // namespace widehash::test
