#include "rank_group.hpp"

#include "group_communicator.hpp"
#include "memory_link.hpp"

#include <widehash/error.hpp>

#include <barrier>
#include <memory>
#include <numeric>
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

/// Ranks of each process.
using Shape = std::vector<std::size_t>;

/// Calls work(communicator, group) for each rank of each process, on a thread of its own.
template <class Work>
void for_ranks(const Shape& shape, const Work& work) {
  MemoryJob job(static_cast<int>(shape.size()));
  job.run([&](int process) {
    const std::size_t ranks = shape[static_cast<std::size_t>(process)];
    RankGroup group(ranks, &job.link(process), patience_seconds);
    // They live until all ranks have ended: others may still look at what a rank shows when it has its own result.
    std::vector<std::unique_ptr<GroupCommunicator>> communicators;
    for (std::size_t local = 0; local < ranks; ++local)
      communicators.push_back(
          std::make_unique<GroupCommunicator>(group, local, Device{}, false, SumOrder::ranks));
    std::vector<std::thread> threads;
    for (auto& communicator : communicators) threads.emplace_back([&] { work(*communicator, group); });
    for (std::thread& thread : threads) thread.join();
  });
}

float number_of(std::size_t rank, std::size_t i) { return static_cast<float>((rank + 1) * (i + 7)) / 3.0F; }

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

TEST(RankGroup, SumsAcrossProcessesAreThoseOfOneProcess) {
  for (const Shape& shape : {Shape{1, 1}, Shape{2, 1, 2}, Shape{1, 3}}) {
    const std::size_t world = std::accumulate(shape.begin(), shape.end(), std::size_t{0});
    for (const std::size_t count : {1U, 5U, 1025U, 5000U}) {
      std::vector<float> expected(count);
      for (std::size_t i = 0; i < count; ++i) {
        expected[i] = number_of(0, i);
        for (std::size_t rank = 1; rank < world; ++rank) expected[i] += number_of(rank, i);
      }
      for_ranks(shape, [&](GroupCommunicator& communicator, RankGroup&) {
        EXPECT_EQ(communicator.size(), static_cast<int>(world));
        std::vector<float> values(count);
        for (std::size_t i = 0; i < count; ++i)
          values[i] = number_of(static_cast<std::size_t>(communicator.rank()), i);
        communicator.all_reduce(values);
        EXPECT_EQ(values, expected);
      });
    }
  }
}

TEST(RankGroup, EveryRankReachesEveryOtherAcrossProcesses) {
  const Shape shape{2, 1, 2};
  for_ranks(shape, [&](GroupCommunicator& communicator, RankGroup&) {
    const auto rank = static_cast<std::size_t>(communicator.rank());
    // Rank r sends r + 1 numbers to each, so that lengths differ and none can be taken for another's.
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
      for (;;) communicator.barrier();  // the first of them too: rank 1 may have left it before the others
    } catch (const CommError& error) {
      EXPECT_THAT(error.what(), HasSubstr("rank 1 failed: a.shard is damaged"));
    }
  });
}

/// What a rank of process 0 hears when `lost` of a job of that shape is gone.
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

}  // namespace
}  // namespace widehash::detail
