#include "strategy_kit.hpp"

#include <fmt/format.h>

namespace widehash::test {
namespace {

template <class Real>
class DataParallel : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(DataParallel, Reals);

const ParallelSettings data{ParallelMode::data};

TYPED_TEST(DataParallel, EqualsOneDeviceOnTheWholeBatch) {
  for (const OptimizerKind kind : optimizer_kinds) {
    for (const std::vector<std::uint32_t>& hidden : {std::vector<std::uint32_t>{}, {5, 3}}) {
      // 50 steps: ten epochs of four steps of 23 rows and one of 2 rows, of which 3 and 4 devices have empty slices.
      const Course course = make_course(kind, hidden, 23, 2, 4, 10);
      const auto expected = train_course<TypeParam>(course, data, 1);
      for (const std::size_t devices : {2, 3, 4}) {
        expect_equal(
            train_course<TypeParam>(course, data, devices), expected,
            fmt::format("{}, {} hidden layers, {} devices", to_string(kind), hidden.size(), devices));
      }
    }
  }
}

TYPED_TEST(DataParallel, EqualsOneDeviceWhereSlicesAreTakenAFewRowsAtATime) {
  // Each of two devices takes 4096 rows and then 404 more; each of three takes fewer than 4096.
  const Course course = make_course(OptimizerKind::adagrad, {5}, 9000, 2, 2, 2);
  const auto expected = train_course<TypeParam>(course, data, 1);
  for (const std::size_t devices : {2, 3})
    expect_equal(train_course<TypeParam>(course, data, devices), expected,
                 fmt::format("{} devices", devices));
}

TYPED_TEST(DataParallel, IsTheSameBitForBitEveryTime) {
  const Course course = make_course(OptimizerKind::adam, {4}, 31, 1, 4, 4);
  const std::string first = train_course<TypeParam>(course, data, 3).file_bytes;
  for (int i = 0; i < 3; ++i) EXPECT_EQ(train_course<TypeParam>(course, data, 3).file_bytes == first, true);
}

TYPED_TEST(DataParallel, MoreDevicesThanRowsAndColumnsAreIdle) {
  Course course = make_course(OptimizerKind::adagrad, {}, 1, 0, 3, 2);
  const auto expected = train_course<TypeParam>(course, data, 1);
  expect_equal(train_course<TypeParam>(course, data, 7), expected, "7 devices, 1 row");
}

TYPED_TEST(DataParallel, AStepWithoutWeightMovesNothing) {
  Course course = make_course(OptimizerKind::adam, {3}, 6, 0, 2, 1);
  const auto expected = train_course<TypeParam>(course, data, 2);
  course.steps.insert(course.steps.begin() + 1, course.steps.front());
  std::fill(course.steps[1].weights.begin(), course.steps[1].weights.end(), 0.0f);
  EXPECT_EQ(train_course<TypeParam>(course, data, 2).file_bytes == expected.file_bytes, true);
}

TEST(Strategies, PredictionsOfAnotherSizeAreRefused) {
  const Course course = make_course(OptimizerKind::adagrad, {3}, 100, 0, 1, 1);
  for (const ParallelSettings& settings :
       {data, ParallelSettings{ParallelMode::model}, ParallelSettings{ParallelMode::tower, Mix::parameters},
        ParallelSettings{ParallelMode::tower, Mix::predictions}}) {
    for (const std::size_t devices : {1, 2, 3}) {
      for (const std::size_t room : {3, 99, 101}) {
        DeviceTeam team(std::vector<Device>(devices), {.threads = devices});
        EXPECT_THROW(team.run([&](Communicator& communicator) {
          const auto strategy = make_strategy<float>(
              settings, communicator, {course.architecture, course.optimizer, nullptr, course.borders});
          std::vector<float> predictions(room);
          strategy->predict(course.steps[0].view(), predictions);
        }),
                     ShapeError)
            << to_string(settings.mode) << ", " << devices << " devices, room for " << room;
      }
    }
  }
}

TYPED_TEST(DataParallel, ALossThatIsNotFiniteNamesTheStepAndEndsAll) {
  Course course = make_course(OptimizerKind::sgd, {}, 9, 0, 2, 1);
  course.steps[1].numbers[0] = 3e38f;
  course.architecture.loss = LossKind::mse;
  course.optimizer.learning_rate = 1e30;
  for (const std::size_t devices : {1, 2, 3}) {
    try {
      train_course<float>(course, data, devices);
      ADD_FAILURE() << "nothing was thrown";
    } catch (const DataError& error) {
      EXPECT_NE(std::string(error.what()).find("a step"), std::string::npos) << error.what();
    }
  }
}

TEST(StepWeight, IsTheOneThatWasFoundAhead) {
  const ParallelSettings parameters{ParallelMode::tower, Mix::parameters, 2};
  for (const ParallelSettings& settings :
       {data, ParallelSettings{ParallelMode::model}, ParallelSettings{ParallelMode::tower}, parameters}) {
    for (const std::size_t devices : {1, 2}) {
      const Course course = make_course(OptimizerKind::sgd, {}, 20, 0, 1, 1);
      std::array<double, 2> weights{};
      DeviceTeam team(std::vector<Device>(devices), {.threads = devices});
      team.run([&](Communicator& communicator) {
        const auto strategy = make_strategy<double>(settings, communicator,
                                                    {course.architecture, course.optimizer, nullptr, {}});
        const CodeBatchView rows = course.steps.front().view();
        const RowSlice slice = strategy->rows_of_step(rows.num_rows);
        PreparedRows found(5000);  // no sum of these rows is that
        const LossSum sum =
            strategy->step(rows.rows(slice.begin, slice.count), {rows.num_rows, 0, true, "a step", &found});
        weights[static_cast<std::size_t>(communicator.rank())] = sum.weight;
      });
      // In model parallelism, one rank answers for all.
      const bool all_answer = devices == 2 && settings.mode != ParallelMode::model;
      EXPECT_EQ(weights, (std::array<double, 2>{5000, all_answer ? 5000.0 : 0.0}))
          << to_string(settings.mode);
    }
  }
}

}  // namespace
}  // namespace widehash::test
