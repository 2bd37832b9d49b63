// What benchmarks call: a step on rows that are on the device already.

#include "cuda_replica.hpp"
#include "cuda_test.hpp"
#include "network/batches.hpp"

#include <widehash/loss.hpp>

namespace widehash::cuda {
namespace {

class StepAgain : public CudaTest {};

TEST_F(StepAgain, IsTheStepOnTheSameRows) {
  const auto layout = test::mixed_layout();
  Architecture architecture;
  architecture.num_columns = layout->num_columns;
  architecture.hidden = {4};
  const Network<float> network(architecture);
  const Optimizer<float> optimizer(default_settings(OptimizerKind::adagrad), network.parameters());
  const ReplicaShape shape{{0, layout->num_columns}, {0, layout->num_columns}};
  const CodeBatch batch = test::random_batch(layout, 70, 1);
  CudaReplica plain(0, network, optimizer, shape);
  CudaReplica again(0, network, optimizer, shape);
  plain.train_step(batch.view(), "first", nullptr);
  again.train_step(batch.view(), "first", nullptr);
  const double normaliser = sum_of_weights(batch.view().weights, batch.num_rows());
  for (int step = 0; step < 3; ++step) {
    again.begin_step_again(normaliser, "again");
    EXPECT_EQ(again.finish_step(), plain.train_step(batch.view(), "again", nullptr));
  }
  EXPECT_EQ(again.step(), plain.step());
}

}  // namespace
}  // namespace widehash::cuda
