#include "cuda/device_buffer.hpp"

#include "cuda_test.hpp"

#include <numeric>
#include <vector>

#include <gmock/gmock.h>

namespace widehash::cuda {
namespace {

class DeviceBufferTest : public CudaTest {};

TEST_F(DeviceBufferTest, ValuesComeBackAsTheyWent) {
  const DeviceContext context(0);
  std::vector<float> values(1000);
  std::iota(values.begin(), values.end(), 0.5f);
  const auto buffer = make_device_copy<float>(context, values, "values");
  std::vector<float> back(values.size());
  copy_to_host<float>(buffer.data(), back, context.stream());
  context.stream().synchronize();
  EXPECT_EQ(back, values);
}

TEST_F(DeviceBufferTest, EmptyBufferTakesNothing) {
  const DeviceContext context(0);
  const DeviceBuffer<int> buffer(context, 0, "nothing");
  EXPECT_EQ(buffer.data(), nullptr);
  buffer.clear(context.stream());
  context.stream().synchronize();
}

TEST_F(DeviceBufferTest, ClearedBufferIsZero) {
  const DeviceContext context(0);
  const DeviceBuffer<int> buffer(context, 33, "zeros");
  buffer.clear(context.stream());
  std::vector<int> back(33, 1);
  copy_to_host<int>(buffer.data(), back, context.stream());
  context.stream().synchronize();
  EXPECT_THAT(back, ::testing::Each(0));
}

}  // namespace
}  // namespace widehash::cuda
