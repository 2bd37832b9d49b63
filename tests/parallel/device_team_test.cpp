#include "base/address_limit.hpp"

#include <widehash/device_team.hpp>
#include <widehash/error.hpp>

#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace widehash {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using namespace std::chrono_literals;

TEST(DeviceTeam, EveryDeviceIsARankOfTheWorld) {
  DeviceTeam team{std::vector<Device>(3)};
  EXPECT_EQ(team.world_size(), 3);
  EXPECT_EQ(team.first_rank(), 0);
  std::vector<int> ranks(3, -1);
  team.run([&](Communicator& c) {
    EXPECT_EQ(c.size(), 3);
    ranks[static_cast<std::size_t>(c.rank())] = c.rank();
  });
  EXPECT_EQ(ranks, (std::vector<int>{0, 1, 2}));
}

TEST(DeviceTeam, ATeamWithoutDevicesOrOfTooManyIsRefused) {
  EXPECT_THROW(DeviceTeam({}), ConfigError);
  EXPECT_THROW(DeviceTeam(std::vector<Device>(max_devices + 1)), ConfigError);
}

TEST(DeviceTeam, TimeoutsAreFiniteAndAboveZero) {
  for (const double seconds : {0.0, -1.0, std::numeric_limits<double>::infinity(), std::nan("")}) {
    EXPECT_THROW(DeviceTeam(std::vector<Device>(2), {.timeout_seconds = seconds}), ConfigError) << seconds;
  }
}

TEST(DeviceTeam, AThreadThatCannotBeStartedIsADeviceError) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers want all of the address space";
#endif
  // Runs in a process of its own, with room for the stacks of some threads but not of all.
  EXPECT_EXIT(
      {
        DeviceTeam team(std::vector<Device>(60));
        test::limit_addresses(std::uint64_t{60} << 20);
        try {
          team.run([](Communicator& c) { c.barrier(); });
        } catch (const DeviceError& error) {
          std::fputs(error.what(), stderr);
          std::exit(3);
        }
        std::exit(4);
      },
      testing::ExitedWithCode(3), "cannot start a thread for each of 60 devices");
}

TEST(DeviceTeam, ARankThatFailsLetsTheOthersGoAndIsNamed) {
  DeviceTeam team{std::vector<Device>(4)};
  std::vector<std::string> heard(4);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_THROW(team.run([&](Communicator& c) {
    const auto rank = static_cast<std::size_t>(c.rank());
    c.barrier();
    if (rank == 2) throw DataError("a.shard", 0, "is damaged");
    try {
      for (;;) c.barrier();
    } catch (const CommError& error) {
      heard[rank] = error.what();
      throw;
    }
  }),
               DataError);
  EXPECT_LT(std::chrono::steady_clock::now() - start, 10s);
  for (const std::size_t rank : {0, 1, 3}) {
    EXPECT_THAT(heard[rank], AllOf(HasSubstr("rank 2"), HasSubstr("is damaged")));
  }
}

TEST(DeviceTeam, OfSeveralFailuresThatOfTheLowestRankIsThrown) {
  for (int i = 0; i < 20; ++i) {
    DeviceTeam team{std::vector<Device>(4)};
    try {
      team.run([](Communicator& c) {
        if (c.rank() == 1) std::this_thread::sleep_for(1ms);
        if (c.rank() != 0) throw ConfigError("of rank " + std::to_string(c.rank()));
        c.barrier();
      });
      ADD_FAILURE() << "nothing was thrown";
    } catch (const ConfigError& error) {
      EXPECT_STREQ(error.what(), "of rank 1");
    }
  }
}

TEST(DeviceTeam, WhatIsThrownNeedNotBeAnException) {
  struct Stopped {};
  DeviceTeam team{std::vector<Device>(2)};
  EXPECT_THROW(team.run([](Communicator& c) {
    if (c.rank() == 0) throw Stopped();
    c.barrier();
  }),
               Stopped);
}

TEST(DeviceTeam, ARankThatDoesNotComeIsTakenForStuck) {
  DeviceTeam team(std::vector<Device>(2), {.timeout_seconds = 0.75});
  std::string heard;
  EXPECT_THROW(team.run([&](Communicator& c) {
    if (c.rank() == 1) {
      std::this_thread::sleep_for(1500ms);
      return;
    }
    try {
      c.barrier();
    } catch (const CommError& error) {
      heard = error.what();
      throw;
    }
  }),
               CommError);
  EXPECT_THAT(heard, HasSubstr("within 0.75 s"));
}

TEST(DeviceTeam, TimesAddUpToTheTimeThatPassed) {
  DeviceTeam team{std::vector<Device>(2)};
  using Clock = std::chrono::steady_clock;
  // These bounds hold however late a thread is woken on a busy machine.
  std::array<std::chrono::duration<double>, 2> least{}, most{};
  team.run([&](Communicator& c) {
    const auto before_start = Clock::now();
    c.clock().start(true);
    const auto started = Clock::now();
    if (c.rank() == 1) {
      const ActivityScope scope(c.clock(), Activity::compute);
      std::this_thread::sleep_for(60ms);
    }
    c.barrier();
    const auto stopping = Clock::now();
    c.clock().stop();
    const auto rank = static_cast<std::size_t>(c.rank());
    least[rank] = stopping - started;
    most[rank] = Clock::now() - before_start;
  });
  for (std::size_t rank = 0; rank < 2; ++rank) {
    const ActivityClock& clock = team.communicator(rank).clock();
    EXPECT_GE(clock.total_seconds(), least[rank].count() - 1e-6);
    EXPECT_LE(clock.total_seconds(), most[rank].count() + 1e-6);
    EXPECT_GT(clock.seconds(Activity::wait), 0);
    EXPECT_FALSE(clock.spans().empty());
  }
  EXPECT_GE(team.communicator(1).clock().seconds(Activity::compute), 0.059);
}

}  // namespace
}  // namespace widehash
