// Compares replicas on the device with those on the processor: every piece of a step, every optimizer, loss
// and activation.

#include "replica_kit.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

namespace widehash::cuda {
namespace {

TEST_F(CudaReplicaTest, StepsAreThoseOfTheProcessorWithEveryOptimizer) {
  for (const OptimizerKind kind : test::optimizer_kinds) {
    for (const std::vector<std::uint32_t>& hidden : {std::vector<std::uint32_t>{}, {6}, {8, 3}, {130}}) {
      const Case of = make_case(kind, hidden);
      const Pair pair = make_pair(of);
      for (std::uint64_t step = 0; step < 12; ++step) {
        // 1, 2, ... rows, with 31 to 33 and 0 among them.
        const std::size_t rows = step == 5 ? 0 : step < 5 ? step + 1 : 25 + step;
        const CodeBatch batch = test::random_batch(of.layout, rows, step + 1);
        const double expected = pair.processor->train_step(batch.view(), "a step");
        EXPECT_NEAR(pair.device->train_step(batch.view(), "a step"), expected,
                    1e-5 * std::abs(expected) + 1e-9);
      }
      expect_same_state(pair, 2e-5,
                        std::string(to_string(kind)) + (hidden.empty() ? ", linear" : ", hidden"));
    }
  }
}

TEST_F(CudaReplicaTest, EveryNumberHasAGradientOfItsOwn) {
  Schema schema;
  schema.label.field = "y";
  // Numbers come first and last, adjacent and apart.
  for (const char* name : {"n", "f", "n", "n", "f", "n"})
    schema.features.push_back(*name == 'n' ? test::feature(name, Encoding::numeric, 0)
                                           : test::feature(name, Encoding::four_split, 50));
  for (const std::vector<std::uint32_t>& hidden : {std::vector<std::uint32_t>{}, {3}}) {
    Case of = make_case(OptimizerKind::adagrad, hidden);
    of.layout = test::share(make_layout(schema));
    of.architecture.num_columns = of.layout->num_columns;
    const Pair pair = make_pair(of);
    for (std::uint64_t step = 0; step < 5; ++step) {
      const CodeBatch batch = test::random_batch(of.layout, 40, step);
      pair.processor->train_step(batch.view(), "a step");
      pair.device->train_step(batch.view(), "a step");
    }
    expect_same_state(pair, 2e-5, hidden.empty() ? "linear" : "hidden");
  }
}

TEST_F(CudaReplicaTest, EveryLossAndActivationPredictsAsTheProcessorDoes) {
  struct Kind {
    LossKind loss;
    std::uint32_t outputs;
  };
  for (const Kind kind : {Kind{LossKind::logistic, 1},
                          {LossKind::mse, 1},
                          {LossKind::softmax, 5},
                          {LossKind::logistic, 5},
                          {LossKind::mse, 5},
                          {LossKind::poisson, 1}}) {
    for (const ActivationKind activation :
         {ActivationKind::linear, ActivationKind::relu, ActivationKind::sigmoid, ActivationKind::tanh}) {
      const Case of = make_case(OptimizerKind::adagrad, {6}, kind.loss, kind.outputs, activation);
      const Pair pair = make_pair(of);
      const CodeBatch batch = test::random_batch(of.layout, 33, 1, std::max(kind.outputs, 2u));
      for (int step = 0; step < 3; ++step) {
        const double expected = pair.processor->train_step(batch.view(), "a step");
        EXPECT_NEAR(pair.device->train_step(batch.view(), "a step"), expected, 1e-5 * std::abs(expected));
      }
      std::vector<float> expected(std::size_t{33} * kind.outputs);
      std::vector<float> actual(expected.size());
      pair.processor->predict(batch.view(), expected);
      pair.device->predict(batch.view(), actual);
      for (std::size_t i = 0; i < actual.size(); ++i)
        EXPECT_NEAR(actual[i], expected[i], 2e-5) << to_string(kind.loss) << ", " << to_string(activation);
    }
  }
}

TEST_F(CudaReplicaTest, InUnitsOfTargetsItIsThatOfConvertedTargetsBitForBit) {
  for (const std::vector<std::uint32_t>& hidden : {std::vector<std::uint32_t>{}, {4}}) {
    const Case plain = make_case(OptimizerKind::adagrad, hidden, LossKind::mse);
    Case of = plain;
    of.architecture.target_units = {1000, 64};
    const Pair expected = make_pair(plain);
    const Pair pair = make_pair(of);
    CodeBatch converted;
    CodeBatch batch;
    for (std::uint64_t step = 0; step < 6; ++step) {
      batch = test::random_batch(of.layout, 40, step);
      converted = batch;
      for (std::size_t i = 0; i < batch.targets.size(); ++i) {
        converted.targets[i] = static_cast<float>((i * 7 + step) % 23) / 4;
        batch.targets[i] = 1000 + 64 * converted.targets[i];
      }
      const auto prepared = step % 2 == 0 ? pair.device->prepare(batch.view()) : nullptr;
      const double loss = pair.device->train_step(batch.view(), "a step", prepared.get());
      EXPECT_EQ(loss, 64 * 64 * expected.device->train_step(converted.view(), "a step"));
      EXPECT_NEAR(pair.processor->train_step(batch.view(), "a step"), loss, 1e-5 * loss);
    }
    EXPECT_EQ(distance(*expected.device, *pair.device, ValueSet::parameters), 0);
    expect_same_state(pair, 2e-5, hidden.empty() ? "linear" : "hidden");
    std::vector<float> outputs(40);
    std::vector<float> predictions(40);
    expected.device->predict(batch.view(), outputs);
    pair.device->predict(batch.view(), predictions);
    for (std::size_t i = 0; i < outputs.size(); ++i)
      EXPECT_EQ(predictions[i], static_cast<float>(1000 + 64 * double{outputs[i]}));
  }
}

TEST_F(CudaReplicaTest, GradientsAreTheFiniteDifferencesOfTheLoss) {
  for (const LossKind loss : {LossKind::logistic, LossKind::mse}) {
    const Case of = make_case(OptimizerKind::sgd, {4, 3}, loss);
    const CodeBatch batch = test::random_batch(of.layout, 20, 8);
    const Network<float> start(of.architecture);
    ReplicaShape shape = whole(of.architecture);
    shape.shares_gradient = true;
    const auto device =
        make_cuda_replica(0, start, Optimizer<float>(of.optimizer, start.parameters()), shape);
    device->begin_gradient(batch.view(), 1, "a step");

    // The loss on the processor in double, with the same parameters.
    Network<double> network(of.architecture);
    const auto to = network.parameters().tensors();
    const auto from = start.parameters().tensors();
    for (std::size_t t = 0; t < to.size(); ++t)
      std::copy(from[t].values.begin(), from[t].values.end(), to[t].values.begin());
    std::mt19937_64 random(1);
    std::vector<float> scratch;
    for (std::size_t t = 0; t < to.size(); ++t) {
      for (int trial = 0; trial < 25; ++trial) {
        const std::size_t i = random() % to[t].values.size();
        const double middle = to[t].values[i];
        constexpr double h = 1e-5;
        to[t].values[i] = middle + h;
        const double above = network.loss(batch.view());
        to[t].values[i] = middle - h;
        const double below = network.loss(batch.view());
        to[t].values[i] = middle;
        const double slope = (above - below) / (2 * h);
        EXPECT_NEAR(device->read(ValueSet::gradient, t, i, 1, scratch)[0], slope,
                    1e-4 * std::max(1.0, std::abs(slope)))
            << to_string(loss) << ", tensor " << t;
      }
    }
  }
}

TEST_F(CudaReplicaTest, StepsInTwoAreThoseOfTheProcessor) {
  for (const OptimizerKind kind : {OptimizerKind::adagrad, OptimizerKind::ftrl}) {
    for (const std::vector<std::uint32_t>& hidden : {std::vector<std::uint32_t>{}, {4}}) {
      for (const LossKind loss : {LossKind::logistic, LossKind::softmax}) {
        const Case of = make_case(kind, hidden, loss, loss == LossKind::softmax ? 3 : 1);
        const Pair pair = make_pair(of, true);
        for (const std::size_t rows : {0, 1, 70, 0}) {
          const CodeBatch batch = test::random_batch(of.layout, rows, rows);
          for (Replica<float>* const replica : {pair.device.get(), pair.processor.get()})
            replica->begin_gradient(batch.view(), 7, "a step");
          EXPECT_LE(distance(*pair.processor, *pair.device, ValueSet::gradient), 1e-5) << rows;
          for (Replica<float>* const replica : {pair.device.get(), pair.processor.get()})
            replica->begin_update();
          const double expected = pair.processor->finish_step();
          EXPECT_NEAR(pair.device->finish_step(), expected, 1e-6 * std::abs(expected)) << rows;
          expect_same_state(pair, 2e-5, to_string(kind));
        }
      }
    }
  }
}

TEST_F(CudaReplicaTest, SumsThatNobodyAddsToGiveTheStepOfOneDevice) {
  for (const std::vector<std::uint32_t>& hidden : {std::vector<std::uint32_t>{}, {4}}) {
    const Case of = make_case(OptimizerKind::adagrad, hidden);
    const Pair pair = make_pair(of);
    for (const std::size_t rows : {0, 1, 70}) {
      const CodeBatch batch = test::random_batch(of.layout, rows, rows);
      std::size_t completed = 0;
      const auto complete = [&](DeviceSpan<float> sums) { completed += sums.size; };
      const double expected = pair.processor->train_step(batch.view(), "a step");
      pair.device->begin_step(batch.view(), "a step", nullptr, complete);
      EXPECT_NEAR(pair.device->finish_step(), expected, 1e-5 * std::abs(expected));
      EXPECT_EQ(completed, rows * of.architecture.first_units());
      std::vector<float> actual(rows);
      std::vector<float> predictions(rows);
      pair.device->predict(batch.view(), actual, complete);
      pair.processor->predict(batch.view(), predictions);
      for (std::size_t i = 0; i < rows; ++i) EXPECT_NEAR(actual[i], predictions[i], 2e-5);
    }
    expect_same_state(pair, 2e-5, "owner");
  }
}

TEST_F(CudaReplicaTest, ARunIsTheSameBitForBitEveryTime) {
  const Case of = make_case(OptimizerKind::adam, {5});
  const CodeBatch batch = test::random_batch(of.layout, 700, 2);
  const auto run = [&] {
    const Pair pair = make_pair(of);
    for (int step = 0; step < 4; ++step) pair.device->train_step(batch.view(), "a step");
    std::vector<float> all;
    std::vector<float> scratch;
    const auto sizes = tensor_sizes_of(of.architecture);
    for (std::size_t t = 0; t < sizes.size(); ++t) {
      const auto values = pair.device->read(ValueSet::parameters, t, 0, sizes[t], scratch);
      all.insert(all.end(), values.begin(), values.end());
    }
    return all;
  };
  const auto first = run();
  for (int i = 0; i < 2; ++i) EXPECT_EQ(run(), first);
}

}  // namespace
}  // namespace widehash::cuda
