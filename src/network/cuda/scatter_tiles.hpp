#pragma once

/// \file
/// How the gradient of the first layer is divided among blocks. A block owns one slot and some units, for which it has sums in
/// shared memory, and goes over some of the rows. What lies in no tile is added up in the device's memory.
///
/// Rows of a warp that have the same bucket add to the same sum one after the other, and a hot bucket is that of half of them. Where a
/// slot has few columns, neighbouring rows therefore add to copies of their own, which are added up in the end: up to one a
/// row of a warp, in at most 8 KiB, so that clearing and adding up costs little beside the rows.

#include "cuda/device_buffer.hpp"
#include "device_rows.hpp"
#include "slot_plan_copy.hpp"

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

/// Tiles for one launch: every block of it gets the shared memory that the largest needs.
struct TileRun {
  const ScatterTile* tiles = nullptr;
  std::size_t count = 0;
  std::size_t shared_bytes = 0;
  std::uint64_t blocks_at_once = 0;  // that the device has room for
};

class ScatterTiles {
 public:
  ScatterTiles(const DeviceContext& context, const SlotPlanCopy& plan, std::uint32_t units);

  /// Blocks of a multiprocessor: of threads there is room for no more, and of shared memory for so many in the first run, half as
  /// many in the second.
  static constexpr unsigned most_blocks = 4;
  /// One of tiles of which four fit a multiprocessor, one of those of which two do; either may be missing.
  std::span<const TileRun> runs() const noexcept { return runs_; }
  /// Slots of more columns are in no tile.
  std::uint64_t most_columns() const noexcept { return most_columns_; }
  /// Whether any slot is in no tile, or rows have ragged runs.
  bool has_rest() const noexcept { return has_rest_; }

 private:
  DeviceBuffer<ScatterTile> tiles_;
  std::vector<TileRun> runs_;
  std::uint64_t most_columns_ = 0;
  bool has_rest_ = false;
};

}  // namespace widehash::cuda
