// Rows that could not be staged, or were not used to the end, leave nothing in progress that the next rows
// would overwrite.

#include "cuda/staged_rows.hpp"
#include "network/batches.hpp"

#include <widehash/error.hpp>

#include <gtest/gtest.h>
#include <simulator.hpp>

namespace widehash::cuda {
namespace {

bool is_idle(const Stream& stream) { return cudaStreamQuery(stream.get()) == cudaSuccess; }

TEST(StagedFailure, CopiesHaveEndedWhereStagingFails) {
  const DeviceContext context(0);
  const auto layout = test::mixed_layout();
  StagedRows staged(context);
  const CodeBatch batch = test::random_batch(layout, 70, 1);
  // Two copies are in progress when the third fails; querying the stream makes the simulator run one.
  simulator::fail_call("cudaMemcpyAsync", 2, cudaErrorUnknown);
  EXPECT_THROW(staged.stage(batch.view()), DeviceError);
  EXPECT_TRUE(is_idle(context.copy_stream()));
  staged.stage(batch.view());
  EXPECT_EQ(staged.take().num_rows, 70u);
  staged.used();
  context.stream().synchronize();
}

TEST(StagedFailure, RowsOfAStepThatFailedAreReadToTheEndBeforeTheyAreReplaced) {
  const DeviceContext context(0);
  const auto layout = test::plain_layout(3, 100);
  StagedRows staged(context);
  const CodeBatch batch = test::random_batch(layout, 70, 1);
  staged.stage(batch.view());
  staged.take();  // the step fails here: used() is not called
  staged.stage(batch.view());
  EXPECT_TRUE(is_idle(context.stream()));
}

}  // namespace
}  // namespace widehash::cuda
