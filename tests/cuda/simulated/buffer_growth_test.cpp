// Growing buffers when memory is short.

#include "cuda/device_buffer.hpp"
#include "cuda/pinned_buffer.hpp"
#include "simulator.hpp"

#include <widehash/error.hpp>

#include <gtest/gtest.h>

namespace widehash::cuda {
namespace {

TEST(BufferGrowth, TakesHalfMoreWhereThereIsRoom) {
  const DeviceContext context(0);
  DeviceBuffer<float> device(context, 100, "numbers");
  PinnedBuffer<float> pinned(100);
  device.reserve(context, 101, "numbers");
  pinned.reserve(101);
  EXPECT_EQ(device.size(), 150u);
  EXPECT_EQ(pinned.size(), 150u);
}

TEST(BufferGrowth, TakesNoMoreThanWasAskedForWhereThereIsNot) {
  const DeviceContext context(0);
  DeviceBuffer<float> device(context, 100, "numbers");
  PinnedBuffer<float> pinned(100);
  simulator::fail_call("cudaMalloc", 0, cudaErrorMemoryAllocation);
  device.reserve(context, 101, "numbers");
  EXPECT_EQ(device.size(), 101u);
  simulator::fail_call("cudaHostAlloc", 0, cudaErrorMemoryAllocation);
  pinned.reserve(101);
  EXPECT_EQ(pinned.size(), 101u);
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
}

TEST(BufferGrowth, WithoutRoomForWhatWasAskedForThereIsNoBuffer) {
  const DeviceContext context(0);
  const std::size_t all = simulator::settings().memory_bytes;
  DeviceBuffer<std::byte> device(context, all / 2, "bytes");
  EXPECT_THROW(device.reserve(context, all + 1, "bytes"), DeviceError);
  EXPECT_TRUE(device.empty());
  EXPECT_EQ(simulator::bytes_in_use(0), 0u);
}

}  // namespace
}  // namespace widehash::cuda
