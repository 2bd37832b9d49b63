#include <functional>
#include <numeric>
#include <span>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <launch.cuh>
#include <simulator.hpp>

namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using widehash::cuda::launch;
using widehash::cuda::shared_memory;

template <class T>
struct Buffer {
  explicit Buffer(std::size_t size) : count(size) {
    EXPECT_EQ(cudaMalloc(&data, size * sizeof(T)), cudaSuccess);
  }
  explicit Buffer(const std::vector<T>& from) : Buffer(from.size()) {
    EXPECT_EQ(cudaMemcpy(data, from.data(), count * sizeof(T), cudaMemcpyHostToDevice), cudaSuccess);
  }
  ~Buffer() { cudaFree(data); }
  std::vector<T> host() const {
    std::vector<T> values(count);
    EXPECT_EQ(cudaMemcpy(values.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost), cudaSuccess);
    return values;
  }
  T* data = nullptr;
  std::size_t count;
};

void number_threads(unsigned* out, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = i;
}

template <bool has_barrier>
void reverse_in_block(int* values) {
  int* const shared = shared_memory<int>();
  shared[threadIdx.x] = values[threadIdx.x];
  if (has_barrier) __syncthreads();
  values[threadIdx.x] = shared[blockDim.x - 1 - threadIdx.x];
}

void sum_by_shuffles(const int* values, int* sums) {
  int sum = values[blockIdx.x * blockDim.x + threadIdx.x];
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(0xFFFFFFFFu, sum, distance);
  if (threadIdx.x % 32 == 0) atomicAdd(sums, sum);
}

void vote_below(const int* values, int limit, unsigned* ballots) {
  const unsigned ballot = __ballot_sync(0xFFFFFFFFu, values[threadIdx.x] < limit);
  if (threadIdx.x % 32 == 0) ballots[threadIdx.x / 32] = ballot;
}

void add_neighbours_in_groups_of_eight(int* values) {
  const unsigned mask = 0xFFu << (threadIdx.x % 32 / 8 * 8);
  int sum = values[threadIdx.x];
  for (int distance = 4; distance > 0; distance /= 2) sum += __shfl_xor_sync(mask, sum, distance, 8);
  values[threadIdx.x] = sum;
}

void barrier_of_half_a_block() {
  if (threadIdx.x < 16) {
    __syncwarp(0xFFFFFFFFu);
  } else {
    __syncthreads();
  }
}

void write_past_shared_memory() { shared_memory<char>()[blockDim.x] = 1; }
void write_at(char* at) { *at = 1; }
void read_shuffle_of_ended_lane(int* out) {
  if (threadIdx.x == 31) return;
  out[threadIdx.x] = __shfl_sync(0xFFFFFFFFu, 1, 31);
}
void copy_uninitialised(float* out) { out[threadIdx.x] = shared_memory<float>()[threadIdx.x]; }

TEST(Block, EveryThreadOfEveryBlockRunsOnce) {
  for (const unsigned count : {1u, 31u, 32u, 33u, 1000u}) {
    Buffer<unsigned> out(count);
    launch(number_threads, (count + 127) / 128, 128, 0, nullptr, out.data, count);
    std::vector<unsigned> expected(count);
    std::iota(expected.begin(), expected.end(), 0u);
    EXPECT_EQ(out.host(), expected);
  }
}

TEST(Block, BarrierLetsThreadsSeeEachOthersSharedMemory) {
  for (const auto order :
       {simulator::Order::forward, simulator::Order::reverse, simulator::Order::shuffled}) {
    simulator::configure({.order = order});
    Buffer<int> values({1, 2, 3, 4, 5});
    launch(reverse_in_block<true>, 1, 5, 5 * sizeof(int), nullptr, values.data);
    EXPECT_EQ(values.host(), (std::vector<int>{5, 4, 3, 2, 1}));
  }
}

TEST(Block, MissingBarrierShowsInSomeOrder) {
  int num_right = 0;
  for (const auto order :
       {simulator::Order::forward, simulator::Order::reverse, simulator::Order::shuffled}) {
    simulator::configure({.order = order});
    Buffer<int> values({1, 2, 3, 4, 5});
    launch(reverse_in_block<false>, 1, 5, 5 * sizeof(int), nullptr, values.data);
    num_right += values.host() == std::vector<int>{5, 4, 3, 2, 1};
  }
  EXPECT_EQ(num_right, 0);
}

TEST(Block, ShufflesSumAWarp) {
  std::vector<int> ones(256);
  std::iota(ones.begin(), ones.end(), 1);
  Buffer<int> values(ones);
  Buffer<int> sum(std::vector<int>{0});
  launch(sum_by_shuffles, 2, 128, 0, nullptr, values.data, sum.data);
  EXPECT_EQ(sum.host().front(), 256 * 257 / 2);
}

TEST(Block, GroupsOfAWarpExchangeUnderTheirOwnMasks) {
  Buffer<int> values(std::vector<int>(64, 1));
  launch(add_neighbours_in_groups_of_eight, 1, 64, 0, nullptr, values.data);
  EXPECT_THAT(values.host(), Each(8));
}

TEST(Block, BallotHasABitForEachLane) {
  std::vector<int> numbers(64);
  std::iota(numbers.begin(), numbers.end(), 0);
  Buffer<int> values(numbers);
  Buffer<unsigned> ballots(2);
  launch(vote_below, 1, 64, 0, nullptr, values.data, 40, ballots.data);
  EXPECT_EQ(ballots.host(), (std::vector<unsigned>{0xFFFFFFFFu, 0xFFu}));
}

TEST(Block, ThreadsThatWaitForEverAreAnErrorOfTheKernel) {
  launch(barrier_of_half_a_block, 1, 32, 0, nullptr);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
  EXPECT_THAT(simulator::take_violations(), Contains(HasSubstr("wait for each other for ever")));
}

TEST(Block, WriteBehindSharedMemoryIsFound) {
  launch(write_past_shared_memory, 1, 8, 8, nullptr);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_THAT(simulator::take_violations(), Contains(HasSubstr("past the 8 bytes of dynamic shared memory")));
}

TEST(Block, ShuffleFromAnEndedLaneIsFound) {
  Buffer<int> out(32);
  launch(read_shuffle_of_ended_lane, 1, 32, 0, nullptr, out.data);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_THAT(simulator::take_violations(), Contains(HasSubstr("reads lane 31")));
}

TEST(Block, FreshSharedMemoryIsPoison) {
  simulator::configure({.poison = 0xFF});
  Buffer<float> out(4);
  launch(copy_uninitialised, 1, 4, 4 * sizeof(float), nullptr, out.data);
  for (const float value : out.host()) EXPECT_TRUE(std::isnan(value));
}

TEST(Block, LaunchesBeyondTheLimitsAreRefused) {
  EXPECT_ANY_THROW(launch(barrier_of_half_a_block, 1, 1025, 0, nullptr));
  EXPECT_ANY_THROW(launch(barrier_of_half_a_block, dim3(1, 65536), 32, 0, nullptr));
  EXPECT_ANY_THROW(launch(barrier_of_half_a_block, 1, 32, 300 * 1024, nullptr));
}

TEST(DeviceMemory, WriteRightBesideAnAllocationIsFound) {
  {
    Buffer<char> buffer(10);
    launch(write_at, 1, 1, 0, nullptr, buffer.data + 10);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  }
  EXPECT_THAT(simulator::take_violations(), Contains(HasSubstr("beside an allocation of 10 bytes")));
}

TEST(DeviceMemoryDeathTest, WriteFarPastAnAllocationEndsTheProcess) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  Buffer<char> buffer(256);
  EXPECT_DEATH(
      {
        launch(write_at, 1, 1, 0, nullptr, buffer.data + 256);
        cudaDeviceSynchronize();
      },
      "256 bytes after the start of one of 256 bytes");
}

TEST(DeviceMemoryDeathTest, HostCodeCannotReadIt) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  Buffer<char> buffer(256);
  EXPECT_DEATH(buffer.data[0] = 1, "host code");
}

TEST(DeviceMemory, CopyPastTheEndIsRefused) {
  Buffer<char> buffer(10);
  char text[16] = {};
  EXPECT_EQ(cudaMemcpy(buffer.data, text, 11, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_THAT(simulator::take_violations(), Contains(HasSubstr("past the end")));
}

TEST(DeviceMemory, MoreThanThereIsIsRefused) {
  simulator::configure({.memory_bytes = 1 << 20});
  void* memory = nullptr;
  EXPECT_EQ(cudaMalloc(&memory, (1 << 20) + 1), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaMalloc(&memory, 1 << 20), cudaSuccess);
  EXPECT_EQ(cudaFree(memory), cudaSuccess);
}

TEST(DeviceMemory, PlannedFailureComesOnce) {
  simulator::fail_call("cudaMalloc", 1, cudaErrorMemoryAllocation);
  void* memory[3] = {};
  EXPECT_EQ(cudaMalloc(&memory[0], 8), cudaSuccess);
  EXPECT_EQ(cudaMalloc(&memory[1], 8), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaMalloc(&memory[2], 8), cudaSuccess);
  for (void* const pointer : memory) EXPECT_EQ(cudaFree(pointer), cudaSuccess);
}

}  // namespace
