// Replicas that do not fit into the memory of a device.

#include "network/batches.hpp"

#include <widehash/error.hpp>
#include <widehash/parallel_settings.hpp>
#include <widehash/replica.hpp>

#include <gmock/gmock.h>
#include <simulator.hpp>

namespace widehash {
namespace {

using testing::HasSubstr;

TEST(ReplicaMemory, WhatDoesNotFitIsRefusedWithTheArithmeticBeforeAnythingIsTaken) {
  Architecture architecture;
  architecture.num_columns = 1'000'000;
  architecture.hidden = {16};
  const Network<float> network(architecture);
  OptimizerSettings settings;
  settings.kind = OptimizerKind::adam;
  const Optimizer<float> optimizer(settings, network.parameters());
  const ColumnRange all{0, architecture.num_columns};

  simulator::Settings device = simulator::settings();
  device.memory_bytes = 300'000'000;
  simulator::configure(device);
  try {
    make_cuda_replica(0, network, optimizer, {all, all});
    ADD_FAILURE() << "nothing was thrown";
  } catch (const DeviceError& error) {
    EXPECT_THAT(error.what(), HasSubstr("300.0 MB"));
    EXPECT_THAT(error.what(), HasSubstr("parameters 16000033 x 4 B = 64.0 MB"));
    EXPECT_THAT(error.what(), HasSubstr("gradient 33 x 4 B"));  // the first layer's stays in its sums
    EXPECT_THAT(error.what(), HasSubstr("320.0 MB in total"));
    EXPECT_THAT(error.what(), HasSubstr("--parallel model"));
  }
  EXPECT_EQ(simulator::num_calls("cudaMalloc"), 0u);
  EXPECT_EQ(simulator::bytes_in_use(0), 0u);

  // Half of the columns fits, and so does a replica that only predicts.
  const ColumnRange half{0, architecture.num_columns / 2};
  const Network<float> part(architecture, half);
  EXPECT_NO_THROW(make_cuda_replica(0, part, Optimizer<float>(settings, part.parameters()), {half, half}));
  settings.kind = OptimizerKind::sgd;
  EXPECT_NO_THROW(make_cuda_replica(0, network, Optimizer<float>(settings, network.parameters()),
                                    {all, all, false, true}));
}

TEST(ReplicaMemory, ThatOfTheFirstMeanIsAskedForAtTheStart) {
  Architecture architecture;
  architecture.num_columns = 1'000'000;
  const Network<float> network(architecture);
  OptimizerSettings settings;
  settings.kind = OptimizerKind::sgd;
  const Optimizer<float> optimizer(settings, network.parameters());
  const ColumnRange all{0, architecture.num_columns};
  ReplicaShape shape{all, all};
  simulator::Settings device = simulator::settings();
  device.memory_bytes = 13'000'000;  // weights and their sums take 12 MB
  simulator::configure(device);
  EXPECT_NO_THROW(make_cuda_replica(0, network, optimizer, shape));
  shape.shares_parameters = true;
  try {
    make_cuda_replica(0, network, optimizer, shape);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const DeviceError& error) {
    EXPECT_THAT(error.what(), HasSubstr("the parameters that others send 1000000 x 4 B = 4.0 MB"));
  }
}

TEST(ReplicaMemory, IsWhatParameterBytesSays) {
  const auto layout = test::plain_layout(10, 400'000'000);
  Architecture architecture;
  architecture.num_columns = layout->num_columns;
  OptimizerSettings settings;
  settings.kind = OptimizerKind::adagrad;
  const Network<float> network(architecture);
  const ColumnRange all = network.columns();
  const auto replica =
      make_cuda_replica(0, network, Optimizer<float>(settings, network.parameters()), {all, all});
  replica->train_step(test::random_batch(layout, 10, 1).view(), "a step");
  const std::uint64_t expected = parameter_bytes({}, architecture, settings.kind, 1, 4, DeviceKind::cuda);
  EXPECT_GE(simulator::bytes_in_use(0), expected);
  EXPECT_LE(simulator::bytes_in_use(0),
            expected + 100'000);  // rows, lists of tiles and what blocks add up in
}

TEST(ReplicaMemory, APredictingReplicaIsNotAdvisedToTrain) {
  Architecture architecture;
  architecture.num_columns = 1'000'000;
  const Network<float> network(architecture);
  const ColumnRange all = network.columns();
  simulator::Settings device = simulator::settings();
  device.memory_bytes = 3'000'000;
  simulator::configure(device);
  OptimizerSettings settings;
  settings.kind = OptimizerKind::sgd;
  try {
    make_cuda_replica(0, network, Optimizer<float>(settings, network.parameters()), {all, all, false, true});
    ADD_FAILURE() << "nothing was thrown";
  } catch (const DeviceError& error) {
    EXPECT_THAT(error.what(), testing::Not(HasSubstr("--parallel")));
    EXPECT_THAT(error.what(), HasSubstr("--devices cpu"));
  }
}

}  // namespace
}  // namespace widehash
