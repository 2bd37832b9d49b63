#include "cuda/memory_gate.hpp"

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include <gtest/gtest.h>

namespace widehash::cuda {
namespace {

using std::chrono::milliseconds;

TEST(MemoryGateTest, MemoryWaitsForAllWhoStart) {
  MemoryGate gate;
  auto first = std::make_unique<MemoryGate::Start>(gate);
  std::atomic<bool> has_memory = false;
  std::thread memory([&] {
    const MemoryGate::Memory guard(gate);
    has_memory = true;
  });
  std::this_thread::sleep_for(milliseconds(20));
  // Another rank may start although someone waits for memory.
  auto second = std::make_unique<MemoryGate::Start>(gate);
  first.reset();
  std::this_thread::sleep_for(milliseconds(20));
  EXPECT_FALSE(has_memory);
  second.reset();
  memory.join();
  EXPECT_TRUE(has_memory);
}

TEST(MemoryGateTest, WhoStartsWaitsForMemory) {
  MemoryGate gate;
  auto first = std::make_unique<MemoryGate::Memory>(gate);
  auto second = std::make_unique<MemoryGate::Memory>(gate);
  std::atomic<bool> has_started = false;
  std::thread rank([&] {
    const MemoryGate::Start start(gate);
    has_started = true;
  });
  std::this_thread::sleep_for(milliseconds(20));
  first.reset();
  std::this_thread::sleep_for(milliseconds(20));
  EXPECT_FALSE(has_started);
  second.reset();
  rank.join();
  EXPECT_TRUE(has_started);
}

TEST(MemoryGateTest, MemoryDoesNotWaitForEver) {
  MemoryGate gate(milliseconds(1000));
  {
    const MemoryGate::Start never_done(gate);
    const MemoryGate::Memory first(gate);
    const auto begin = std::chrono::steady_clock::now();
    const MemoryGate::Memory second(gate);  // does not wait: the first waited in vain
    EXPECT_LT(std::chrono::steady_clock::now() - begin, milliseconds(500));
  }
  // With the next collective, the gate works as before.
  const MemoryGate::Start start(gate);
}

}  // namespace
}  // namespace widehash::cuda
