#include "rank_group.hpp"

#include "group_communicator.hpp"
#include "memory_link.hpp"
#include "sum_by_pairs.hpp"

#include <widehash/error.hpp>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <cmath>
#include <memory>
#include <mutex>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace widehash::detail {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr double patience_seconds = 60;

/// The number of ranks of each process.
using Shape = std::vector<std::size_t>;

/// Calls work(communicator, group) for each rank of each process, on a thread of its own. `hosts` is
/// that of MemoryJob.
template <class Work>
void for_ranks(const Shape& shape, const Work& work, const std::vector<std::string>& hosts = {}) {
  MemoryJob job(static_cast<int>(shape.size()), hosts);
  job.run([&](int process) {
    const std::size_t ranks = shape[static_cast<std::size_t>(process)];
    RankGroup group(ranks, &job.link(process), patience_seconds);
    // They live until all ranks have ended: after a rank has its own result, others may still read what it shows.
    std::vector<std::unique_ptr<GroupCommunicator>> communicators;
    for (std::size_t local = 0; local < ranks; ++local)
      communicators.push_back(
          std::make_unique<GroupCommunicator>(group, local, Device{}, false, SumOrder::ranks));
    std::vector<std::thread> threads;
    for (auto& communicator : communicators) threads.emplace_back([&] { work(*communicator, group); });
    for (std::thread& thread : threads) thread.join();
  });
}

/// Numbers of very different sizes, so that another order of additions gives other bits.
std::vector<float> numbers_of(std::size_t rank, std::size_t count) {
  std::mt19937_64 random(rank + 1);
  std::vector<float> numbers(count);
  for (float& number : numbers)
    number = std::ldexp(static_cast<float>(random() % 1000) - 500, static_cast<int>(random() % 20)) / 3;
  return numbers;
}

std::vector<float> sums_of(std::size_t world, std::size_t count) {
  return sums_by_pairs<float>(world, count, [count](std::size_t rank) { return numbers_of(rank, count); });
}

/// Processes and the hosts they are on. Some jobs can add host by host, and some cannot.
struct Job {
  Shape shape;
  std::vector<std::string> hosts;
  std::size_t ranks_per_host;  // 0: sums do not go host by host

  std::size_t world() const { return std::accumulate(shape.begin(), shape.end(), std::size_t{0}); }
};

const std::vector<Job>& jobs() {
  static const std::vector<Job> list{
      {{1, 1}, {"a", "a"}, 0},
      {{2, 1, 2}, {"a", "a", "b"}, 0},
      {{1, 3}, {"a", "b"}, 0},
      {{2, 2}, {"a", "b"}, 2},
      {{1, 1, 1, 1}, {"a", "a", "b", "b"}, 2},
      {{1, 1, 1, 1}, {"a", "b", "a", "b"}, 0},
      {{2, 1, 1, 2}, {"a", "b", "b", "c"}, 2},
      {{4, 2, 1, 1}, {"a", "b", "b", "b"}, 4},
  };
  return list;
}

// Below and from the size on at which collectives go host by host, and with parts of unequal size.
constexpr std::size_t counts[] = {
    1, 5, 1025, by_hosts_bytes / sizeof(float) - 1, by_hosts_bytes / sizeof(float), 20'011};

TEST(RankGroup, RanksCountThroughTheProcesses) {
  MemoryJob job(3);
  const Shape shape{2, 1, 3};
  job.run([&](int process) {
    const RankGroup group(shape[static_cast<std::size_t>(process)], &job.link(process), patience_seconds);
    EXPECT_EQ(group.world_size(), 6);
    EXPECT_EQ(group.first_rank(), std::vector({0, 2, 3})[static_cast<std::size_t>(process)]);
    EXPECT_EQ(group.num_local(), shape[static_cast<std::size_t>(process)]);
  });
}

TEST(RankGroup, ProcessesWithOtherDevicesAreRefusedByAll) {
  MemoryJob job(3);
  job.run([&](int process) {
    const DeviceKind kind = process == 1 ? DeviceKind::cuda : DeviceKind::cpu;
    try {
      const RankGroup group(1, &job.link(process), patience_seconds, kind);
      ADD_FAILURE() << "nothing was thrown";
    } catch (const ConfigError& error) {
      EXPECT_THAT(error.what(), HasSubstr("process 1 has GPUs, but process 0 has processors"));
    }
  });
}

TEST(RankGroup, SumsAcrossProcessesAndHostsAreThoseOfOneProcess) {
  for (const Job& job : jobs()) {
    for (const std::size_t count : counts) {
      const std::vector<float> expected = sums_of(job.world(), count);
      for_ranks(
          job.shape,
          [&](GroupCommunicator& communicator, RankGroup&) {
            EXPECT_EQ(communicator.size(), static_cast<int>(job.world()));
            // Twice, because memory is kept from one call to the next.
            for (int round = 0; round < 2; ++round) {
              std::vector<float> values = numbers_of(static_cast<std::size_t>(communicator.rank()), count);
              communicator.all_reduce(values);
              EXPECT_EQ(values, expected);
            }
          },
          job.hosts);
    }
  }
}

/// Cuts that leave some parts empty.
std::vector<std::size_t> uneven_offsets(std::size_t count, std::size_t parts) {
  std::vector<std::size_t> offsets{0};
  for (std::size_t p = 1; p < parts; ++p)
    offsets.push_back(p % 3 == 1 ? offsets.back() : count - count / (p + 2));
  offsets.push_back(count);
  return offsets;
}

TEST(RankGroup, PartsOfSumsAndWholesAreThoseOfOneProcessOnEveryHost) {
  for (const Job& job : jobs()) {
    for (const std::size_t count : counts) {
      const std::vector<float> sums = sums_of(job.world(), count);
      for (const auto& offsets : {even_offsets(count, job.world()), uneven_offsets(count, job.world())}) {
        for_ranks(
            job.shape,
            [&](GroupCommunicator& communicator, RankGroup&) {
              const auto rank = static_cast<std::size_t>(communicator.rank());
              const std::vector<float> values = numbers_of(rank, count);
              std::vector<float> own(offsets[rank + 1] - offsets[rank]);
              communicator.reduce_scatter(std::span<const float>(values), offsets, std::span<float>(own));
              EXPECT_TRUE(std::ranges::equal(own, std::span(sums).subspan(offsets[rank], own.size())));
              EXPECT_EQ(values, numbers_of(rank, count));
              std::vector<float> whole(count);
              communicator.all_gather<float>(own, offsets, whole);
              EXPECT_EQ(whole, sums);
              // Each rank's part is already in its place.
              std::vector<float> in_place(count, -1);
              const auto place = std::span(in_place).subspan(offsets[rank], own.size());
              std::ranges::copy(own, place.begin());
              communicator.all_gather<float>(place, offsets, in_place);
              EXPECT_EQ(in_place, sums);
            },
            job.hosts);
      }
    }
  }
}

TEST(RankGroup, ManyNumbersCrossBetweenHostsOnceAHost) {
  constexpr std::size_t count = 48'000;  // a multiple of every world size
  constexpr std::size_t bytes = count * sizeof(float);
  for (const Job& job : jobs()) {
    const std::size_t world = job.world();
    for_ranks(
        job.shape,
        [&](GroupCommunicator& communicator, RankGroup& group) {
          EXPECT_EQ(group.hosts().is_even(), job.ranks_per_host > 0);
          std::size_t strangers = 0;
          for (std::size_t r = 0; r < world; ++r)
            strangers +=
                group.hosts().are_neighbours(r, static_cast<std::size_t>(communicator.rank())) ? 0 : 1;
          // In a world of two, each rank sends what it has. Otherwise each sends its part twice: to all
          // strangers, or to one on each other host.
          std::vector<float> values(count);
          communicator.all_reduce(values);
          const std::size_t crossings = job.ranks_per_host > 0 ? strangers / job.ranks_per_host : strangers;
          EXPECT_EQ(communicator.bytes_sent(), world == 2 ? bytes : 2 * (world - 1) * bytes / world);
          EXPECT_EQ(communicator.bytes_sent_to_other_hosts(), 2 * crossings * bytes / world);
        },
        job.hosts);
  }
}

TEST(RankGroup, EveryRankReachesEveryOtherAcrossProcesses) {
  const Shape shape{2, 1, 2};
  for_ranks(shape, [&](GroupCommunicator& communicator, RankGroup&) {
    const auto rank = static_cast<std::size_t>(communicator.rank());
    // Rank r sends r + 1 numbers to each rank, so that lengths differ and none can be mistaken for another's.
    constexpr std::size_t world = 5;
    std::vector<std::vector<std::uint32_t>> own(world), got(world);
    std::vector<Bytes> to;
    std::vector<std::span<std::byte>> from;
    for (std::size_t other = 0; other < world; ++other) {
      own[other].assign(rank + 1, static_cast<std::uint32_t>(100 * rank + other));
      got[other].resize(other + 1);
      to.push_back(std::as_bytes(std::span(own[other])));
      from.push_back(std::as_writable_bytes(std::span(got[other])));
    }
    communicator.all_to_all_bytes(to, from);
    for (std::size_t other = 0; other < world; ++other) {
      const auto sent = static_cast<std::uint32_t>(100 * other + rank);
      EXPECT_EQ(got[other], std::vector<std::uint32_t>(other + 1, sent));
    }
  });
}

TEST(RankGroup, AFailureLetsTheRanksOfOtherProcessesGo) {
  for_ranks({2, 1}, [](GroupCommunicator& communicator, RankGroup& group) {
    if (communicator.rank() == 1) {
      communicator.barrier();
      EXPECT_TRUE(group.fail(1, "a.shard is damaged"));
      EXPECT_FALSE(group.fail(1, "and so on"));
      return;
    }
    try {
      for (;;) communicator.barrier();  // even the first may throw: rank 1 may have left it earlier
    } catch (const CommError& error) {
      EXPECT_THAT(error.what(), HasSubstr("rank 1 failed: a.shard is damaged"));
    }
  });
}

TEST(RankGroup, WhoWaitsTooLongNotifiesTheOtherProcesses) {
  constexpr double short_seconds = 0.2;
  MemoryJob job(2);
  std::atomic<bool> is_told = false;
  job.run([&](int process) {
    RankGroup group(process == 0 ? 2 : 1, &job.link(process),
                    process == 0 ? short_seconds : patience_seconds);
    std::vector<std::thread> threads;
    for (std::size_t local = 0; local < (process == 0 ? 2U : 1U); ++local) {
      threads.emplace_back([&, local] {
        GroupCommunicator communicator(group, local, Device{}, false, SumOrder::ranks);
        if (communicator.rank() == 1) {  // hangs until the other process has given up
          while (!is_told) std::this_thread::sleep_for(std::chrono::milliseconds(5));
          return;
        }
        try {
          communicator.barrier();
          ADD_FAILURE() << "rank 1 never came";
        } catch (const CommError& error) {
          EXPECT_THAT(error.what(), HasSubstr("a device did not reach a collective within 0.2 s"));
          if (process == 1) {
            EXPECT_THAT(error.what(), HasSubstr("rank 0 failed"));
          }
        }
        if (process == 1) is_told = true;
      });
    }
    for (std::thread& thread : threads) thread.join();
  });
}

/// What a rank of process 0 hears if process `lost` of a job of that shape is gone.
std::string heard_of_loss(const Shape& shape, int lost) {
  MemoryJob job(static_cast<int>(shape.size()));
  std::barrier all_have_groups(job.num_processes());
  std::string heard;
  job.run([&](int process) {
    RankGroup group(shape[static_cast<std::size_t>(process)], &job.link(process), patience_seconds);
    all_have_groups.arrive_and_wait();
    if (process == lost) job.lose(lost, "is gone: it was killed");
    if (process != 0) return;
    ActivityClock clock;
    const auto transport = group.make_transport(0, clock);
    try {
      const std::vector<Bytes> nothing(static_cast<std::size_t>(group.world_size()));
      const std::vector<std::size_t> none(nothing.size(), 0);
      std::vector<Bytes> from(nothing.size());
      for (;;) transport->exchange(nothing, none, from);
    } catch (const CommError& error) {
      heard = error.what();
    }
  });
  return heard;
}

TEST(RankGroup, AProcessThatIsGoneIsNamedByItsRanks) {
  EXPECT_EQ(heard_of_loss({1, 1}, 1), "rank 1 is gone: it was killed");
  EXPECT_EQ(heard_of_loss({1, 2, 3}, 2), "the process of ranks 3 to 5 is gone: it was killed");
}

/// One of two processes, whose peer never answers. Its exchange ends some time after it was told to.
class SlowLink final : public ProcessLink {
 public:
  int process() const noexcept override { return 0; }
  int num_processes() const noexcept override { return 2; }
  std::string host() const override { return "here"; }
  void exchange(std::span<const Outgoing> outgoing, std::span<const Incoming> incoming,
                const std::function<void()>& check, double) override {
    if (!has_begun_.exchange(true)) {  // the exchange of crews: the other process has the same
      std::ranges::copy(outgoing.front().bytes, incoming.front().bytes.begin());
      return;
    }
    const std::vector<std::vector<std::byte>> before = copies_of(outgoing);
    is_sending.arrive_and_wait();
    try {
      for (;;) check();
    } catch (const CommError&) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      sent_what_was_shown = copies_of(outgoing) == before;
      throw;
    }
  }
  void announce_failure(const std::string&) override {}
  void check() const override {}
  void listen(FailureListener listener) override {
    const std::lock_guard lock(mutex_);
    listener_ = std::move(listener);
  }
  void lose_the_other() {
    const std::lock_guard lock(mutex_);
    listener_(1, "is gone");
  }

  std::barrier<> is_sending{2};
  std::atomic<bool> sent_what_was_shown = false;

 private:
  static std::vector<std::vector<std::byte>> copies_of(std::span<const Outgoing> messages) {
    std::vector<std::vector<std::byte>> copies;
    for (const Outgoing& message : messages) copies.emplace_back(message.bytes.begin(), message.bytes.end());
    return copies;
  }

  std::atomic<bool> has_begun_ = false;
  std::mutex mutex_;
  FailureListener listener_;
};

TEST(RankGroup, MemoryThatARankShowsIsNotGivenBackWhileItIsSent) {
  SlowLink link;
  RankGroup group(2, &link, patience_seconds);
  std::vector<std::thread> threads;
  for (std::size_t local = 0; local < 2; ++local) {
    threads.emplace_back([&group, local] {
      GroupCommunicator communicator(group, local, Device{}, false, SumOrder::ranks);
      std::vector<float> values(5000, static_cast<float>(local));
      EXPECT_THROW(communicator.all_reduce(values), CommError);
      std::ranges::fill(values, 99.0F);  // as the next user of the memory would
      group.fail(static_cast<int>(local), "it ended");
    });
  }
  link.is_sending.arrive_and_wait();
  link.lose_the_other();
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(link.sent_what_was_shown);
}

}  // namespace
}  // namespace widehash::detail
