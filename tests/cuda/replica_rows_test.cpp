// The rows that a replica on the device accepts, in whatever form they come, and those that it refuses.

#include "replica_kit.hpp"

#include <widehash/error.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

namespace widehash::cuda {
namespace {

TEST_F(CudaReplicaTest, ScatteredRowsAndSlicesOfABatchAreTheRowsTheyStandFor) {
  const Case of = make_case(OptimizerKind::sgd, {});
  const Pair pair = make_pair(of);
  const CodeBatch batch = test::random_batch(of.layout, 90, 4);
  pair.processor->train_step(batch.view().rows(40, 37), "a step");
  pair.device->train_step(batch.view().rows(40, 37), "a step");
  expect_same_state(pair, 1e-6, "a slice");

  const auto plain = test::plain_layout(3, 50);
  const CodeBatch codes = test::random_batch(plain, 40, 4);
  std::vector<const std::uint16_t*> places;
  for (std::size_t row = 40; row-- > 0;) places.push_back(codes.view().row_codes(row));
  CodeBatchView scattered = codes.view();
  scattered.codes = {};
  scattered.scattered_codes = places;
  Case linear = of;
  linear.layout = plain;
  linear.architecture.num_columns = plain->num_columns;
  const Pair other = make_pair(linear);
  other.processor->train_step(scattered, "a step");
  other.device->train_step(scattered, "a step");
  expect_same_state(other, 1e-6, "scattered rows");
}

TEST_F(CudaReplicaTest, RowsThatWerePreparedAheadAreTheRowsOfTheirSteps) {
  const Case of = make_case(OptimizerKind::adagrad, {4});
  const Pair pair = make_pair(of);
  std::vector<CodeBatch> batches;
  std::vector<std::shared_ptr<PreparedRows>> prepared;
  for (std::uint64_t step = 0; step < 5; ++step)
    batches.push_back(test::random_batch(of.layout, 20 + 9 * step, step));
  for (int round = 0; round < 2; ++round) {
    for (const CodeBatch& batch : batches) prepared.push_back(pair.device->prepare(batch.view()));
    for (std::size_t step = 0; step < batches.size(); ++step) {
      const CodeBatchView rows = batches[step].view();
      const double expected = pair.processor->train_step(rows, "a step");
      EXPECT_NEAR(pair.device->train_step(rows, "a step", prepared[step].get()), expected,
                  1e-5 * std::abs(expected));
    }
    prepared.clear();
  }
  expect_same_state(pair, 2e-5, "prepared");
}

TEST_F(CudaReplicaTest, WhatIsNotFiniteNamesTheStepAndLeavesTheParameters) {
  Case of = make_case(OptimizerKind::sgd, {}, LossKind::mse);
  const Pair pair = make_pair(of);
  CodeBatch batch = test::random_batch(of.layout, 9, 1);
  pair.device->train_step(batch.view(), "a step");
  std::vector<float> scratch;
  const std::size_t size = tensor_sizes_of(of.architecture)[0];
  const auto before = pair.device->read(ValueSet::parameters, 0, 0, size, scratch);
  const std::vector<float> kept(before.begin(), before.end());
  for (float& target : batch.targets) target = 3e38f;
  try {
    pair.device->train_step(batch.view(), "step 7");
    ADD_FAILURE() << "nothing was thrown";
  } catch (const DataError& error) {
    EXPECT_NE(std::string(error.what()).find("step 7"), std::string::npos) << error.what();
  }
  const auto after = pair.device->read(ValueSet::parameters, 0, 0, size, scratch);
  EXPECT_TRUE(std::equal(after.begin(), after.end(), kept.begin()));
}

TEST_F(CudaReplicaTest, ATargetThatTheLossCannotTakeIsRefusedByTheNameOfTheStep) {
  const Case of = make_case(OptimizerKind::sgd, {});
  const Pair pair = make_pair(of);
  CodeBatch batch = test::random_batch(of.layout, 3, 1);
  batch.targets[1] = 2;
  for (const bool ahead : {false, true}) {
    const auto prepared = ahead ? pair.device->prepare(batch.view()) : nullptr;
    try {
      pair.device->train_step(batch.view(), "step 7", prepared.get());
      ADD_FAILURE() << "nothing was thrown";
    } catch (const DataError& error) {
      EXPECT_NE(std::string(error.what()).find("step 7"), std::string::npos) << error.what();
    }
  }
}

TEST_F(CudaReplicaTest, RowsWithoutWeightMoveNothingWhetherTheyWerePreparedOrNot) {
  const Case of = make_case(OptimizerKind::adam, {4});
  const Pair pair = make_pair(of);
  const CodeBatch batch = test::random_batch(of.layout, 30, 1);
  const std::vector<float> none(30, 0.0f);
  CodeBatchView rows = batch.view();
  rows.weights = none;
  const auto prepared = pair.device->prepare(rows);
  EXPECT_EQ(pair.device->train_step(rows, "a step", prepared.get()), 0);
  EXPECT_EQ(pair.device->train_step(rows, "a step"), 0);
  EXPECT_EQ(pair.device->step(), 0u);
  expect_same_state(pair, 0, "no weight");
}

TEST_F(CudaReplicaTest, ADeviceThatIsNotThereIsNamed) {
  const Case of = make_case(OptimizerKind::sgd, {});
  const Network<float> network(of.architecture);
  try {
    make_cuda_replica(63, network, Optimizer<float>(of.optimizer, network.parameters()),
                      whole(of.architecture));
    ADD_FAILURE() << "nothing was thrown";
  } catch (const DeviceError& error) {
    EXPECT_NE(std::string(error.what()).find("cuda:63: cudaSetDevice"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace widehash::cuda
