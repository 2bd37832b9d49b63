#pragma once

/// \file
/// How the gradient of the first layer is divided among blocks. A tile is one slot and some units; a block
/// has sums of a tile in shared memory and goes over a share of the rows (tile_shares.hpp). What lies in no
/// tile is added up in the device's memory.
///
/// Rows of a warp that have the same bucket add to the same sum one after the other, and a hot bucket is that
/// of half of them. Where a slot has few columns, neighbouring rows therefore add to copies of their own,
/// which are added up in the end: up to one a row of a warp, in at most 8 KiB, so that clearing and adding up
/// costs little beside the rows.

#include "cuda/device_buffer.hpp"
#include "device_rows.hpp"
#include "slot_plan_copy.hpp"
#include "tile_shares.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace widehash::cuda {

/// So much shared memory that `blocks` blocks fit a multiprocessor, which has the most that a block may take
/// and what the system takes for one.
std::size_t share_of_shared_memory(const DeviceContext& context, std::size_t blocks);

/// How many blocks of the gradient's kernel the device has room for at once, of its multiprocessors each the
/// same number, where a block takes so much shared memory. Defined beside the kernel.
std::uint64_t scatter_blocks_at_once(const DeviceContext& context, std::size_t shared_bytes);

/// Tiles for one launch: every block of it gets the shared memory that the largest needs.
class TileRun {
 public:
  TileRun(const DeviceContext& context, std::vector<ScatterTile> tiles);

  std::span<const ScatterTile> tiles() const noexcept { return tiles_; }
  std::size_t shared_bytes() const noexcept { return shared_bytes_; }
  /// That the device has room for.
  std::uint64_t blocks_at_once() const noexcept { return blocks_at_once_; }

  /// A TileDivision on the device.
  struct Division {
    const TileShare* shares = nullptr;
    std::size_t num_blocks = 0;
  };
  /// For a batch of so many rows. Made beforehand: a step takes no memory for it and waits for no copy.
  const Division& division(std::uint64_t num_rows) const noexcept;

 private:
  // Sums that are cleared and added up weigh the more the fewer rows there are, so there is a division for
  // every power of two. It is good for other numbers.
  static constexpr std::size_t fewest_row_bits = 9;
  static constexpr std::size_t most_row_bits = 20;

  std::vector<ScatterTile> tiles_;
  std::size_t shared_bytes_ = 0;
  std::uint64_t blocks_at_once_ = 0;
  DeviceBuffer<TileShare> shares_;  // of all divisions
  std::array<Division, most_row_bits - fewest_row_bits + 1> divisions_;
};

class ScatterTiles {
 public:
  ScatterTiles(const DeviceContext& context, const SlotPlanCopy& plan, std::uint32_t units);

  /// Blocks of a multiprocessor for which there are registers, and threads on devices that have 2,048 to a
  /// multiprocessor. (Of large tiles, of which only two fit, blocks take twice the registers.)
  static constexpr unsigned most_blocks = 4;
  /// One of tiles of which as many fit a multiprocessor as blocks do, one of those of which two do; either
  /// may be missing.
  std::span<const TileRun> runs() const noexcept { return runs_; }
  /// Slots of more columns are in no tile.
  std::uint64_t most_columns() const noexcept { return most_columns_; }
  /// Whether any slot is in no tile, or rows have ragged runs.
  bool has_rest() const noexcept { return has_rest_; }

 private:
  std::vector<TileRun> runs_;
  std::uint64_t most_columns_ = 0;
  bool has_rest_ = false;
};

}  // namespace widehash::cuda
