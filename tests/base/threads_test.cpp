#include "base/address_limit.hpp"

#include <widehash/error.hpp>
#include <widehash/threads.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace widehash {
namespace {

TEST(Threads, ThereIsAtLeastOne) { EXPECT_GE(available_threads(), 1u); }

TEST(Threads, EveryIndexIsVisitedOnce) {
  for (const auto& visit : {parallel_for, parallel_shares}) {
    for (const std::size_t count : {0, 1, 2, 31, 32, 33, 10'000}) {
      std::vector<std::atomic<int>> visits(count);
      visit(count, [&](std::size_t i) { ++visits[i]; });
      for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(visits[i], 1) << i << " of " << count;
    }
  }
}

TEST(Threads, LimitOfOneKeepsToOneThread) {
  std::mutex mutex;
  std::set<std::thread::id> ids;
  with_threads(1, [&] {
    parallel_for(1000, [&](std::size_t) {
      const std::lock_guard lock(mutex);
      ids.insert(std::this_thread::get_id());
    });
  });
  EXPECT_EQ(ids.size(), 1u);
}

TEST(Threads, LimitHolds) {
  std::atomic<int> running{0};
  std::atomic<int> most{0};
  with_threads(3, [&] {
    parallel_for(300, [&](std::size_t) {
      const int now = ++running;
      int seen = most;
      while (now > seen && !most.compare_exchange_weak(seen, now)) {
      }
      std::this_thread::yield();
      --running;
    });
  });
  EXPECT_GE(most, 1);
  EXPECT_LE(most, 3);
}

TEST(Threads, ExceptionsReachTheCaller) {
  EXPECT_THROW(parallel_for(100,
                            [](std::size_t i) {
                              if (i == 42) throw std::runtime_error("42");
                            }),
               std::runtime_error);
  EXPECT_THROW(parallel_shares(2, [](std::size_t) { throw std::runtime_error("share"); }),
               std::runtime_error);
  EXPECT_THROW(with_threads(2, [] { throw std::logic_error("x"); }), std::logic_error);
}

TEST(Threads, ThatTheSystemDoesNotGiveAreAnError) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers want all of the address space";
#endif
  EXPECT_EXIT(
      {
        test::limit_addresses(std::uint64_t{100} << 20);
        int error = 4;
        try {
          with_threads(1000, [] {});
        } catch (const DeviceError& problem) {
          std::fputs(problem.what(), stderr);
          error = 3;
        }
        with_threads(2, [&] { parallel_for(10, [](std::size_t) {}); });
        std::exit(error);
      },
      testing::ExitedWithCode(3), "cannot start 1000 threads, the system allows [0-9]+: .*; lower --threads");
}

TEST(Threads, MoreThanAnyMachineHasAreAnError) {
  for (const std::size_t count : {std::size_t{8193}, std::numeric_limits<std::size_t>::max()})
    EXPECT_THROW(with_threads(count, [] {}), ConfigError);
}

TEST(Threads, MayBeNested) {
  std::atomic<int> visits{0};
  with_threads(
      2, [&] { parallel_for(10, [&](std::size_t) { parallel_for(10, [&](std::size_t) { ++visits; }); }); });
  EXPECT_EQ(visits, 100);
}

/// Whether two calls of a body ever run at the same time.
bool two_meet() {
  std::mutex mutex;
  std::condition_variable met;
  int here = 0;
  bool have_met = false;
  parallel_for(2, [&](std::size_t) {
    std::unique_lock lock(mutex);
    have_met = have_met || ++here == 2;
    met.notify_all();
    met.wait_for(lock, std::chrono::seconds(5), [&] { return have_met; });
    --here;
  });
  return have_met;
}

TEST(Threads, EachOfSeveralCallersHasTheThreadsItAsksFor) {
  with_threads(1, [] {
    std::thread other([] { with_threads(2, [] { EXPECT_TRUE(two_meet()); }); });
    other.join();
  });
  with_threads(2, [] {
    EXPECT_TRUE(two_meet());
    std::thread other([] {
      with_threads(1, [] {
        std::set<std::thread::id> ids;
        parallel_for(1000, [&](std::size_t) { ids.insert(std::this_thread::get_id()); });
        EXPECT_EQ(ids.size(), 1u);
      });
    });
    other.join();
    EXPECT_TRUE(two_meet());
  });
}

TEST(Threads, ALimitDoesNotHoldForOtherThreads) {
  if (available_threads() == 1) GTEST_SKIP() << "this machine has one processor";
  with_threads(1, [] {
    std::thread other([] {
      EXPECT_EQ(current_threads(), available_threads());
      EXPECT_TRUE(two_meet());
      with_share_of_threads(2, [] { EXPECT_TRUE(two_meet()); });
    });
    other.join();
  });
}

TEST(Threads, ALimitHoldsForLimitsAndSharesInside) {
  with_threads(2, [] {
    testing::internal::CaptureStderr();
    with_share_of_threads(8, [] {
      EXPECT_EQ(current_threads(), 2u);
      EXPECT_TRUE(two_meet());
    });
    with_threads(8, [] {
      EXPECT_EQ(current_threads(), 2u);
      EXPECT_TRUE(two_meet());
    });
    with_threads(1, [] { with_share_of_threads(2, [] { EXPECT_EQ(current_threads(), 1u); }); });
    EXPECT_EQ(current_threads(), 2u);
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << "the library never prints";
  });
}

TEST(ShareOfThreads, IsWhatParallelWorkInsideMayUse) {
  with_threads(6, [] {
    with_share_of_threads(2, [] { EXPECT_EQ(current_threads(), 2u); });
    with_share_of_threads(1, [] {
      EXPECT_EQ(current_threads(), 1u);
      const auto here = std::this_thread::get_id();
      parallel_for(100, [&](std::size_t) { EXPECT_EQ(std::this_thread::get_id(), here); });
      with_threads(3, [] { EXPECT_EQ(current_threads(), 3u); });
      EXPECT_EQ(current_threads(), 1u);
      // Work that all devices wait for may use the threads of all devices.
      with_share_of_threads(6, [] { EXPECT_EQ(current_threads(), 6u); });
      EXPECT_EQ(current_threads(), 1u);
    });
    EXPECT_EQ(current_threads(), 6u);
  });
}

TEST(Threads, APipelineOfNothingInFlightTakesOneAtATime) {
  for (const std::size_t threads : {1, 3}) {
    with_threads(threads, [] {
      int produced = 0;
      int sum = 0;
      ordered_pipeline<int>(
          0, [&] { return produced < 10 ? std::make_shared<int>(produced++) : nullptr; }, [](int&) {},
          [&](int& item) { sum += item; });
      EXPECT_EQ(sum, 45);
    });
  }
}

TEST(OneThread, KeepsTheOrderAndTheExceptionsOfAPipeline) {
  with_share_of_threads(1, [] {
    std::vector<int> committed;
    int produced = 0;
    const auto run = [&](int failing) {
      committed.clear();
      produced = 0;
      ordered_pipeline<int>(
          3, [&] { return produced < 10 ? std::make_shared<int>(produced++) : nullptr; },
          [&](int& item) {
            if (item == failing) throw std::runtime_error("item");
          },
          [&](int& item) { committed.push_back(item); });
    };
    run(-1);
    EXPECT_EQ(committed.size(), 10u);
    EXPECT_TRUE(std::is_sorted(committed.begin(), committed.end()));
    EXPECT_THROW(run(4), std::runtime_error);
    EXPECT_EQ(committed, (std::vector<int>{0, 1, 2, 3}));
  });
}

}  // namespace
}  // namespace widehash
