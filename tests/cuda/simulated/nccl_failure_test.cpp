// What happens when a call to NCCL fails.

#include "cuda/memory_gate.hpp"
#include "cuda/on_device.hpp"
#include "nccl_link.hpp"
#include "simulator.hpp"

#include <widehash/device_team.hpp>
#include <widehash/error.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>

namespace widehash::cuda {
namespace {

using ::testing::HasSubstr;

class TwoGpus : public DeviceTeam {
 public:
  TwoGpus() : DeviceTeam({{DeviceKind::cuda, 0}, {DeviceKind::cuda, 1}}, {.timeout_seconds = 60}) {}
};

/// The sum of both ranks' numbers, which are all 1.
DeviceBuffer<float> sum_of_ones(Communicator& communicator, const DeviceContext& context) {
  auto values = on_device(context, std::vector<float>(10, 1.0f));
  communicator.all_reduce(DeviceSpan<float>{values.data(), values.size(), &context});
  return values;
}

TEST(NcclFailure, EndsTheTeamByName) {
  TwoGpus team;
  simulator::fail_call("ncclGetUniqueId", 0, cudaErrorUnknown);
  std::string reason;
  try {
    team.run([&](Communicator& communicator) {
      const DeviceContext context(communicator.device().index);
      sum_of_ones(communicator, context);
    });
  } catch (const Error& error) {
    reason = error.what();
  }
  EXPECT_THAT(reason, HasSubstr("ncclGetUniqueId"));
}

TEST(NcclFailure, ARankWithoutNcclLetsAllGoByWayOfTheHost) {
  TwoGpus team;
  simulator::fail_call("ncclGetVersion", 0, cudaErrorUnknown);
  team.run([&](Communicator& communicator) {
    const DeviceContext context(communicator.device().index);
    EXPECT_THAT(on_host(context, sum_of_ones(communicator, context)), ::testing::Each(2.0f));
    EXPECT_EQ(detail::make_nccl_link(communicator, detail::HostLayout(), context, detail::SumOrder::ranks) ==
                  nullptr,
              false);
  });
}

TEST(NcclFailure, AFailedCallEndsItsGroupAndIsReportedToAll) {
  TwoGpus team;
  std::string failed;
  simulator::fail_call("ncclSend", 0, cudaErrorUnknown);
  try {
    team.run([&](Communicator& communicator) {
      const DeviceContext context(communicator.device().index);
      try {
        sum_of_ones(communicator, context);
        ADD_FAILURE() << "nothing was thrown";
      } catch (const CommError& error) {
        EXPECT_THAT(error.what(), HasSubstr("ncclSend failed on rank"));
        throw;
      }
    });
  } catch (const CommError& error) {
    failed = error.what();
  }
  EXPECT_THAT(failed, HasSubstr("ncclSend failed on rank"));
  // The groups of the threads are closed, so another team in them has NCCL again.
  TwoGpus next;
  next.run([&](Communicator& communicator) {
    const DeviceContext context(communicator.device().index);
    EXPECT_THAT(on_host(context, sum_of_ones(communicator, context)), ::testing::Each(2.0f));
  });
}

TEST(NcclFailure, OthersAreNotifiedBeforeAnyWait) {
  TwoGpus team;
  const detail::HostLayout one_host;
  const std::uint64_t before = simulator::num_calls("ncclCommAbort");
  std::atomic<int> num_told = 0;
  EXPECT_THROW(team.run([&](Communicator& communicator) {
    const DeviceContext context(communicator.device().index);
    const auto link = detail::make_nccl_link(communicator, one_host, context, detail::SumOrder::ranks,
                                             [&](const std::string& reason) {
                                               const bool is_first = num_told++ == 0;
                                               if (is_first) {
                                                 EXPECT_THAT(reason, HasSubstr("ncclGroupEnd"));
                                                 EXPECT_EQ(simulator::num_calls("ncclCommAbort"), before);
                                               }
                                               return true;
                                             });
    const auto values = on_device(context, std::vector<float>(10, 1.0f));
    if (communicator.rank() == 0) simulator::fail_call("nccl", 0, cudaErrorUnknown);
    communicator.barrier();
    link->all_reduce({values.data(), values.size(), &context});
  }),
               CommError);
  EXPECT_EQ(num_told, 2);
}

TEST(NcclFailure, ARankWithoutMemoryForACollectiveSaysSoItself) {
  TwoGpus team;
  EXPECT_THROW(team.run([&](Communicator& communicator) {
    const DeviceContext context(communicator.device().index);
    sum_of_ones(communicator, context);
    auto values = on_device(context, std::vector<float>(1000, 1.0f));
    communicator.barrier();
    if (communicator.rank() == 1) simulator::fail_call("cudaMalloc", 0, cudaErrorMemoryAllocation);
    communicator.barrier();
    if (communicator.rank() == 0) communicator.barrier();  // the failing rank releases it
    communicator.all_reduce(DeviceSpan<float>{values.data(), values.size(), &context});
  }),
               DeviceError);
}

TEST(NcclFailure, WhoFailsEndsWhatOthersWaitForOnTheirGpus) {
  TwoGpus team;
  const std::uint64_t before = simulator::num_calls("ncclCommAbort");
  std::string reason;
  try {
    team.run([&](Communicator& communicator) {
      const DeviceContext context(communicator.device().index);
      sum_of_ones(communicator, context);
      if (communicator.rank() == 1) throw DataError("rows.tsv", 3, "broken");
      // Like a step that waits for a collective: makes no more calls, so nothing would report the failure.
      const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
      while (simulator::num_calls("ncclCommAbort") < before + 2 &&
             std::chrono::steady_clock::now() < deadline)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      EXPECT_EQ(simulator::num_calls("ncclCommAbort"), before + 2);
      throw DataError("batch 7", 0, "the gradient is not finite");  // because the numbers never came
    });
  } catch (const Error& error) {
    reason = error.what();
  }
  EXPECT_THAT(reason, HasSubstr("broken"));
}

TEST(NcclFailure, ARankThatWaitsForMemoryIsCutOff) {
  TwoGpus team;
  // A device holds up a rank that frees memory in the same way, while a collective on it waits for another rank.
  std::optional<MemoryGate::Start> closed;
  std::uint64_t aborted = 0;
  std::atomic<std::uint64_t> taken = 0;
  std::thread watcher;
  EXPECT_THROW(team.run([&](Communicator& communicator) {
    const DeviceContext context(communicator.device().index);
    sum_of_ones(communicator, context);
    DeviceBuffer<float> values;
    if (communicator.rank() == 1) values = on_device(context, std::vector<float>(1000, 1.0f));
    communicator.barrier();
    if (communicator.rank() == 0) {
      aborted = simulator::num_calls("ncclCommAbort");
      taken = simulator::num_calls("cudaMalloc");
      closed.emplace(MemoryGate::of_process());
      watcher = std::thread([&] {
        while (simulator::num_calls("ncclCommAbort") < aborted + 2)
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
        taken = simulator::num_calls("cudaMalloc") - taken;
        closed.reset();
      });
    }
    communicator.barrier();
    if (communicator.rank() == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      throw DataError("rows.tsv", 3, "broken");
    }
    communicator.all_reduce(DeviceSpan<float>{values.data(), values.size(), &context});
  }),
               DataError);
  watcher.join();
  EXPECT_EQ(taken, 0u);
}

TEST(NcclFailure, ACollectiveOfARankThatWasCutOffShowsWhoFailed) {
  TwoGpus team;
  const std::uint64_t before = simulator::num_calls("ncclCommAbort");
  EXPECT_THROW(team.run([&](Communicator& communicator) {
    const DeviceContext context(communicator.device().index);
    sum_of_ones(communicator, context);
    if (communicator.rank() == 1) throw DataError("rows.tsv", 3, "broken");
    while (simulator::num_calls("ncclCommAbort") < before + 2)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    try {
      sum_of_ones(communicator, context);
      ADD_FAILURE() << "nothing was thrown";
    } catch (const CommError& error) {
      EXPECT_THAT(error.what(), HasSubstr("rank 1 failed: rows.tsv"));
      throw;
    }
  }),
               DataError);
}

}  // namespace
}  // namespace widehash::cuda
