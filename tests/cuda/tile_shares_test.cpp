// How the rows of tiles are divided among blocks: every row of every tile once, and no block with much more
// than its part.

#include "cuda/tile_shares.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <vector>

#include <gtest/gtest.h>

namespace widehash::cuda {
namespace {

/// Buckets per split of the 26 features of examples/schemas/criteo26.toml; the smallest is 8.
constexpr std::array<std::uint32_t, 26> criteo_widths{39,  25, 3183, 1485, 18, 8,   112,  26, 8,
                                                      306, 76, 2890, 57,   8,  123, 2337, 8,  76,
                                                      47,  8,  2655, 8,    8,  535, 11,   378};

ScatterTile tile_of(std::uint32_t width, std::uint32_t units) {
  ScatterTile tile;
  tile.num_columns = width;
  tile.num_units = units;
  return tile;
}

/// The tiles, for four slots per feature, that ScatterTiles makes with up to `most` sums each. The second of
/// two launches has the tiles of more than half of that.
std::vector<ScatterTile> criteo_tiles(std::uint32_t units, std::uint32_t most, bool are_large) {
  std::vector<ScatterTile> tiles;
  for (const std::uint32_t width : criteo_widths) {
    const std::uint32_t tile_units = std::min({std::bit_floor(most / width), std::bit_ceil(units), 32u});
    for (std::uint32_t i = 0; i < 4 * ((units + tile_units - 1) / tile_units); ++i) {
      if ((width * tile_units > most / 2) == are_large) tiles.push_back(tile_of(width, tile_units));
    }
  }
  return tiles;
}

/// The shares of a block.
std::vector<TileShare> shares_of(const TileDivision& division, std::size_t block) {
  std::vector<TileShare> shares{division.shares.at(block)};
  while (shares.back().next != 0) shares.push_back(division.shares.at(shares.back().next));
  return shares;
}

TEST(TileShares, EveryRowOfEveryTileIsInOneOfThem) {
  std::vector<ScatterTile> tiles;
  for (std::uint32_t slot = 0; slot < 40; ++slot) {
    tiles.push_back(tile_of(1 + slot * slot, 1u << slot % 6));
    tiles.back().slot = slot;
  }
  for (const std::uint64_t rows : {0, 1, 1000, 1 << 20}) {
    for (const std::uint64_t most_blocks : {1, 2, 7, 40, 41, 500}) {
      const TileDivision division = divide_tiles(tiles, rows, most_blocks);
      EXPECT_LE(division.num_blocks, most_blocks);
      std::map<std::uint32_t, std::vector<std::pair<std::uint32_t, std::uint32_t>>> of_slot;
      std::size_t num_shares = 0;
      for (std::size_t block = 0; block < division.num_blocks; ++block) {
        for (const TileShare& share : shares_of(division, block)) {
          of_slot[share.tile.slot].emplace_back(share.begin, share.end);
          ++num_shares;
        }
      }
      EXPECT_EQ(num_shares, division.shares.size());
      ASSERT_EQ(of_slot.size(), tiles.size());
      for (auto& [slot, shares] : of_slot) {
        std::ranges::sort(shares);
        std::uint32_t end = 0;
        for (const auto& [first, last] : shares) {
          EXPECT_EQ(first, end);
          EXPECT_GT(last, first);
          end = last;
        }
        EXPECT_EQ(end, whole_share) << "slot " << slot;
      }
    }
  }
}

// A multiprocessor has room for four blocks of small tiles and two of large ones.
TEST(TileShares, NoBlockOfCriteoHasAFifthMoreThanTheMean) {
  constexpr std::uint64_t rows = 65'536;
  for (const std::uint32_t most_sums : {10'432u, 14'464u}) {  // A100, H100
    for (const std::uint64_t multiprocessors : {108, 132}) {
      for (const std::uint32_t units : {1u, 8u, 16u, 32u}) {
        for (const bool are_large : {false, true}) {
          const auto tiles = criteo_tiles(units, most_sums, are_large);
          const std::uint64_t places = (are_large ? 2 : 4) * multiprocessors;
          const TileDivision division = divide_tiles(tiles, rows, places);
          EXPECT_LE(division.num_blocks, places);
          double all = 0;
          for (const ScatterTile& tile : tiles) all += tile.num_units;
          double longest = 0;
          for (std::size_t block = 0; block < division.num_blocks; ++block) {
            double work = 0;
            for (const TileShare& share : shares_of(division, block))
              work += static_cast<double>(share.end - share.begin) * share.tile.num_units / whole_share;
            longest = std::max(longest, work);
          }
          EXPECT_LE(longest, 1.2 * all / static_cast<double>(places))
              << units << " units, " << multiprocessors << (are_large ? ", large" : ", small");
        }
      }
    }
  }
}

TEST(TileShares, ABlockHasSeveralTilesWhereTilesAreMoreThanBlocks) {
  const std::vector<ScatterTile> tiles(12, tile_of(8, 4));
  const TileDivision division = divide_tiles(tiles, 65'536, 3);
  ASSERT_EQ(division.num_blocks, 3u);
  for (std::size_t block = 0; block < 3; ++block) EXPECT_EQ(shares_of(division, block).size(), 4u);
}

TEST(TileShares, FewRowsHaveFewerBlocksThanThereIsRoomFor) {
  const std::vector<ScatterTile> tiles(4, tile_of(3000, 1));
  EXPECT_LT(divide_tiles(tiles, 32, 100).num_blocks, 50u);
  EXPECT_GT(divide_tiles(tiles, 1 << 20, 100).num_blocks, 90u);
}

TEST(TileShares, OfNoTilesThereAreNone) {
  const TileDivision division = divide_tiles({}, 65'536, 100);
  EXPECT_EQ(division.num_blocks, 0u);
  EXPECT_TRUE(division.shares.empty());
}

}  // namespace
}  // namespace widehash::cuda
