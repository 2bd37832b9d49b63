#pragma once

/// \file
/// Tiles of the first layer's gradient, and how their rows are divided among blocks that all run at once. A
/// thread goes through the rows of a tile of 32 units one by one in the time in which it goes through 32 rows
/// of a tile of one unit, so blocks get shares of rows by the work that these are. A block whose share ends
/// with its tile may go on with the next tile: so no block waits for another that has more to do, and none
/// for a place on the device.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace widehash::cuda {

enum class SlotContents : std::uint32_t { code, byte_code, column };

/// The members of DeviceSlot, not in one piece, which would take four registers side by side.
struct ScatterTile {
  std::uint32_t slot = 0;
  std::uint32_t absent = 0;
  std::uint32_t shift = 0;
  std::uint32_t num_columns = 0;
  SlotContents contents = SlotContents::code;
  std::uint32_t first_unit = 0;
  std::uint32_t num_units = 0;  // a power of two; those beyond the last are idle
  std::uint32_t copies = 1;     // of every sum; a power of two
  std::uint32_t stride =
      0;  // sums from one copy to the next, odd, so that those of one sum lie in banks of their own
};

/// All rows of a tile, however many there are.
inline constexpr std::uint32_t whole_share = 1u << 20;

/// What a block does at a time: of R rows those from begin * R / whole_share to end * R / whole_share. The
/// tile itself stands in it, since a block that had to ask for it twice would wait twice.
struct TileShare {
  ScatterTile tile;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::uint32_t next = 0;  // what the block goes on with; 0: nothing
};

struct TileDivision {
  std::vector<TileShare> shares;  // what block b begins with is shares[b]
  std::size_t num_blocks = 0;
};

/// Divides the rows of all tiles among at most `most_blocks` blocks so that the longest takes as short as can
/// be found. Good for any number of rows, and best for `num_rows`. Deterministic; O(tiles + blocks), a few
/// dozen times.
TileDivision divide_tiles(std::span<const ScatterTile> tiles, std::uint64_t num_rows,
                          std::uint64_t most_blocks);

}  // namespace widehash::cuda
