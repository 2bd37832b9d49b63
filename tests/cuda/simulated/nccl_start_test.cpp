// What ranks of one process do between the start of a collective and their next step.

#include "cuda/on_device.hpp"
#include "simulator.hpp"

#include <widehash/device_team.hpp>

#include <cstdint>
#include <vector>

#include <gmock/gmock.h>

namespace widehash::cuda {
namespace {

// The next step may load a kernel, which waits for what runs.
TEST(NcclStart, NoRankGoesOnBeforeAllHaveStartedTheirKernels) {
  constexpr std::uint64_t num_ranks = 3, num_sums = 300;
  DeviceTeam team({{DeviceKind::cuda, 0}, {DeviceKind::cuda, 1}, {DeviceKind::cuda, 2}},
                  {.timeout_seconds = 60});
  const std::uint64_t before = simulator::num_calls("ncclGroupEnd");
  team.run([&](Communicator& communicator) {
    const DeviceContext context(communicator.device().index);
    const auto values = on_device(context, std::vector<float>(10, 0.0f));
    for (std::uint64_t i = 1; i <= num_sums; ++i) {
      communicator.all_reduce(DeviceSpan<float>{values.data(), values.size(), &context});
      ASSERT_GE(simulator::num_calls("ncclGroupEnd") - before, num_ranks * i) << "after sum " << i;
    }
  });
  EXPECT_EQ(simulator::num_calls("ncclGroupEnd") - before, num_ranks * num_sums) << "one group for each sum";
}

}  // namespace
}  // namespace widehash::cuda
