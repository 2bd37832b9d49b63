#include "scatter_tiles.hpp"

#include <algorithm>
#include <bit>
#include <vector>

namespace widehash::cuda {
namespace {

/// So much shared memory that `blocks` blocks fit a multiprocessor, which has the most that a block may take and what the system
/// takes for one.
std::size_t share_of_shared_memory(const DeviceContext& context, std::size_t blocks) {
  constexpr std::size_t system_bytes = 1024;
  return (context.max_shared_bytes() + system_bytes) / blocks - system_bytes;
}

constexpr std::uint32_t warp_lanes = 32;

constexpr std::size_t most_copied_bytes = 8192;

constexpr std::size_t shared_bytes(const ScatterTile& tile) noexcept {
  return std::size_t{tile.copies} * tile.stride * sizeof(std::uint64_t);
}

/// As many as there is room for, and not more than a warp has rows.
void set_copies(ScatterTile& tile) {
  const std::uint32_t num_sums = tile.num_columns * tile.num_units;
  const std::uint64_t room =
      std::max<std::uint64_t>(most_copied_bytes / (num_sums * sizeof(std::uint64_t)), 1);
  tile.copies =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(std::bit_floor(room), warp_lanes / tile.num_units));
  tile.stride = tile.copies > 1 ? num_sums | 1 : num_sums;
}

}  // namespace

ScatterTiles::ScatterTiles(const DeviceContext& context, const SlotPlanCopy& plan, std::uint32_t units)
    : most_columns_(share_of_shared_memory(context, 2) / sizeof(std::uint64_t)),
      has_rest_(plan.device().has_ragged) {
  std::vector<ScatterTile> tiles;
  const auto add = [&](SlotContents contents, const std::vector<DeviceSlot>& slots) {
    for (const DeviceSlot& slot : slots) {
      has_rest_ = has_rest_ || slot.num_columns > most_columns_;
      if (slot.num_columns == 0 || slot.num_columns > most_columns_) continue;
      const auto tile_units = static_cast<std::uint32_t>(std::min<std::uint64_t>(
          {std::bit_floor(most_columns_ / slot.num_columns), std::bit_ceil(units), warp_lanes}));
      for (std::uint32_t unit = 0; unit < units; unit += tile_units) {
        tiles.push_back({slot.slot, slot.absent, slot.shift, slot.num_columns, contents, unit, tile_units});
        set_copies(tiles.back());
      }
    }
  };
  add(SlotContents::code, plan.codes());
  add(SlotContents::byte_code, plan.byte_codes());
  add(SlotContents::column, plan.columns());

  const std::size_t quarter = share_of_shared_memory(context, most_blocks);
  const auto first_large = std::stable_partition(
      tiles.begin(), tiles.end(), [&](const ScatterTile& tile) { return shared_bytes(tile) <= quarter; });
  tiles_ = make_device_copy<ScatterTile>(context, tiles, "tiles of the gradient");
  const auto add_run = [&](auto begin, auto end, unsigned blocks_per_multiprocessor) {
    if (begin == end) return;
    std::size_t largest = 0;
    for (auto tile = begin; tile != end; ++tile) largest = std::max(largest, shared_bytes(*tile));
    const auto multiprocessors = static_cast<std::uint64_t>(context.num_multiprocessors());
    runs_.push_back({tiles_.data() + (begin - tiles.begin()), static_cast<std::size_t>(end - begin), largest,
                     blocks_per_multiprocessor * multiprocessors});
  };
  add_run(tiles.begin(), first_large, most_blocks);
  add_run(first_large, tiles.end(), most_blocks / 2);
}

}  // namespace widehash::cuda
