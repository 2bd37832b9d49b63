#include "strategy_kit.hpp"

#include <fmt/format.h>

namespace widehash::test {
namespace {

template <class Real>
class ModelParallel : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(ModelParallel, Reals);

const ParallelSettings model{ParallelMode::model};

TYPED_TEST(ModelParallel, EqualsOneDevice) {
  for (const OptimizerKind kind : every_optimizer) {
    for (const std::vector<std::uint32_t>& hidden : {std::vector<std::uint32_t>{}, {5, 3}}) {
      const Course course = make_course(kind, hidden, 23, 2, 4, 10);
      const auto expected = train_course<TypeParam>(course, model, 1);
      for (const std::size_t devices : {2, 3, 4}) {
        expect_equal(
            train_course<TypeParam>(course, model, devices), expected,
            fmt::format("{}, {} hidden layers, {} devices", to_string(kind), hidden.size(), devices));
      }
    }
  }
}

TYPED_TEST(ModelParallel, UpdatingTouchedColumnsOnlyChangesNoBit) {
  // Steps of 2 rows set few of the columns, so that devices list them; in steps of 23 they do not.
  Course course = make_course(OptimizerKind::adagrad, {4}, 2, 0, 6, 3);
  course.optimizer.l2 = 0;
  const auto expected = train_course<TypeParam>(course, model, 1);
  expect_equal(train_course<TypeParam>(course, model, 2), expected, "2 rows");
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

TEST(ParameterBytes, AModelIsDividedAmongItsDevices) {
  Architecture architecture;
  architecture.num_columns = 1'000'000;
  architecture.hidden = {16};
  const auto bytes = [&](ParallelMode mode, int devices) {
    return parameter_bytes({mode}, architecture, OptimizerKind::adam, devices, 4);
  };
  const std::uint64_t one = bytes(ParallelMode::model, 1);
  EXPECT_EQ(one, 4u * 4 * (16'000'000 + 16 + 16 + 1));
  EXPECT_LT(bytes(ParallelMode::model, 4), one / 4 + 10'000);
  EXPECT_EQ(bytes(ParallelMode::tower, 4), one);
  EXPECT_LT(bytes(ParallelMode::data, 4), one);
  EXPECT_GT(bytes(ParallelMode::data, 4), one / 2);
}

}  // namespace
}  // namespace widehash::test
