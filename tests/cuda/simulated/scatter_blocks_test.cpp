// How many blocks of the gradient run at once on devices of other sizes than those the kernels are compiled for.

#include "cuda/scatter_tiles.hpp"
#include "network/batches.hpp"

#include <gtest/gtest.h>
#include <simulator.hpp>

namespace widehash::cuda {
namespace {

std::vector<std::uint64_t> blocks_at_once(int threads, std::size_t shared_bytes) {
  simulator::Settings device = simulator::settings();
  device.multiprocessors = 5;
  device.threads_per_multiprocessor = threads;
  device.shared_bytes_per_block = shared_bytes;
  simulator::configure(device);
  std::vector<std::uint64_t> blocks;
  {
    const DeviceContext context(0);
    // One slot that takes half of the shared memory, and one that takes little.
    const std::uint64_t wide = (shared_bytes / 2 - 1024) / 8;
    Schema schema;
    schema.label.field = "y";
    for (const std::uint64_t width : {std::uint64_t{100}, wide})
      schema.features.push_back(test::feature("f", Encoding::four_split, width * width));
    const auto layout = test::share(make_layout(schema));
    const SlotPlanCopy plan(context, *layout, {0, layout->num_columns});
    const ScatterTiles tiles(context, plan, 1);
    for (const TileRun& run : tiles.runs()) blocks.push_back(run.blocks_at_once());
  }
  simulator::configure(simulator::settings_from_environment());
  return blocks;
}

TEST(ScatterBlocks, AreAsManyAsTheDeviceHasThreadsAndMemoryFor) {
  EXPECT_EQ(blocks_at_once(2048, 227 * 1024), (std::vector<std::uint64_t>{5 * 4, 5 * 2}));
  EXPECT_EQ(blocks_at_once(1536, 99 * 1024), (std::vector<std::uint64_t>{5 * 3, 5 * 2}));
  EXPECT_EQ(blocks_at_once(1024, 64 * 1024), (std::vector<std::uint64_t>{5 * 2}));  // no tile is large
}

}  // namespace
}  // namespace widehash::cuda
