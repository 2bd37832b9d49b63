#include "nccl_link.hpp"

#include "cuda_test.hpp"
#include "on_device.hpp"
#include "parallel/sum_by_pairs.hpp"

#include <widehash/device_team.hpp>
#include <widehash/error.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <random>
#include <vector>

#include <gmock/gmock.h>

namespace widehash::cuda {
namespace {

std::vector<float> values_of_rank(int rank, std::size_t count) {
  std::mt19937_64 random(static_cast<std::uint64_t>(rank) + 1);
  std::vector<float> values(count);
  // Values of all magnitudes, so that another order of additions would show.
  for (float& value : values)
    value = std::ldexp(static_cast<float>(random() % 1000) - 500.0f, static_cast<int>(random() % 20));
  return values;
}

std::vector<float> sums_of_ranks(int ranks, std::size_t count) {
  return sums_by_pairs<float>(static_cast<std::size_t>(ranks), count, [count](std::size_t rank) {
    return values_of_rank(static_cast<int>(rank), count);
  });
}

const detail::HostLayout one_host;

DeviceSpan<float> span_of(const DeviceBuffer<float>& buffer, const DeviceContext& context) {
  return {buffer.data(), buffer.size(), &context};
}

/// Teams of GPUs. On a single GPU, ranks use NCCL or the host, as the NCCL version allows.
class DeviceCollectives : public CudaTest {
 protected:
  void SetUp() override {
    CudaTest::SetUp();
    if (IsSkipped()) return;
    EXPECT_EQ(cudaGetDeviceCount(&num_gpus_), cudaSuccess);
  }

  std::vector<Device> devices(int ranks) const {
    std::vector<Device> list;
    for (int r = 0; r < ranks; ++r) list.push_back({DeviceKind::cuda, r % num_gpus_});
    return list;
  }

  /// Calls work(communicator, context) on every rank.
  template <class Work>
  void run(std::vector<Device> list, const Work& work, bool ordered = true) {
    TeamSettings settings;
    settings.timeout_seconds = 60;
    settings.ordered_device_sums = ordered;
    DeviceTeam team(std::move(list), settings);
    team.run([&](Communicator& communicator) {
      const DeviceContext context(communicator.device().index);
      work(communicator, context);
    });
  }

  int num_gpus_ = 0;
};

TEST_F(DeviceCollectives, AllReduceAddsPairsOfRanks) {
  for (const int ranks : {1, 2, 4, 11}) {
    for (const std::size_t count : {0, 1, 3, 33, 10000}) {
      const auto expected = sums_of_ranks(ranks, count);
      run(devices(ranks), [&](Communicator& communicator, const DeviceContext& context) {
        const auto values = on_device(context, values_of_rank(communicator.rank(), count));
        communicator.all_reduce(span_of(values, context));
        EXPECT_EQ(on_host(context, values), expected) << ranks << " ranks, " << count << " values";
      });
    }
  }
}

TEST_F(DeviceCollectives, ReduceScatterGivesEachRankItsPart) {
  constexpr std::size_t count = 100;
  for (const int ranks : {1, 2, 3}) {
    // Uneven parts, one of them empty.
    std::vector<std::size_t> offsets(static_cast<std::size_t>(ranks) + 1, count);
    offsets[0] = 0;
    if (ranks == 3) offsets = {0, 37, 37, count};
    const auto sums = sums_of_ranks(ranks, count);
    run(devices(ranks), [&](Communicator& communicator, const DeviceContext& context) {
      const auto rank = static_cast<std::size_t>(communicator.rank());
      const auto values = on_device(context, values_of_rank(communicator.rank(), count));
      const DeviceBuffer<float> own(context, offsets[rank + 1] - offsets[rank], "part");
      communicator.reduce_scatter<float>(span_of(values, context), offsets, span_of(own, context));
      const std::vector<float> expected(sums.begin() + static_cast<std::ptrdiff_t>(offsets[rank]),
                                        sums.begin() + static_cast<std::ptrdiff_t>(offsets[rank + 1]));
      EXPECT_EQ(on_host(context, own), expected);
      EXPECT_EQ(on_host(context, values), values_of_rank(communicator.rank(), count));
    });
  }
}

TEST_F(DeviceCollectives, AllGatherPutsPartsInOrder) {
  const std::vector<std::size_t> offsets{0, 5, 5, 12};
  std::vector<float> expected;
  for (int r = 0; r < 3; ++r) {
    const auto part =
        values_of_rank(r, offsets[static_cast<std::size_t>(r) + 1] - offsets[static_cast<std::size_t>(r)]);
    expected.insert(expected.end(), part.begin(), part.end());
  }
  run(devices(3), [&](Communicator& communicator, const DeviceContext& context) {
    const auto rank = static_cast<std::size_t>(communicator.rank());
    const auto own =
        on_device(context, values_of_rank(communicator.rank(), offsets[rank + 1] - offsets[rank]));
    const DeviceBuffer<float> whole(context, offsets.back(), "whole");
    communicator.all_gather<float>(span_of(own, context), offsets, span_of(whole, context));
    EXPECT_EQ(on_host(context, whole), expected);
  });
}

TEST_F(DeviceCollectives, SumsInAnyOrderAreTheSameOnAllRanks) {
  constexpr std::size_t count = 1000;
  std::mutex mutex;
  std::vector<std::vector<float>> results;
  const auto expected = sums_of_ranks(2, count);
  run(
      devices(2),
      [&](Communicator& communicator, const DeviceContext& context) {
        const auto values = on_device(context, values_of_rank(communicator.rank(), count));
        communicator.all_reduce(span_of(values, context));
        const auto sums = on_host(context, values);
        const std::lock_guard guard(mutex);
        results.push_back(sums);
      },
      false);
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], expected);  // with two ranks, every order gives the same
}

TEST_F(DeviceCollectives, RanksOnGpusOfTheirOwnExchangeWithoutTheHost) {
  if (num_gpus_ < 2) GTEST_SKIP() << "one GPU";
  run(devices(2), [&](Communicator& communicator, const DeviceContext& context) {
    const auto collectives = detail::make_nccl_link(communicator, one_host, context, detail::SumOrder::ranks);
    if (collectives == nullptr) GTEST_SKIP() << "built without NCCL";
    const auto values = on_device(context, std::vector<float>(10, 1.0f));
    collectives->all_reduce(span_of(values, context));
    EXPECT_THAT(on_host(context, values), ::testing::Each(2.0f));
    EXPECT_EQ(collectives->bytes_sent(), 10 * sizeof(float));
  });
}

/// NCCL itself, with as many ranks on one GPU as its version and the environment allow.
TEST_F(DeviceCollectives, NcclTakesRanksOfOneGpuWhereItCan) {
  for (const int ranks : {2, 4}) {
    std::atomic<bool> has_link = true;
    run(std::vector<Device>(static_cast<std::size_t>(ranks), {DeviceKind::cuda, 0}),
        [&](Communicator& communicator, const DeviceContext& context) {
          const auto link = detail::make_nccl_link(communicator, one_host, context, detail::SumOrder::ranks);
          if (link == nullptr) {
            has_link = false;
            return;
          }
          const auto values = on_device(context, values_of_rank(communicator.rank(), 1000));
          link->all_reduce(span_of(values, context));
          EXPECT_EQ(on_host(context, values), sums_of_ranks(ranks, 1000));
        });
    if (!has_link) GTEST_SKIP() << "NCCL before 2.30, none, or no NCCL_MULTI_RANK_GPU_ENABLE=1";
  }
}

TEST_F(DeviceCollectives, RanksThatShareAGpuAddInTheSameOrder) {
  for (const int ranks : {2, 3, 11}) {
    const auto expected = sums_of_ranks(ranks, 50);
    run(std::vector<Device>(static_cast<std::size_t>(ranks), {DeviceKind::cuda, 0}),
        [&](Communicator& communicator, const DeviceContext& context) {
          const auto values = on_device(context, values_of_rank(communicator.rank(), 50));
          communicator.all_reduce(span_of(values, context));
          EXPECT_EQ(on_host(context, values), expected);
        });
  }
}

TEST_F(DeviceCollectives, RanksThatShareAGpuWaitForEachOther) {
  // A collective includes what was queued before it but not what was queued after it, however late other
  // ranks read.
  constexpr std::size_t count = 60;
  const std::vector<std::size_t> offsets{0, 20, 40, count};
  const auto sums = sums_of_ranks(3, count);
  run({{DeviceKind::cuda, 0}, {DeviceKind::cuda, 0}, {DeviceKind::cuda, 0}},
      [&](Communicator& communicator, const DeviceContext& context) {
        const auto values = on_device(context, values_of_rank(communicator.rank(), count));
        const auto zeros = on_device(context, std::vector<float>(count));
        const DeviceBuffer<float> queued(context, count, "values");
        const DeviceBuffer<float> own(context, 20, "part");
        copy_on_device(values.data(), queued.data(), count, context.stream());
        communicator.reduce_scatter<float>(span_of(queued, context), offsets, span_of(own, context));
        copy_on_device(zeros.data(), queued.data(), count, context.stream());
        context.stream().synchronize();
        communicator.barrier();
        const auto first = sums.begin() + 20 * communicator.rank();
        EXPECT_EQ(on_host(context, own), std::vector<float>(first, first + 20));
      });
}

TEST_F(DeviceCollectives, RanksOfWhichOnlySomeShareAGpuGoByWayOfTheHost) {
  if (num_gpus_ < 2) GTEST_SKIP() << "one GPU";
  constexpr std::size_t count = 60;
  const std::vector<std::size_t> offsets{0, 10, 40, count};
  const auto sums = sums_of_ranks(3, count);
  run({{DeviceKind::cuda, 0}, {DeviceKind::cuda, 0}, {DeviceKind::cuda, 1}},
      [&](Communicator& communicator, const DeviceContext& context) {
        const auto rank = static_cast<std::size_t>(communicator.rank());
        const auto values = on_device(context, values_of_rank(communicator.rank(), count));
        const DeviceBuffer<float> queued(context, count, "values");
        const DeviceBuffer<float> own(context, offsets[rank + 1] - offsets[rank], "part");
        const DeviceBuffer<float> whole(context, count, "whole");
        // The collective includes what was queued before it.
        copy_on_device(values.data(), queued.data(), count, context.stream());
        communicator.reduce_scatter<float>(span_of(queued, context), offsets, span_of(own, context));
        communicator.all_gather<float>(span_of(own, context), offsets, span_of(whole, context));
        EXPECT_EQ(on_host(context, whole), sums);
        copy_on_device(values.data(), queued.data(), count, context.stream());
        communicator.all_reduce(span_of(queued, context));
        EXPECT_EQ(on_host(context, queued), sums);
      });
}

TEST_F(DeviceCollectives, OffsetsThatDoNotFitTheArrayAreRefused) {
  for (const std::vector<std::size_t>& offsets :
       {std::vector<std::size_t>{0, 5, 9}, {0, 5, 11}, {1, 5, 10}, {0, 10}}) {
    run(devices(2), [&](Communicator& communicator, const DeviceContext& context) {
      const auto values = on_device(context, std::vector<float>(10, 1.0f));
      const DeviceBuffer<float> own(context, 5, "part");
      EXPECT_THROW(
          communicator.reduce_scatter<float>(span_of(values, context), offsets, span_of(own, context)),
          CommError);
      EXPECT_THROW(communicator.all_gather<float>(span_of(own, context), offsets, span_of(values, context)),
                   CommError);
    });
  }
}

TEST_F(DeviceCollectives, OneRankThatFailsLetsTheOthersGo) {
  EXPECT_THROW(run(devices(2),
                   [&](Communicator& communicator, const DeviceContext& context) {
                     const auto values = on_device(context, std::vector<float>(10, 1.0f));
                     communicator.all_reduce(span_of(values, context));
                     if (communicator.rank() == 1) throw DataError("rows.tsv", 3, "broken");
                     communicator.all_reduce(span_of(values, context));
                   }),
               DataError);
}

}  // namespace
}  // namespace widehash::cuda
