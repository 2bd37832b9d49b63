// What becomes of a call to NCCL that fails.

#include "cuda/on_device.hpp"
#include "nccl_link.hpp"
#include "simulator.hpp"

#include <widehash/device_team.hpp>
#include <widehash/error.hpp>

#include <string>
#include <vector>

#include <gmock/gmock.h>

namespace widehash::cuda {
namespace {

using ::testing::HasSubstr;

TEST(NcclFailure, EndsTheTeamByName) {
  TeamSettings settings;
  settings.timeout_seconds = 60;
  DeviceTeam team({{DeviceKind::cuda, 0}, {DeviceKind::cuda, 1}}, settings);
  simulator::fail_call("ncclGetUniqueId", 0, cudaErrorUnknown);
  std::string reason;
  try {
    team.run([&](Communicator& communicator) {
      const DeviceContext context(communicator.device().index);
      const auto values = on_device(context, std::vector<float>(10, 1.0f));
      communicator.all_reduce(DeviceSpan<float>{values.data(), values.size(), &context});
    });
  } catch (const Error& error) {
    reason = error.what();
  }
  EXPECT_THAT(reason, HasSubstr("ncclGetUniqueId"));
}

TEST(NcclFailure, ARankWithoutNcclLetsAllGoByWayOfTheHost) {
  TeamSettings settings;
  settings.timeout_seconds = 60;
  DeviceTeam team({{DeviceKind::cuda, 0}, {DeviceKind::cuda, 1}}, settings);
  simulator::fail_call("ncclGetVersion", 0, cudaErrorUnknown);
  team.run([&](Communicator& communicator) {
    const DeviceContext context(communicator.device().index);
    const auto values = on_device(context, std::vector<float>(10, 1.0f));
    communicator.all_reduce(DeviceSpan<float>{values.data(), values.size(), &context});
    EXPECT_THAT(on_host(context, values), ::testing::Each(2.0f));
    EXPECT_EQ(detail::make_nccl_link(communicator, detail::HostLayout(), context, detail::SumOrder::ranks) ==
                  nullptr,
              false);
  });
}

}  // namespace
}  // namespace widehash::cuda
