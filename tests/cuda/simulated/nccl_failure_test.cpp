// What becomes of a call to NCCL that fails.

#include "on_device.hpp"
#include "simulator.hpp"

#include <widehash/device_team.hpp>
#include <widehash/error.hpp>

#include <vector>

#include <gmock/gmock.h>

namespace widehash::cuda {
namespace {

using ::testing::HasSubstr;

TEST(NcclFailure, EndsTheTeamByName) {
  for (const bool ordered : {true, false}) {
    TeamSettings settings;
    settings.timeout_seconds = 60;
    settings.ordered_device_sums = ordered;
    DeviceTeam team({{DeviceKind::cuda, 0}, {DeviceKind::cuda, 1}}, settings);
    std::string reason;
    try {
      team.run([&](Communicator& communicator) {
        const DeviceContext context(communicator.device().index);
        const auto values = on_device(context, std::vector<float>(10, 1.0f));
        const DeviceSpan<float> span{values.data(), values.size(), &context};
        communicator.all_reduce(span);
        communicator.barrier();
        if (communicator.rank() == 0) simulator::fail_call("nccl", 0, cudaErrorUnknown);
        communicator.barrier();
        communicator.all_reduce(span);
      });
    } catch (const Error& error) {
      reason = error.what();
    }
    EXPECT_THAT(reason, HasSubstr("nccl"));
  }
}

}  // namespace
}  // namespace widehash::cuda
