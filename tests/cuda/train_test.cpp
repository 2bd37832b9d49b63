// From a dataset to a model and its predictions, on devices as `--devices` names them.

#include "cuda_test.hpp"
#include "pipeline/training_kit.hpp"

#include <widehash/evaluate.hpp>
#include <widehash/model.hpp>
#include <widehash/predict.hpp>

#include <array>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace widehash::test {
namespace {

/// Training on one device, and on two that share its rows or its columns.
constexpr std::array<std::pair<const char*, ParallelMode>, 3> ways{{{"cuda:0", ParallelMode::data},
                                                                    {"cuda:0,cuda:0", ParallelMode::data},
                                                                    {"cuda:0,cuda:0", ParallelMode::model}}};

class TrainOnDevice : public cuda::CudaTest {
 protected:
  TrainOptions options(const std::string& hidden) {
    TrainOptions made = quick_training(make_dataset(folder_, "train", shop_schema, shop_text(330, 1)), "");
    made.valid = {make_dataset(folder_, "valid", shop_schema, shop_text(100, 2))};
    made.hidden = hidden;
    return made;
  }
  std::vector<float> predicted(const std::string& model, const Device& device) const {
    PredictOptions options;
    options.model = model;
    options.inputs = {folder_.file("valid")};
    options.device = device;
    std::vector<float> all;
    predict(options,
            [&](std::span<const float> values) { all.insert(all.end(), values.begin(), values.end()); });
    return all;
  }
  TempFolder folder_;
};

double worst_difference(const std::vector<float>& a, const std::vector<float>& b) {
  EXPECT_EQ(a.size(), b.size());
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    worst = std::max(worst, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
  return worst;
}

TEST_F(TrainOnDevice, LinearAndHiddenModelsAreThoseOfTheProcessorAndPredictTheSameOnBoth) {
  for (const char* hidden : {"none", "4"}) {
    TrainOptions training = options(hidden);
    training.model = folder_.file("cpu.model");
    const TrainReport on_cpu = train(training);
    training.model = folder_.file("gpu.model");
    training.devices = parse_devices("cuda:0");
    const TrainReport on_gpu = train(training);
    ASSERT_EQ(on_gpu.epochs.size(), on_cpu.epochs.size());
    EXPECT_NEAR(*on_gpu.epochs.back().valid->log_loss, *on_cpu.epochs.back().valid->log_loss, 1e-4);
    EXPECT_EQ(on_gpu.devices.at(0).device, "cuda:0");

    const auto cpu_of_gpu = predicted(folder_.file("gpu.model"), {});
    EXPECT_EQ(cpu_of_gpu.size(), 100u);
    EXPECT_LT(worst_difference(predicted(folder_.file("gpu.model"), {DeviceKind::cuda, 0}), cpu_of_gpu),
              1e-5);
    EXPECT_LT(worst_difference(predicted(folder_.file("cpu.model"), {}), cpu_of_gpu), 1e-4);
    const EvaluateOptions options{
        .model = folder_.file("gpu.model"), .inputs = training.valid, .device = {DeviceKind::cuda, 0}};
    const MetricsReport metrics = evaluate(options).metrics;
    EXPECT_NEAR(*metrics.log_loss, *evaluate(folder_.file("gpu.model"), training.valid).log_loss, 1e-6);
  }
}

TEST_F(TrainOnDevice, VirtualDevicesTrainTheModelOfOne) {
  TrainOptions training = options("4");
  training.model = folder_.file("one.model");
  training.devices = parse_devices("cuda:0");
  train(training);
  const auto expected = predicted(training.model, {});
  for (const ParallelMode mode : {ParallelMode::data, ParallelMode::model}) {
    training.model = folder_.file("two.model");
    training.devices = parse_devices("cuda:0,cuda:0");
    training.parallel.mode = mode;
    train(training);
    EXPECT_LT(worst_difference(predicted(training.model, {}), expected), 1e-5) << to_string(mode);
  }
}

// These weights are in no file: the weights that a device trains with are made when a shard is opened.
TEST_F(TrainOnDevice, ClassesWeighWhatTheyWeighOnTheProcessor) {
  for (const char* hidden : {"none", "4"}) {
    TrainOptions training = options(hidden);
    training.class_weights.of_class = {0.5, 6};
    training.model = folder_.file("cpu.model");
    const TrainReport on_cpu = train(training);
    const auto expected = predicted(training.model, {});
    for (const auto& [devices, mode] : ways) {
      training.devices = parse_devices(devices);
      training.parallel.mode = mode;
      training.model = folder_.file("gpu.model");
      const TrainReport on_gpu = train(training);
      EXPECT_LT(worst_difference(predicted(training.model, {}), expected), 1e-4);
      EXPECT_NEAR(*on_gpu.epochs.back().valid->log_loss, *on_cpu.epochs.back().valid->log_loss, 1e-4);
      EXPECT_NEAR(on_gpu.epochs.back().train_loss, on_cpu.epochs.back().train_loss, 1e-4);
    }
    training.class_weights = {};
    train(training);
    EXPECT_GT(worst_difference(predicted(training.model, {}), expected), 1e-2);
  }
}

// When training continues from a model, the states, the step and the rate are those of the processor, too.
TEST_F(TrainOnDevice, ATrainingFromAModelIsThatOfTheProcessor) {
  for (const OptimizerKind kind : {OptimizerKind::ftrl, OptimizerKind::adagrad, OptimizerKind::adam}) {
    TrainOptions training = options("4");
    training.model = folder_.file("first.model");
    training.optimizer = default_settings(kind);
    train(training);
    training.from = training.model;
    training.datasets = {folder_.file("valid")};
    for (const double rate : {training.optimizer.learning_rate, training.optimizer.learning_rate / 2}) {
      training.optimizer.learning_rate = rate;
      training.devices = {Device{}};
      training.parallel.mode = ParallelMode::data;
      training.model = folder_.file("cpu.model");
      const OptimizerSettings settings = train(training).optimizer;
      const auto expected = predicted(training.model, {});
      training.model = folder_.file("gpu.model");
      for (const auto& [devices, mode] : ways) {
        training.devices = parse_devices(devices);
        training.parallel.mode = mode;
        train(training);
        EXPECT_LT(worst_difference(predicted(training.model, {}), expected), 1e-4) << to_string(kind);
        const ModelHeader header = ModelFile<float>(training.model).header();
        EXPECT_EQ(header.optimizer, settings);
        EXPECT_EQ(header.steps, ModelFile<float>(folder_.file("cpu.model")).header().steps);
      }
    }
  }
}

// Targets of any size: they are converted on their way to the device, and predictions on their way back.
TEST_F(TrainOnDevice, AModelInUnitsOfItsTargetsIsThatOfTheProcessor) {
  std::string text = shop_text(330, 1);
  for (std::size_t at = text.find('\n') + 1; at < text.size(); at = text.find('\n', at) + 1)
    text.replace(at, 1, text[at] == '1' ? "1000512" : "1000000");
  const std::string dataset = make_dataset(folder_, "prices", shop_schema, text);
  for (const char* hidden : {"none", "4"}) {
    TrainOptions training = options(hidden);
    training.loss = LossKind::mse;
    training.datasets = {dataset};
    training.valid = {dataset};
    training.model = folder_.file("cpu.model");
    const TrainReport on_cpu = train(training);
    const auto expected = predicted(training.model, {});
    training.model = folder_.file("gpu.model");
    for (const auto& [devices, mode] : ways) {
      training.devices = parse_devices(devices);
      training.parallel.mode = mode;
      const TrainReport on_gpu = train(training);
      EXPECT_NEAR(on_gpu.epochs.back().train_loss / on_cpu.epochs.back().train_loss, 1, 1e-3) << hidden;
      EXPECT_NEAR(*on_gpu.epochs.back().valid->rmse / *on_cpu.epochs.back().valid->rmse, 1, 1e-3);
      EXPECT_FALSE(on_gpu.epochs.back().valid->is_worse_than_constant()) << hidden;
      EXPECT_EQ(ModelFile<float>(training.model).header().architecture,
                ModelFile<float>(folder_.file("cpu.model")).header().architecture);
      const auto made = predicted(training.model, {});
      EXPECT_LT(worst_difference(made, expected), 0.25) << hidden;
      EXPECT_LT(worst_difference(predicted(training.model, {DeviceKind::cuda, 0}), made), 0.1);
    }
  }
}

TEST_F(TrainOnDevice, TowersOfPredictionsPredictTheirMeanOnTheDevice) {
  TrainOptions training = options("4");
  training.model = folder_.file("towers.model");
  training.batch_size = 32;
  training.devices = parse_devices("cuda:0,cuda:0");
  training.parallel = {ParallelMode::tower, Mix::predictions};
  train(training);
  EXPECT_LT(worst_difference(predicted(training.model, {DeviceKind::cuda, 0}), predicted(training.model, {})),
            1e-5);
}

TEST_F(TrainOnDevice, CheckpointsThatTheDeviceIsWaitedForChangeNothing) {
  TrainOptions training = options("none");
  training.devices = parse_devices("cuda:0");
  training.batch_size = 32;
  std::vector<double> losses;
  std::vector<std::string> models;
  for (const std::uint64_t every : {0, 1, 3}) {
    training.model = folder_.file("every.model");
    training.checkpoint_every = every;
    const TrainReport report = train(training);
    losses.push_back(report.epochs.back().train_loss);
    models.push_back(read_text_file(training.model));
    std::filesystem::remove(training.model);
  }
  EXPECT_EQ(losses, std::vector<double>(3, losses[0]));
  EXPECT_EQ(models[1] == models[0] && models[2] == models[0], true);
}

TEST_F(TrainOnDevice, AStepThatIsRefusedIsNamedThoughTheHostIsAhead) {
  TrainOptions training = options("none");
  training.model = folder_.file("steep.model");
  training.batch_size = 32;
  training.optimizer.kind = OptimizerKind::sgd;
  training.optimizer.learning_rate = 1e38;
  training.loss = LossKind::mse;
  const std::string on_cpu = complaint<DataError>([&] { train(training); });
  training.devices = parse_devices("cuda:0");
  EXPECT_EQ(complaint<DataError>([&] { train(training); }), on_cpu);
  EXPECT_THAT(on_cpu, testing::HasSubstr("epoch 1, batch "));
  EXPECT_FALSE(file_exists(training.model));
  training.devices = parse_devices("cuda:0,cuda:0");
  training.parallel = {ParallelMode::tower, Mix::predictions};
  EXPECT_THAT(complaint<DataError>([&] { train(training); }), testing::HasSubstr("epoch 1, batch "));
}

TEST_F(TrainOnDevice, DevicesThatAreNotThereAreNamed) {
  EXPECT_THAT(complaint<DeviceError>([] { parse_devices("cuda:0,cuda:60"); }),
              testing::AllOf(testing::HasSubstr("cuda:60 is not available"), testing::HasSubstr("cuda:0")));
  EXPECT_THAT(complaint<ConfigError>([] { parse_devices("cuda:0,cpu"); }), testing::HasSubstr("one kind"));
  EXPECT_EQ(parse_devices("cuda").front(), (Device{DeviceKind::cuda, 0}));
}

}  // namespace
}  // namespace widehash::test
