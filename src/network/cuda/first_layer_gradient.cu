#include "first_layer_gradient.hpp"
#include "fixed_point.cuh"
#include "grids.hpp"
#include "half_sums.cuh"

#include <algorithm>
#include <bit>

#include <launch.cuh>

namespace widehash::cuda {
namespace {

__global__ void largest_kernel(const float* values, std::uint64_t count, StepStatus* status) {
  std::uint32_t largest = 0;
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step)
    largest = max(largest, __float_as_uint(values[i]) & 0x7FFFFFFFu);
  for (int distance = 16; distance > 0; distance /= 2)
    largest = max(largest, __shfl_xor_sync(0xFFFFFFFFu, largest, distance));
  if (threadIdx.x % 32 == 0) atomicMax(&status->largest_delta, largest);
}

constexpr unsigned scatter_threads = 512;  // of 32 registers each

/// What all blocks of scatter_shared_kernel share.
struct ScatterShape {
  std::uint32_t units = 0;
  int term_bits = 0;
  std::uint64_t array_rows = 0;  // columns of the range
};

/// Rows that a thread handles at once, so that all their codes and deltas are on their way before the first
/// is added.
constexpr unsigned rows_in_flight = 4;

/// The row at which a share of the rows begins or ends.
__device__ std::uint64_t row_at(std::uint64_t num_rows, std::uint32_t share) {
  return num_rows * share / whole_share;
}

/// Sums of one column: of each unit, and of each of its copies.
__device__ std::uint32_t width_of(const ScatterTile& tile) { return tile.copies * tile.num_units; }

/// Adds a share of a tile's rows to the block's sums, [columns + 1, copies, units], whose high halves lie
/// `to_high` behind the low ones. `one_unit`: the network has one unit, so steps from row to row are known
/// when this is compiled.
template <bool one_unit, class Content>
__device__ void add_rows(const TileShare& share, const Content* contents, std::uint64_t num_rows,
                         const float* deltas, const ScatterShape& shape, double scale, unsigned* low,
                         std::uint32_t to_high) {
  const ScatterTile& tile = share.tile;
  const std::uint32_t tile_units = one_unit ? 1 : tile.num_units;
  const std::uint32_t units = one_unit ? 1 : shape.units;
  const std::uint32_t unit = tile.first_unit + threadIdx.x % tile_units;
  if (unit >= units) return;
  const std::uint32_t rows_at_once = scatter_threads / tile_units;
  const std::uint64_t row = row_at(num_rows, share.begin) + threadIdx.x / tile_units;
  const std::uint64_t end_row = row_at(num_rows, share.end);
  if (row >= end_row) return;
  // Counting rows in 32 bits and advancing positions by steps saves a quarter of what the loop issues. 32
  // bits are enough for the rows that one thread of hundreds has.
  auto left = static_cast<std::uint32_t>((end_row - row + rows_at_once - 1) / rows_at_once);
  const std::uint32_t delta_step = rows_at_once * units;
  contents += row;
  deltas += row * units + unit;
  // The unit and the row's copy: a tile has no more of both than a warp has lanes.
  const std::uint32_t width = width_of(tile);
  low += threadIdx.x % width;
  // A row without a value adds to a column behind the last. A branch for it would let each row wait for the
  // additions of the one before it.
  const auto sum_of = [&](std::uint32_t content) { return low + min(content, tile.num_columns) * width; };
  const auto fixed = [&](float delta) {
    return static_cast<unsigned long long>(FixedPoint::from_float(delta, scale));
  };
  for (; left >= rows_in_flight; left -= rows_in_flight) {
    std::uint32_t content[rows_in_flight];
    float delta[rows_in_flight];
    for (unsigned k = 0; k < rows_in_flight; ++k) {
      content[k] = contents[k * rows_at_once];
      delta[k] = deltas[k * delta_step];
    }
    unsigned* sum[rows_in_flight];
    unsigned long long value[rows_in_flight];
    for (unsigned k = 0; k < rows_in_flight; ++k) {
      sum[k] = sum_of(content[k]);
      value[k] = fixed(delta[k]);
    }
    add_in_halves(sum, to_high, value);
    contents += rows_in_flight * rows_at_once;
    deltas += rows_in_flight * delta_step;
  }
  for (; left > 0; --left) {
    unsigned* const sum[] = {sum_of(*contents)};
    const unsigned long long value[] = {fixed(*deltas)};
    add_in_halves(sum, to_high, value);
    contents += rows_at_once;
    deltas += delta_step;
  }
}

/// A block takes its shares of tiles one after the other. It sums each share in shared memory and adds the
/// result to the device's sums. `blocks` blocks fit a multiprocessor.
template <unsigned blocks, bool one_unit>
__global__ void __launch_bounds__(scatter_threads, blocks)
    scatter_shared_kernel(DeviceRows rows, const TileShare* shares, const float* deltas, ScatterShape shape,
                          const StepStatus* status, unsigned long long* sums) {
  const FixedPoint fixed(*status, shape.term_bits);
  if (!fixed.are_deltas_finite()) return;
  std::uint32_t place_of_share = blockIdx.x;
  for (;;) {
    const TileShare share = shares[place_of_share];
    const ScatterTile& tile = share.tile;
    const std::uint32_t width = width_of(tile);
    const std::uint32_t size = (tile.num_columns + 1) * width;
    unsigned* const low = shared_memory<unsigned>();
    unsigned* const high = low + size;
    for (std::uint32_t i = threadIdx.x; i < 2 * size; i += blockDim.x) low[i] = 0;
    __syncthreads();

    const auto add = [&](const auto* contents) {
      add_rows<one_unit>(share, contents + tile.slot * rows.stride, rows.num_rows, deltas, shape,
                         fixed.scale(), low, size);
    };
    if (tile.contents == SlotContents::code) add(rows.codes);
    if (tile.contents == SlotContents::byte_code) add(rows.byte_codes);
    if (tile.contents == SlotContents::column) add(rows.columns);
    __syncthreads();

    // The lanes of a warp have the copies of a sum. blockDim.x is a multiple of the tile's units, so this
    // thread has the same unit as in add_rows().
    const std::uint32_t unit = tile.first_unit + threadIdx.x % tile.num_units;
    const bool is_first_copy = threadIdx.x % width < tile.num_units;
    const std::uint32_t end = tile.num_columns * width;
    for (std::uint32_t of_warp = threadIdx.x / 32 * 32; of_warp < end; of_warp += blockDim.x) {
      const std::uint32_t i = of_warp + threadIdx.x % 32;
      unsigned long long sum = i < end ? whole_sum(low[i], high[i]) : 0;
      for (std::uint32_t distance = tile.num_units; distance < width; distance *= 2)
        sum += __shfl_xor_sync(0xFFFFFFFFu, sum, static_cast<int>(distance));
      const std::uint32_t at = i / width + tile.shift;
      if (sum == 0 || !is_first_copy || i >= end || unit >= shape.units || at >= shape.array_rows) continue;
      atomicAdd(sums + std::uint64_t{at} * shape.units + unit, sum);
    }
    if (share.next == 0) return;
    place_of_share = share.next;
    __syncthreads();
  }
}

using ScatterSharedKernel = decltype(&scatter_shared_kernel<ScatterTiles::most_blocks, true>);

/// If the shared memory of a block leaves no room for a third block, two blocks share the registers.
ScatterSharedKernel scatter_kernel_of(const DeviceContext& context, std::size_t shared_bytes,
                                      std::uint32_t units) {
  const bool is_large = shared_bytes > share_of_shared_memory(context, 3);
  if (units == 1) {
    return is_large ? &scatter_shared_kernel<2, true>
                    : &scatter_shared_kernel<ScatterTiles::most_blocks, true>;
  }
  return is_large ? &scatter_shared_kernel<2, false>
                  : &scatter_shared_kernel<ScatterTiles::most_blocks, false>;
}

/// Adds everything else straight to the device's memory: slots whose columns do not fit a tile, and ragged
/// runs.
__global__ void scatter_kernel(DeviceRows rows, DevicePlan plan, std::uint64_t tile_columns,
                               const float* deltas, std::uint32_t units, std::uint32_t lanes, int term_bits,
                               const StepStatus* status, unsigned long long* sums) {
  const FixedPoint fixed(*status, term_bits);
  const std::uint64_t row = std::uint64_t{blockIdx.x} * (blockDim.x / lanes) + threadIdx.x / lanes;
  const std::uint32_t unit = blockIdx.y * lanes + threadIdx.x % lanes;
  if (!fixed.are_deltas_finite() || row >= rows.num_rows || unit >= units) return;
  const auto delta =
      static_cast<unsigned long long>(FixedPoint::from_float(deltas[row * units + unit], fixed.scale()));
  const auto add = [&](const DeviceSlot& slot, std::uint32_t content) {
    const std::uint32_t at = content + slot.shift;
    if (slot.num_columns > tile_columns && content != slot.absent && at < plan.num_rows)
      atomicAdd(sums + std::uint64_t{at} * units + unit, delta);
  };
  const auto add_slots = [&](const DeviceSlot* slots, std::uint32_t count, const auto* contents) {
    for (std::uint32_t i = 0; i < count; ++i) add(slots[i], contents[slots[i].slot * rows.stride + row]);
  };
  add_slots(plan.codes, plan.num_codes, rows.codes);
  add_slots(plan.byte_codes, plan.num_byte_codes, rows.byte_codes);
  add_slots(plan.columns, plan.num_columns, rows.columns);
  if (!plan.has_ragged) return;
  for (std::uint64_t i = rows.ragged_offsets[row]; i < rows.ragged_offsets[row + 1]; ++i) {
    const auto at = static_cast<std::uint64_t>(rows.ragged[i] - plan.first_column);
    if (at < plan.num_rows) atomicAdd(sums + at * units + unit, delta);
  }
}

/// Converts the sums back to float and clears them for the next step.
__global__ void unfix_kernel(unsigned long long* sums, std::uint64_t count, int term_bits,
                             const StepStatus* status, float* gradient) {
  const FixedPoint fixed(*status, term_bits);
  const double inverse_scale = fixed.inverse_scale();
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    const unsigned long long sum = sums[i];
    gradient[i] = fixed.are_deltas_finite() ? FixedPoint::to_float(sum, inverse_scale) : fixed.not_finite();
    if (sum != 0) sums[i] = 0;
  }
}

}  // namespace

void find_largest_delta(const DeviceContext& context, const float* deltas, std::uint64_t count,
                        StepStatus* status) {
  const Stream& stream = context.stream();
  check(cudaMemsetAsync(&status->largest_delta, 0, sizeof status->largest_delta, stream.get()),
        "cudaMemsetAsync");
  launch(largest_kernel, strided_grid(context, count), dim3(block_threads), 0, stream.get(), deltas, count,
         status);
}

int term_bits_of(const DeviceRows& rows) noexcept {
  return static_cast<int>(std::bit_width(std::max<std::uint64_t>({rows.num_rows, rows.num_ragged, 1})));
}

std::uint64_t scatter_blocks_at_once(const DeviceContext& context, std::size_t shared_bytes,
                                     std::uint32_t units) {
  context.make_current();
  auto* const kernel = scatter_kernel_of(context, shared_bytes, units);
  // As launch() does: otherwise more shared memory than the usual is assumed not to fit at all.
  if (shared_bytes > usual_shared_bytes) allow_most_shared_memory(reinterpret_cast<const void*>(kernel));
  // Makes room for as many blocks as are computed here: otherwise the driver may keep some of the memory as a
  // cache.
  prefer_shared_memory(reinterpret_cast<const void*>(kernel), cudaSharedmemCarveoutMaxShared);
  int blocks = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, static_cast<int>(scatter_threads),
                                                      shared_bytes),
        "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  return static_cast<std::uint64_t>(std::max(blocks, 1) * context.num_multiprocessors());
}

FirstLayerGradient::FirstLayerGradient(const DeviceContext& context, std::uint64_t num_columns,
                                       std::uint32_t units)
    : context_(context),
      units_(units),
      sums_(context, num_columns * units, "gradient sums of the first layer") {
  sums_.clear(context.stream());
}

void FirstLayerGradient::add_up(const DeviceRows& rows, const SlotPlanCopy& plan, const ScatterTiles& tiles,
                                const float* deltas, const StepStatus* status) {
  if (rows.num_rows == 0) return;
  const Stream& stream = context_.stream();
  for (const TileRun& run : tiles.runs()) {
    const TileRun::Division& division = run.division(rows.num_rows);
    const ScatterShape shape{units_, term_bits_of(rows), plan.device().num_rows};
    launch(scatter_kernel_of(context_, run.shared_bytes(), units_), grid_of(division.num_blocks),
           dim3(scatter_threads), run.shared_bytes(), stream.get(), rows, division.shares, deltas, shape,
           status, sums_.data());
  }
  if (tiles.has_rest()) {
    const auto [grid, lanes] = unit_grid(rows.num_rows, units_, 1);
    launch(scatter_kernel, grid, dim3(block_threads), 0, stream.get(), rows, plan.device(),
           tiles.most_columns(), deltas, units_, lanes, term_bits_of(rows), status, sums_.data());
  }
}

const float* FirstLayerGradient::add_up_numbers(const DeviceRows& rows, const SlotPlanCopy& plan,
                                                const float* deltas) {
  number_sums_.reserve(context_, plan.numbers().size() * units_, "gradient of numbers");
  column_sums_.compute_numbers(context_, rows, plan.device(), deltas, units_, false, number_sums_.data());
  return number_sums_.data();
}

void FirstLayerGradient::finish(const DeviceRows& rows, const SlotPlanCopy& plan, const float* deltas,
                                const StepStatus* status, float* gradient) {
  const std::uint64_t num_values = plan.device().num_rows * units_;
  launch(unfix_kernel, strided_grid(context_, num_values), dim3(block_threads), 0, context_.stream().get(),
         sums_.data(), num_values, term_bits_of(rows), status, gradient);
  column_sums_.compute_numbers(context_, rows, plan.device(), deltas, units_, true, gradient);
}

}  // namespace widehash::cuda
