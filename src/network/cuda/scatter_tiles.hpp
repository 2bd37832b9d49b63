#pragma once

/// \file
/// How the gradient of the first layer is divided among blocks. A tile is one slot and some units. A block
/// keeps the sums of a tile in shared memory and goes over a share of the rows (tile_shares.hpp). What lies
/// in no tile is added up in the device's memory.
///
/// Rows of a warp that have the same bucket add to the same sum one after the other, and a hot bucket is
/// shared by half of the rows. If a slot has few columns, neighbouring rows therefore add to separate copies,
/// which are added up at the end. There are at most as many copies as a warp has rows, in at most 8 KiB, so
/// that clearing and adding up costs little beside the rows.

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

/// Returns how many bytes of shared memory a block may take for `blocks` blocks to fit a multiprocessor,
/// which has the most that a block may take and what the system takes for one block.
std::size_t share_of_shared_memory(const DeviceContext& context, std::size_t blocks);

/// Returns how many blocks of the gradient's kernel the device has room for at once, the same number on each
/// multiprocessor, if a block takes `shared_bytes` of shared memory, for a network with `units` units in its
/// first layer. Defined beside the kernel.
std::uint64_t scatter_blocks_at_once(const DeviceContext& context, std::size_t shared_bytes,
                                     std::uint32_t units);

/// The tiles of one launch. Every block of it gets the shared memory that the largest tile needs.
class TileRun {
 public:
  TileRun(const DeviceContext& context, std::vector<ScatterTile> tiles, std::uint32_t units);

  std::span<const ScatterTile> tiles() const noexcept { return tiles_; }
  std::size_t shared_bytes() const noexcept { return shared_bytes_; }
  /// The number of blocks that the device has room for.
  std::uint64_t blocks_at_once() const noexcept { return blocks_at_once_; }

  /// A TileDivision on the device.
  struct Division {
    const TileShare* shares = nullptr;
    std::size_t num_blocks = 0;
  };
  /// The division for a batch of `num_rows` rows. Divisions are made beforehand, so that a step allocates no
  /// memory for them and waits for no copy.
  const Division& division(std::uint64_t num_rows) const noexcept;

 private:
  // The fewer rows there are, the larger is the part of the work that clears sums and adds them up, so there
  // is a division for every power of two. It is valid for other numbers of rows too.
  static constexpr std::size_t fewest_row_bits = 9;
  static constexpr std::size_t most_row_bits = 20;

  std::vector<ScatterTile> tiles_;
  std::size_t shared_bytes_ = 0;
  std::uint64_t blocks_at_once_ = 0;
  DeviceBuffer<TileShare> shares_;  // of all divisions
  std::array<Division, most_row_bits - fewest_row_bits + 1> divisions_;
};

/// All tiles of a plan.
class ScatterTiles {
 public:
  ScatterTiles(const DeviceContext& context, const SlotPlanCopy& plan, std::uint32_t units);

  /// The number of blocks for which a multiprocessor has registers and, on devices with 2,048 threads to a
  /// multiprocessor, threads. (Only two blocks of large tiles fit, and they take twice the registers.)
  static constexpr unsigned most_blocks = 4;
  /// One run of the tiles that leave room for as many blocks to a multiprocessor as threads and registers do,
  /// and one of the tiles that leave room for two. Either may be missing.
  std::span<const TileRun> runs() const noexcept { return runs_; }
  /// Slots with more columns are in no tile.
  std::uint64_t most_columns() const noexcept { return most_columns_; }
  /// Whether any slot is in no tile, or rows have ragged runs.
  bool has_rest() const noexcept { return has_rest_; }

 private:
  std::vector<TileRun> runs_;
  std::uint64_t most_columns_ = 0;
  bool has_rest_ = false;
};

}  // namespace widehash::cuda
