#include "tile_shares.hpp"

#include <algorithm>

namespace widehash::cuda {
namespace {

// Costs are counted in additions of a batch of whole_share rows, so a share of a tile costs share x units.

/// What a block pays to clear a tile's sums and add them up: taken to be one addition for each sum of all
/// copies, and one for each sum. This is a guess, which has not been measured.
std::uint64_t cost_of_sums(const ScatterTile& tile, std::uint64_t num_rows) noexcept {
  const std::uint64_t once = std::uint64_t{tile.num_columns} * tile.num_units;
  return (once + once * tile.copies) * whole_share / num_rows;
}

/// Fills one block after the other with a cost of up to `most`, and calls add(block, tile, begin, end) for
/// each share. Returns false if the blocks do not suffice.
template <class Add>
bool fill_blocks(std::span<const ScatterTile> tiles, std::uint64_t num_rows, std::uint64_t most,
                 std::uint64_t most_blocks, const Add& add) {
  std::uint64_t block = 0;
  std::uint64_t used = 0;
  for (const ScatterTile& tile : tiles) {
    const std::uint64_t of_sums = cost_of_sums(tile, num_rows);
    for (std::uint64_t begin = 0; begin < whole_share;) {
      const std::uint64_t room = used + of_sums < most ? (most - used - of_sums) / tile.num_units : 0;
      const std::uint64_t end = std::min(begin + room, std::uint64_t{whole_share});
      // A few more rows are not worth the sums of another tile.
      const std::uint64_t fewest = std::max(of_sums, most / 32);
      const bool is_worth = end == whole_share || used == 0 || (end - begin) * tile.num_units >= fewest;
      if (room == 0 || !is_worth) {
        if (used == 0 || ++block == most_blocks) return false;
        used = 0;
        continue;
      }
      add(block, tile, begin, end);
      used += of_sums + (end - begin) * tile.num_units;
      begin = end;
    }
  }
  return true;
}

}  // namespace

TileDivision divide_tiles(std::span<const ScatterTile> tiles, std::uint64_t num_rows,
                          std::uint64_t most_blocks) {
  TileDivision division;
  if (tiles.empty()) return division;
  num_rows = std::max<std::uint64_t>(num_rows, 1);
  std::uint64_t all = 0;
  for (const ScatterTile& tile : tiles)
    all += cost_of_sums(tile, num_rows) + std::uint64_t{whole_share} * tile.num_units;
  const auto fits = [&](std::uint64_t most) {
    return fill_blocks(tiles, num_rows, most, most_blocks, [](const auto&...) {});
  };
  // One block has room for all of it, and no division gives every block less than an equal part.
  std::uint64_t too_little = all / most_blocks;
  std::uint64_t enough = all;
  while (enough - too_little > enough / 256 + 1) {
    const std::uint64_t middle = too_little + (enough - too_little) / 2;
    (fits(middle) ? enough : too_little) = middle;
  }

  std::vector<TileShare> further;  // the shares after the first of each block; `blocks` says which block
  std::vector<std::uint64_t> blocks;
  fill_blocks(
      tiles, num_rows, enough, most_blocks,
      [&](std::uint64_t block, const ScatterTile& tile, std::uint64_t begin, std::uint64_t end) {
        const TileShare share{tile, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
        if (block == division.shares.size()) {
          division.shares.push_back(share);
        } else {
          further.push_back(share);
          blocks.push_back(block);
        }
      });
  division.num_blocks = division.shares.size();
  std::vector<std::size_t> last(division.num_blocks);
  for (std::size_t block = 0; block < last.size(); ++block) last[block] = block;
  for (std::size_t i = 0; i < further.size(); ++i) {
    std::size_t& of_block = last[blocks[i]];
    division.shares[of_block].next = static_cast<std::uint32_t>(division.shares.size());
    of_block = division.shares.size();
    division.shares.push_back(further[i]);
  }
  return division;
}

}  // namespace widehash::cuda
