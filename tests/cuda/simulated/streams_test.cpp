#include <cuda_runtime_api.h>
#include <gtest/gtest.h>
#include <simulator.hpp>

namespace {

struct Pinned {
  Pinned() { cudaMallocHost(reinterpret_cast<void**>(&value), sizeof *value); }
  ~Pinned() { cudaFreeHost(value); }
  int* value = nullptr;
};

/// One int on the device, and two streams.
class Streams : public ::testing::Test {
 protected:
  void SetUp() override {
    cudaMalloc(reinterpret_cast<void**>(&device_), sizeof *device_);
    for (auto& stream : streams_) cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&event_, cudaEventDisableTiming);
  }
  void TearDown() override {
    cudaEventDestroy(event_);
    for (const auto stream : streams_) cudaStreamDestroy(stream);
    cudaFree(device_);
  }

  int* device_ = nullptr;
  cudaStream_t streams_[2] = {};
  cudaEvent_t event_ = nullptr;
  Pinned from_, to_;
};

TEST_F(Streams, CopyReadsPinnedMemoryWhenItRuns) {
  simulator::Settings settings = simulator::settings();
  if (!settings.deferred) GTEST_SKIP() << "work is not deferred";
  *from_.value = 1;
  cudaMemcpyAsync(device_, from_.value, sizeof(int), cudaMemcpyHostToDevice, streams_[0]);
  *from_.value = 2;  // too early
  cudaMemcpyAsync(to_.value, device_, sizeof(int), cudaMemcpyDeviceToHost, streams_[0]);
  *to_.value = 0;
  cudaStreamSynchronize(streams_[0]);
  EXPECT_EQ(*to_.value, 2);
}

TEST_F(Streams, EventsOrderStreams) {
  *from_.value = 7;
  cudaMemcpyAsync(device_, from_.value, sizeof(int), cudaMemcpyHostToDevice, streams_[0]);
  cudaEventRecord(event_, streams_[0]);
  cudaStreamWaitEvent(streams_[1], event_, 0);
  cudaMemcpyAsync(to_.value, device_, sizeof(int), cudaMemcpyDeviceToHost, streams_[1]);
  cudaStreamSynchronize(streams_[1]);
  EXPECT_EQ(*to_.value, 7);
}

TEST_F(Streams, WithoutAnEventAStreamDoesNotWaitForAnother) {
  if (!simulator::settings().deferred) GTEST_SKIP() << "work is not deferred";
  if (simulator::settings().order == simulator::Order::shuffled) GTEST_SKIP() << "either order is right";
  cudaMemset(device_, 0, sizeof(int));
  cudaDeviceSynchronize();
  *from_.value = 7;
  cudaMemcpyAsync(device_, from_.value, sizeof(int), cudaMemcpyHostToDevice, streams_[0]);
  cudaMemcpyAsync(to_.value, device_, sizeof(int), cudaMemcpyDeviceToHost, streams_[1]);
  cudaStreamSynchronize(streams_[1]);
  EXPECT_EQ(*to_.value, 0);
}

TEST_F(Streams, PageableMemoryIsCopiedBeforeTheCallReturns) {
  int value = 5;
  cudaMemcpyAsync(device_, &value, sizeof value, cudaMemcpyHostToDevice, streams_[0]);
  value = 6;
  cudaMemcpyAsync(&value, device_, sizeof value, cudaMemcpyDeviceToHost, streams_[0]);
  EXPECT_EQ(value, 5);
}

TEST_F(Streams, EventThatWasNeverRecordedHoldsNobodyUp) {
  EXPECT_EQ(cudaStreamWaitEvent(streams_[0], event_, 0), cudaSuccess);
  EXPECT_EQ(cudaEventSynchronize(event_), cudaSuccess);
}

}  // namespace
