#include "scatter_tiles.hpp"

#include <algorithm>
#include <bit>
#include <tuple>
#include <utility>
#include <vector>

namespace widehash::cuda {
namespace {

constexpr std::uint32_t warp_lanes = 32;

constexpr std::size_t most_copied_bytes = 8192;

/// Includes a column for rows without a value.
constexpr std::size_t bytes_of(const ScatterTile& tile) noexcept {
  return (std::size_t{tile.num_columns} + 1) * tile.num_units * tile.copies * sizeof(std::uint64_t);
}

/// Takes as many copies as there is room for, but no more than a warp has rows.
void set_copies(ScatterTile& tile) {
  const std::size_t bytes = std::size_t{tile.num_columns} * tile.num_units * sizeof(std::uint64_t);
  const std::uint64_t room = std::max<std::uint64_t>(most_copied_bytes / bytes, 1);
  tile.copies =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(std::bit_floor(room), warp_lanes / tile.num_units));
}

}  // namespace

std::size_t share_of_shared_memory(const DeviceContext& context, std::size_t blocks) {
  constexpr std::size_t system_bytes = 1024;
  return (context.max_shared_bytes() + system_bytes) / blocks - system_bytes;
}

ScatterTiles::ScatterTiles(const DeviceContext& context, const SlotPlanCopy& plan, std::uint32_t units)
    : most_columns_(share_of_shared_memory(context, 2) / sizeof(std::uint64_t) - 1),
      has_rest_(plan.device().has_ragged) {
  std::vector<ScatterTile> tiles;
  const auto add = [&](SlotContents contents, const std::vector<DeviceSlot>& slots) {
    for (const DeviceSlot& slot : slots) {
      has_rest_ = has_rest_ || slot.num_columns > most_columns_;
      if (slot.num_columns == 0 || slot.num_columns > most_columns_) continue;
      const auto tile_units = static_cast<std::uint32_t>(std::min<std::uint64_t>(
          {std::bit_floor((most_columns_ + 1) / (std::uint64_t{slot.num_columns} + 1)), std::bit_ceil(units),
           warp_lanes}));
      for (std::uint32_t unit = 0; unit < units; unit += tile_units) {
        tiles.push_back({slot.slot, slot.shift, slot.num_columns, contents, unit, tile_units});
        set_copies(tiles.back());
      }
    }
  };
  add(SlotContents::code, plan.codes());
  add(SlotContents::byte_code, plan.byte_codes());
  add(SlotContents::column, plan.columns());

  // Small tiles leave room for as many blocks to a multiprocessor as there are threads and registers for.
  const auto multiprocessors = static_cast<std::uint64_t>(context.num_multiprocessors());
  const std::size_t small =
      share_of_shared_memory(context, scatter_blocks_at_once(context, 0, units) / multiprocessors);
  const auto first_large = std::stable_partition(
      tiles.begin(), tiles.end(), [&](const ScatterTile& tile) { return bytes_of(tile) <= small; });
  for (const auto& [begin, end] :
       {std::pair(tiles.begin(), first_large), std::pair(first_large, tiles.end())}) {
    if (begin != end) runs_.emplace_back(context, std::vector<ScatterTile>(begin, end), units);
  }
}

TileRun::TileRun(const DeviceContext& context, std::vector<ScatterTile> tiles, std::uint32_t units)
    : tiles_(std::move(tiles)) {
  for (const ScatterTile& tile : tiles_) shared_bytes_ = std::max(shared_bytes_, bytes_of(tile));
  blocks_at_once_ = scatter_blocks_at_once(context, shared_bytes_, units);
  std::vector<TileShare> shares;
  std::array<std::size_t, std::tuple_size_v<decltype(divisions_)>> begin{};
  for (std::size_t i = 0; i < divisions_.size(); ++i) {
    const TileDivision division =
        divide_tiles(tiles_, std::uint64_t{1} << (fewest_row_bits + i), blocks_at_once_);
    begin[i] = shares.size();
    divisions_[i].num_blocks = division.num_blocks;
    shares.insert(shares.end(), division.shares.begin(), division.shares.end());
  }
  shares_ = make_device_copy<TileShare>(context, shares, "shares of the gradient's blocks");
  for (std::size_t i = 0; i < divisions_.size(); ++i) divisions_[i].shares = shares_.data() + begin[i];
}

const TileRun::Division& TileRun::division(std::uint64_t num_rows) const noexcept {
  const auto bits = static_cast<std::size_t>(std::bit_width(num_rows > 0 ? num_rows - 1 : 0));
  return divisions_[std::clamp(bits, fewest_row_bits, most_row_bits) - fewest_row_bits];
}

}  // namespace widehash::cuda
