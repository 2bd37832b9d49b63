// Compares the strategies on virtual devices of one GPU, and on two GPUs, with one processor.

#include "cuda/device_buffer.hpp"
#include "cuda_test.hpp"
#include "parallel/strategy_kit.hpp"

#include <string>
#include <vector>

#include <fmt/format.h>

namespace widehash::test {
namespace {

const Device gpu{DeviceKind::cuda, 0};
const Device second_gpu{DeviceKind::cuda, 1};

const ParallelSettings data{ParallelMode::data};
const ParallelSettings model{ParallelMode::model};
const ParallelSettings gradients{ParallelMode::tower, Mix::gradients};
const ParallelSettings parameters{ParallelMode::tower, Mix::parameters, 2};
const ParallelSettings predictions{ParallelMode::tower, Mix::predictions};

Outcome<float> on_gpu(const Course& course, const ParallelSettings& settings, std::size_t devices) {
  return train_course<float>(course, settings, devices, 0, {}, gpu);
}

/// Allows for what differs between the two kinds of devices: exponentials and the order of sums.
void expect_close(const Outcome<float>& actual, const Outcome<float>& expected, const std::string& what) {
  EXPECT_LE(distance(expected.model.network.parameters(), actual.model.network.parameters()), 5e-5) << what;
  for (std::size_t s = 0; s < expected.model.optimizer.states().size(); ++s)
    EXPECT_LE(distance(expected.model.optimizer.states()[s], actual.model.optimizer.states()[s]), 5e-5)
        << what << ", state " << s;
  EXPECT_EQ(actual.model.optimizer.step(), expected.model.optimizer.step()) << what;
  EXPECT_NEAR(actual.loss, expected.loss, 1e-4 * std::abs(expected.loss)) << what;
  EXPECT_NEAR(actual.weight, expected.weight, 1e-9 * expected.weight) << what;
}

class StrategiesOnDevice : public cuda::CudaTest {};

TEST_F(StrategiesOnDevice, DataParallelismEqualsOneProcessorOnTheWholeBatch) {
  for (const OptimizerKind kind : optimizer_kinds) {
    for (const std::vector<std::uint32_t>& hidden : {std::vector<std::uint32_t>{}, {4, 3}}) {
      // The last step has 2 rows, so that 3 and 4 devices have empty slices.
      const Course course = make_course(kind, hidden, 23, 2, 2, 3);
      const auto expected = train_course<float>(course, data, 1);
      for (const std::size_t devices : {1, 2, 4})
        expect_close(
            on_gpu(course, data, devices), expected,
            fmt::format("{}, {} hidden layers, {} devices", to_string(kind), hidden.size(), devices));
    }
  }
}

TEST_F(StrategiesOnDevice, ModelParallelismEqualsOneProcessor) {
  for (const OptimizerKind kind : {OptimizerKind::ftrl, OptimizerKind::adam}) {
    for (const std::vector<std::uint32_t>& hidden : {std::vector<std::uint32_t>{}, {4, 3}}) {
      const Course course = make_course(kind, hidden, 23, 1, 2, 3);
      const auto expected = train_course<float>(course, model, 1);
      for (const std::size_t devices : {2, 3})
        expect_close(on_gpu(course, model, devices), expected, fmt::format("{} devices", devices));
    }
  }
}

TEST_F(StrategiesOnDevice, TowersDoAsThoseOnProcessors) {
  for (const ParallelSettings& settings : {gradients, parameters, predictions}) {
    for (const OptimizerKind kind : {OptimizerKind::ftrl, OptimizerKind::adagrad}) {
      Course course = make_course(kind, {4}, 21, 9, 3, 2);
      expect_close(on_gpu(course, settings, 3), train_course<float>(course, settings, 3), to_string(kind));
    }
  }
}

TEST_F(StrategiesOnDevice, EveryWayIsTheSameBitForBitEveryTime) {
  Course course = make_course(OptimizerKind::adam, {4}, 30, 5, 2, 2);
  for (const ParallelSettings& settings : {data, model, gradients, parameters, predictions}) {
    const std::string first = on_gpu(course, settings, 3).file_bytes;
    EXPECT_EQ(on_gpu(course, settings, 3).file_bytes == first, true) << to_string(settings.mode);
  }
}

TEST_F(StrategiesOnDevice, ATrainingGoesOnOnTheOtherKindOfDevice) {
  const TempFolder folder;
  const Course whole = make_course(OptimizerKind::adagrad, {4}, 24, 5, 2, 4);
  Course half = whole;
  half.epochs = 2;
  const auto expected = train_course<float>(whole, data, 1);
  write_text_file(folder.file("gpu"), on_gpu(half, data, 2).file_bytes);
  expect_close(train_course<float>(whole, model, 2, 2, folder.file("gpu")), expected, "first on the GPU");
  write_text_file(folder.file("cpu"), train_course<float>(half, data, 3).file_bytes);
  expect_close(train_course<float>(whole, model, 2, 2, folder.file("cpu"), gpu), expected,
               "first on the processor");
}

bool has_two_gpus() {
  int count = 0;
  EXPECT_EQ(cudaGetDeviceCount(&count), cudaSuccess);
  return count >= 2;
}

TEST_F(StrategiesOnDevice, GpusApartGiveTheBitsOfVirtualDevices) {
  if (!has_two_gpus()) GTEST_SKIP() << "one CUDA device only";
  for (const std::vector<std::uint32_t>& hidden : {std::vector<std::uint32_t>{}, {4}}) {
    for (const ParallelSettings& settings : {data, model, gradients, parameters, predictions}) {
      // More steps than the host can be ahead, and a last step whose second slice is empty.
      Course course = make_course(OptimizerKind::adagrad, hidden, 30, 1, 6, 2);
      const auto apart = train_course_on<float>({gpu, second_gpu}, course, settings);
      EXPECT_EQ(apart.file_bytes == on_gpu(course, settings, 2).file_bytes, true) << to_string(settings.mode);
      EXPECT_EQ(apart.loss, on_gpu(course, settings, 2).loss);
    }
  }
}

/// What each rank reports for a course that ends with an error.
std::vector<std::string> errors_of(const Course& course, const ParallelSettings& settings,
                                   const std::vector<Device>& devices) {
  std::vector<std::string> errors(devices.size());
  DeviceTeam team(devices, {.threads = devices.size()});
  const auto train = [&](Communicator& communicator) {
    const auto strategy =
        make_strategy<float>(settings, communicator, {course.architecture, course.optimizer, nullptr, {}});
    try {
      for (std::size_t i = 0; i < course.steps.size(); ++i) {
        const CodeBatchView rows = course.steps[i].view();
        const RowSlice slice = strategy->rows_of_step(rows.num_rows);
        strategy->step(rows.rows(slice.begin, slice.count),
                       {rows.num_rows, i, false, fmt::format("step {}", i + 1)});
      }
      while (strategy->settle()) {
      }
    } catch (const DataError& error) {
      errors[static_cast<std::size_t>(communicator.rank())] = error.what();
      throw;
    }
  };
  EXPECT_THROW(team.run(train), DataError);
  return errors;
}

TEST_F(StrategiesOnDevice, AllRefuseTheStepThatOneRefusesAndForItsReason) {
  std::vector<std::vector<Device>> teams{{gpu, gpu}};
  if (has_two_gpus()) teams.push_back({gpu, second_gpu});
  for (const std::vector<Device>& devices : teams) {
    for (const ParallelSettings& settings : {data, gradients}) {
      Course course = make_course(OptimizerKind::adagrad, {}, 24, 0, 6, 1);
      course.architecture.loss = LossKind::mse;
      // Only the last rank's rows: their gradient is too steep for a float, although the loss is a double.
      course.steps[2].targets.back() = 3e38f;
      course.steps[2].weights.back() = 3e38f;
      for (float& target : course.steps[4].targets) target = 3e38f;
      for (const std::string& error : errors_of(course, settings, devices))
        EXPECT_NE(error.find("step 3: the gradient is not finite"), std::string::npos) << error;
    }
  }
}

TEST_F(StrategiesOnDevice, GpusApartExchangeThroughTheHost) {
  if (!has_two_gpus()) GTEST_SKIP() << "one CUDA device only";
  const std::vector<std::vector<float>> values{{1, 2, 3, 4, 5}, {10, 20, 30, 40, 50}};
  DeviceTeam team({gpu, second_gpu});
  team.run([&](Communicator& communicator) {
    const cuda::DeviceContext context(communicator.device().index);
    const auto own = cuda::make_device_copy<float>(
        context, values[static_cast<std::size_t>(communicator.rank())], "values");
    communicator.all_reduce(DeviceSpan<float>{own.data(), own.size(), &context});
    std::vector<float> sums(5);
    cuda::copy_to_host<float>(own.data(), sums, context.stream());
    context.stream().synchronize();
    EXPECT_EQ(sums, (std::vector<float>{11, 22, 33, 44, 55}));
  });
}

}  // namespace
}  // namespace widehash::test
