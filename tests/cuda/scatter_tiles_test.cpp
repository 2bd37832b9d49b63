// How slots and units are divided among blocks: each unit of each slot is in one tile, or in none and then
// takes the other path.

#include "cuda/scatter_tiles.hpp"

#include "cuda_test.hpp"
#include "network/batches.hpp"
#include "on_device.hpp"

#include <map>
#include <set>
#include <utility>
#include <vector>

namespace widehash::cuda {
namespace {

class ScatterTilesTest : public CudaTest {};

std::shared_ptr<const CodeLayout> layout_of_widths(const std::vector<std::uint64_t>& widths) {
  Schema schema;
  schema.label.field = "y";
  for (const std::uint64_t width : widths)
    schema.features.push_back(test::feature("f", Encoding::four_split, width * width));
  return test::share(make_layout(schema));
}

/// The widest slot that a tile of this device takes.
std::uint64_t most_columns(const DeviceContext& context) {
  const auto layout = layout_of_widths({3});
  const SlotPlanCopy plan(context, *layout, {0, layout->num_columns});
  return ScatterTiles(context, plan, 1).most_columns();
}

/// The banks that hold the sums of a bucket, for all units of all copies: the lanes of a warp add to each of them.
std::set<std::uint32_t> banks_of_a_bucket(const ScatterTile& tile) {
  std::set<std::uint32_t> banks;
  for (std::uint32_t copy = 0; copy < tile.copies; ++copy) {
    for (std::uint32_t unit = 0; unit < tile.num_units; ++unit)
      banks.insert((copy * tile.num_units + unit) % 32);
  }
  return banks;
}

TEST_F(ScatterTilesTest, EveryUnitOfEverySlotIsInOneTile) {
  const DeviceContext context(0);
  const std::uint64_t most = most_columns(context);
  const auto layout = layout_of_widths({3, 47, 200, 256, 257, 3000, most, most + 1});
  for (const std::uint32_t units : {1u, 2u, 3u, 5u, 8u, 16u, 32u, 40u, 64u}) {
    const SlotPlanCopy plan(context, *layout, {0, layout->num_columns});
    const ScatterTiles tiles(context, plan, units);
    std::map<std::pair<SlotContents, std::uint32_t>, std::vector<int>> seen;
    for (const TileRun& run : tiles.runs()) {
      EXPECT_FALSE(run.tiles().empty());
      for (const ScatterTile& tile : run.tiles()) {
        EXPECT_LE((tile.num_columns + 1) * tile.num_units * tile.copies * 8, run.shared_bytes());
        EXPECT_EQ(banks_of_a_bucket(tile).size(), tile.copies * tile.num_units);
        EXPECT_LE(tile.num_units, 32u);
        EXPECT_EQ(tile.num_units & (tile.num_units - 1), 0u);
        auto& counts = seen[{tile.contents, tile.slot}];
        counts.resize(units);
        for (std::uint32_t unit = tile.first_unit; unit < tile.first_unit + tile.num_units && unit < units;
             ++unit)
          ++counts[unit];
      }
    }
    // The widest slot has no tile.
    EXPECT_EQ(seen.size(), 7u * 4);
    EXPECT_TRUE(tiles.has_rest());
    for (const auto& [slot, counts] : seen) EXPECT_EQ(counts, std::vector<int>(units, 1));
  }
}

TEST_F(ScatterTilesTest, SmallTilesDoNotPayForTheMemoryOfLargeOnes) {
  const DeviceContext context(0);
  const std::uint64_t most = most_columns(context);
  const auto layout = layout_of_widths({100, most, 200});
  const SlotPlanCopy plan(context, *layout, {0, layout->num_columns});
  const ScatterTiles tiles(context, plan, 1);
  ASSERT_EQ(tiles.runs().size(), 2u);
  EXPECT_EQ(tiles.runs()[0].tiles().size(), 8u);
  EXPECT_EQ(tiles.runs()[0].shared_bytes(),
            101u * 8 * 8);  // eight copies of 100 columns and of the one behind them; width 200 has four
  EXPECT_EQ(tiles.runs()[0].blocks_at_once(), 2 * tiles.runs()[1].blocks_at_once());
  EXPECT_EQ(tiles.runs()[1].tiles().size(), 4u);
  EXPECT_EQ(tiles.runs()[1].shared_bytes(), (most + 1) * 8);
  EXPECT_FALSE(tiles.has_rest());
}

TEST_F(ScatterTilesTest, NarrowSlotsHaveCopiesForTheRowsOfAWarp) {
  const DeviceContext context(0);
  const auto layout = layout_of_widths({3, 100, 256, 600, 3000});
  for (const auto& [units, copies] : std::map<std::uint32_t, std::vector<std::uint32_t>>{
           {1, {32, 8, 4, 1, 1}}, {8, {4, 1, 1, 1, 1}}, {32, {1, 1, 1, 1, 1}}}) {
    const SlotPlanCopy plan(context, *layout, {0, layout->num_columns});
    const ScatterTiles tiles(context, plan, units);
    std::map<std::uint64_t, std::uint32_t> of_width;
    for (const TileRun& run : tiles.runs()) {
      for (const ScatterTile& tile : run.tiles()) of_width[tile.num_columns] = tile.copies;
    }
    std::vector<std::uint32_t> actual;
    actual.reserve(of_width.size());
    for (const auto& [width, number] : of_width) actual.push_back(number);
    EXPECT_EQ(actual, copies) << units << " units";
  }
}

TEST_F(ScatterTilesTest, AllBlocksOfALaunchRunAtOnce) {
  const DeviceContext context(0);
  const auto layout = layout_of_widths({8, 8, 100, 700, 3000, 3000, most_columns(context)});
  for (const std::uint32_t units : {1u, 3u, 16u, 64u}) {
    const SlotPlanCopy plan(context, *layout, {0, layout->num_columns});
    const ScatterTiles tiles(context, plan, units);
    for (const TileRun& run : tiles.runs()) {
      for (const std::uint64_t rows :
           {std::uint64_t{1}, std::uint64_t{512}, std::uint64_t{513}, std::uint64_t{1} << 40}) {
        const TileRun::Division& division = run.division(rows);
        EXPECT_GT(division.num_blocks, 0u);
        EXPECT_LE(division.num_blocks, run.blocks_at_once());
      }
      // More rows justify more blocks.
      EXPECT_LE(run.division(1).num_blocks, run.division(65'536).num_blocks);
      EXPECT_EQ(run.division(65'535).shares, run.division(65'536).shares);
      EXPECT_NE(run.division(65'537).shares, run.division(65'536).shares);
    }
  }
}

TEST_F(ScatterTilesTest, NothingButNumbersAndRunsHasNoTiles) {
  const DeviceContext context(0);
  Schema schema;
  schema.label.field = "y";
  schema.features.push_back(test::feature("n", Encoding::numeric, 0));
  schema.features.push_back(test::feature("tags", Encoding::four_split, 60));
  schema.features.back().separator = "|";
  const auto layout = test::share(make_layout(schema));
  const SlotPlanCopy plan(context, *layout, {0, layout->num_columns});
  const ScatterTiles tiles(context, plan, 4);
  EXPECT_TRUE(tiles.runs().empty());
  EXPECT_TRUE(tiles.has_rest());
}

}  // namespace
}  // namespace widehash::cuda
