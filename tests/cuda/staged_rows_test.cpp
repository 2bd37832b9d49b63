// One buffer for batch after batch: staging the next batch leaves alone what the device has still to read of
// this one.

#include "cuda/staged_rows.hpp"

#include "cuda/gather_sum.hpp"
#include "cuda/slot_plan_copy.hpp"
#include "cuda_test.hpp"
#include "network/batches.hpp"
#include "on_device.hpp"

#include <widehash/first_layer.hpp>

#include <random>
#include <vector>

#include <gmock/gmock.h>

namespace widehash::cuda {
namespace {

class StagedRowsTest : public CudaTest {};

TEST_F(StagedRowsTest, AreNotOverwrittenBeforeTheyAreTurnedAndUsed) {
  const DeviceContext context(0);
  for (const auto& layout : {test::plain_layout(3, 100), test::two_sizes_layout(), test::mixed_layout()}) {
    std::vector<float> weights(layout->num_columns);
    std::mt19937_64 random(1);
    for (float& weight : weights) weight = static_cast<float>(random() % 1000) / 1000;
    const auto device_weights = on_device(context, weights);
    const SlotPlanCopy plan(context, *layout, {0, layout->num_columns});
    StagedRows staged(context);
    std::vector<DeviceBuffer<float>> sums;
    std::vector<CodeBatch> batches;
    for (std::uint64_t step = 0; step < 4; ++step) {
      batches.push_back(test::random_batch(layout, 70, step));
      sums.emplace_back(context, 70, "sums");
      staged.stage(batches.back().view());
      gather_sum(staged.take(), plan.device(), device_weights.data(), 1, sums.back().data(),
                 context.stream());
      staged.used();
    }
    for (std::size_t step = 0; step < batches.size(); ++step) {
      std::vector<float> expected(70);
      widehash::gather_sum<float>(batches[step].view(), weights, {0, layout->num_columns}, 1, expected);
      EXPECT_THAT(on_host(context, sums[step]), ::testing::Pointwise(::testing::FloatNear(2e-5f), expected))
          << "batch " << step;
    }
  }
}

}  // namespace
}  // namespace widehash::cuda
