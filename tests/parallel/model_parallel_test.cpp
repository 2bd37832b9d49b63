#include "strategy_kit.hpp"

#include <widehash/first_layer.hpp>

#include <fmt/format.h>

namespace widehash::test {
namespace {

template <class Real>
class ModelParallel : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(ModelParallel, Reals);

const ParallelSettings model{ParallelMode::model};

TYPED_TEST(ModelParallel, EqualsOneDevice) {
  for (const OptimizerKind kind : optimizer_kinds) {
    for (const std::vector<std::uint32_t>& hidden : {std::vector<std::uint32_t>{}, {5, 3}}) {
      const Course course = make_course(kind, hidden, 23, 2, 4, 10);
      const auto expected = train_course<TypeParam>(course, model, 1);
      Course at_borders = course;
      at_borders.borders = slot_borders(*mixed_layout());
      for (const std::size_t devices : {2, 3, 4}) {
        const auto what =
            fmt::format("{}, {} hidden layers, {} devices", to_string(kind), hidden.size(), devices);
        expect_equal(train_course<TypeParam>(course, model, devices), expected, what);
        expect_equal(train_course<TypeParam>(at_borders, model, devices), expected, what + ", at borders");
      }
    }
  }
}

TYPED_TEST(ModelParallel, UpdatingTouchedColumnsOnlyChangesNoBit) {
  // Steps of 2 rows set few of the columns, so devices list these; in steps of 23 rows they do not.
  Course course = make_course(OptimizerKind::adagrad, {4}, 2, 0, 6, 3);
  course.optimizer.l2 = 0;
  const auto expected = train_course<TypeParam>(course, model, 1);
  expect_equal(train_course<TypeParam>(course, model, 2), expected, "2 rows");
}

TYPED_TEST(ModelParallel, EqualsOneDeviceWhereSumsAreExchangedAFewRowsAtATime) {
  // Each step takes three exchanges, of 4096, 4096 and 808 rows; the last one takes one, of 2 rows.
  const Course course = make_course(OptimizerKind::adagrad, {5}, 9000, 2, 2, 2);
  const auto expected = train_course<TypeParam>(course, model, 1);
  for (const std::size_t devices : {2, 3})
    expect_equal(train_course<TypeParam>(course, model, devices), expected,
                 fmt::format("{} devices", devices));
}

TYPED_TEST(ModelParallel, IsTheSameBitForBitEveryTime) {
  const Course course = make_course(OptimizerKind::ftrl, {4}, 31, 1, 4, 4);
  const std::string first = train_course<TypeParam>(course, model, 3).file_bytes;
  for (int i = 0; i < 3; ++i) EXPECT_EQ(train_course<TypeParam>(course, model, 3).file_bytes == first, true);
}

TYPED_TEST(ModelParallel, MoreDevicesThanColumnsHoldNothing) {
  Course course;
  const auto layout = plain_layout(1, 4);  // 4 x 8 columns
  course.architecture.num_columns = layout->num_columns;
  course.optimizer = default_settings(OptimizerKind::adam);
  course.steps.push_back(random_batch(layout, 9, 1));
  course.epochs = 5;
  expect_equal(train_course<TypeParam>(course, model, 40), train_course<TypeParam>(course, model, 1),
               "40 devices");
}

TEST(ModelParallelRanges, BeginAtABorderWhereOneIsNear) {
  const auto layout = plain_layout(10, 50);  // 40 slots of 8 columns
  Architecture architecture;
  architecture.num_columns = layout->num_columns;
  const auto begins = [&](std::size_t devices, const std::vector<std::uint64_t>& borders) {
    DeviceTeam team(std::vector<Device>(devices), {.threads = devices});
    std::vector<std::uint64_t> found(devices + 1, layout->num_columns);
    team.run([&](Communicator& communicator) {
      const auto strategy = make_strategy<float>(model, communicator, {architecture, {}, nullptr, borders});
      found[static_cast<std::size_t>(communicator.rank())] = strategy->parts()[0]->shape().columns.begin;
    });
    return found;
  };
  EXPECT_EQ(begins(3, {}), (std::vector<std::uint64_t>{0, 107, 214, 320}));
  EXPECT_EQ(begins(3, slot_borders(*layout)), (std::vector<std::uint64_t>{0, 104, 216, 320}));
  EXPECT_EQ(begins(2, slot_borders(*layout)), (std::vector<std::uint64_t>{0, 160, 320}));
  // The nearest borders are farther than a sixteenth of a share, so equal memory takes precedence.
  EXPECT_EQ(begins(3, {0, 100, 220, 320}), (std::vector<std::uint64_t>{0, 107, 220, 320}));
}

TEST(ParameterBytes, AModelIsDividedAmongItsDevices) {
  Architecture architecture;
  architecture.num_columns = 1'000'000;
  architecture.hidden = {16};
  const auto bytes = [&](ParallelMode mode, int devices) {
    return parameter_bytes({mode}, architecture, OptimizerKind::adam, devices, 4);
  };
  const std::uint64_t one = bytes(ParallelMode::model, 1);
  EXPECT_EQ(one, 4u * 4 * (16'000'000 + 16 + 16 + 1));
  // A share and an eighth of it, for ranges that begin at borders.
  EXPECT_LT(bytes(ParallelMode::model, 4), one / 32 * 9 + 10'000);
  EXPECT_EQ(bytes(ParallelMode::tower, 4), one);
  EXPECT_LT(bytes(ParallelMode::data, 4), one);
  EXPECT_GT(bytes(ParallelMode::data, 4), one / 2);
}

TEST(ParameterBytes, AGpuTakesMoreForTheGradient) {
  Architecture architecture;
  architecture.num_columns = 1'000'000;
  const auto bytes = [&](const ParallelSettings& settings, int devices) {
    return parameter_bytes(settings, architecture, OptimizerKind::adagrad, devices, 4, DeviceKind::cuda);
  };
  // A parameter, a state and the sum of its gradient. The little that a bias takes is left out.
  const auto per_column = [&](const ParallelSettings& settings, int devices) {
    return bytes(settings, devices) / architecture.num_columns;
  };
  EXPECT_EQ(per_column({}, 1), 4u + 4 + 8);
  EXPECT_EQ(per_column({ParallelMode::model}, 8), (4u + 4 + 8) / 8 * 9 / 8);
  // Adds the gradient that other devices see, and what they send of it. In data parallelism, a device holds
  // only its part of the states.
  EXPECT_EQ(per_column({ParallelMode::data}, 4), 4u + 1 + 8 + 4 + 4);
  EXPECT_EQ(per_column({ParallelMode::tower}, 4), 4u + 4 + 8 + 4 + 4);
  EXPECT_EQ(per_column({ParallelMode::tower, Mix::parameters}, 4), 4u + 4 + 8 + 4);
  EXPECT_EQ(per_column({ParallelMode::tower, Mix::predictions}, 4), 4u + 4 + 8);
}

}  // namespace
}  // namespace widehash::test
