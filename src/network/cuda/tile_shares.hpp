#pragma once

/// \file
/// Tiles of the first layer's gradient, and how their rows are divided among blocks that all run at once. One
/// row of a tile of 32 units is as much work for a block as 32 rows of a tile of one unit, so blocks get
/// shares of rows by their work. A block whose share ends with its tile may continue with the next tile. So
/// no block waits for another that has more to do, and none waits for room on the device.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace widehash::cuda {

enum class SlotContents : std::uint32_t { code, byte_code, column };

/// One slot and some units. Has members of DeviceSlot one by one: in one piece they would take four adjacent
/// registers. The content that stands for no value is none of the columns.
struct ScatterTile {
  std::uint32_t slot = 0;
  std::uint32_t shift = 0;
  std::uint32_t num_columns = 0;
  SlotContents contents = SlotContents::code;
  std::uint32_t first_unit = 0;
  std::uint32_t num_units = 0;  // a power of two; units beyond the last are idle
  /// Copies of every sum, side by side, so that they lie in different banks; a power of two. Units and copies
  /// are together at most the lanes of a warp.
  std::uint32_t copies = 1;
};

/// All rows of a tile, however many there are.
inline constexpr std::uint32_t whole_share = 1u << 20;

/// What a block does at a time: of R rows, those from begin * R / whole_share to end * R / whole_share.
/// Contains the tile itself, since a block that had to load it separately would wait twice.
struct TileShare {
  ScatterTile tile;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::uint32_t next = 0;  // index of the share that the block continues with; 0: none
};

struct TileDivision {
  std::vector<TileShare> shares;  // block b begins with shares[b]
  std::size_t num_blocks = 0;
};

/// Divides the rows of all tiles among at most `most_blocks` blocks, so that the block that takes longest
/// takes as little time as can be found. Valid for any number of rows, and best for `num_rows`.
/// Deterministic; O(tiles + blocks), a few dozen times.
TileDivision divide_tiles(std::span<const ScatterTile> tiles, std::uint64_t num_rows,
                          std::uint64_t most_blocks);

}  // namespace widehash::cuda
