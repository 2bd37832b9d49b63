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

/// Adds a share of a tile's rows to the block's sums.
template <class Content>
__device__ void add_rows(const TileShare& share, const Content* contents, std::uint64_t num_rows,
                         const float* deltas, const ScatterShape& shape, double scale, unsigned* low,
                         unsigned* high) {
  const ScatterTile& tile = share.tile;
  const std::uint32_t lane = threadIdx.x % tile.num_units;
  const std::uint32_t unit = tile.first_unit + lane;
  if (unit >= shape.units) return;
  const std::uint32_t rows_at_once = blockDim.x / tile.num_units;
  const std::uint32_t turn = threadIdx.x / tile.num_units;
  // 32 bits are enough for positions in shared memory.
  const std::uint32_t first = turn % tile.copies * tile.stride + lane;
  const std::uint64_t row = row_at(num_rows, share.begin) + turn;
  const std::uint64_t end_row = row_at(num_rows, share.end);
  if (row >= end_row) return;
  // Counting rows in 32 bits and advancing positions by steps saves a quarter of what the loop issues. 32
  // bits are enough for the rows that one thread of hundreds has.
  auto left = static_cast<std::uint32_t>((end_row - row + rows_at_once - 1) / rows_at_once);
  const std::uint32_t delta_step = rows_at_once * shape.units;
  contents += row;
  deltas += row * shape.units + unit;
  for (;;) {
    std::uint32_t content[rows_in_flight];
    float delta[rows_in_flight];
    for (unsigned k = 0; k < rows_in_flight; ++k) {
      const bool is_there = k < left;
      content[k] = is_there ? contents[k * rows_at_once] : tile.num_columns;
      delta[k] = is_there ? deltas[k * delta_step] : 0.0f;
    }
    for (unsigned k = 0; k < rows_in_flight; ++k) {
      if (content[k] == tile.absent || content[k] >= tile.num_columns) continue;
      const std::uint32_t at = first + content[k] * tile.num_units;
      add_in_halves(low + at, high + at,
                    static_cast<unsigned long long>(FixedPoint::from_float(delta[k], scale)));
    }
    if (left <= rows_in_flight) return;
    left -= rows_in_flight;
    contents += rows_in_flight * rows_at_once;
    deltas += rows_in_flight * delta_step;
  }
}

/// A block takes its shares of tiles one after the other. It sums each share in shared memory and adds the
/// result to the device's sums. `blocks` blocks fit a multiprocessor.
template <unsigned blocks>
__global__ void __launch_bounds__(scatter_threads, blocks)
    scatter_shared_kernel(DeviceRows rows, const TileShare* shares, const float* deltas, ScatterShape shape,
                          const StepStatus* status, unsigned long long* sums) {
  const FixedPoint fixed(*status, shape.term_bits);
  if (!fixed.are_deltas_finite()) return;
  std::uint32_t place_of_share = blockIdx.x;
  for (;;) {
    const TileShare share = shares[place_of_share];
    const ScatterTile& tile = share.tile;
    const std::uint32_t num_sums = tile.num_columns * tile.num_units;
    const std::uint32_t size = tile.stride * tile.copies;
    unsigned* const low = shared_memory<unsigned>();
    unsigned* const high = low + size;
    for (std::uint32_t i = threadIdx.x; i < 2 * size; i += blockDim.x) low[i] = 0;
    __syncthreads();

    const auto add = [&](const auto* contents) {
      add_rows(share, contents + tile.slot * rows.stride, rows.num_rows, deltas, shape, fixed.scale(), low,
               high);
    };
    if (tile.contents == SlotContents::code) add(rows.codes);
    if (tile.contents == SlotContents::byte_code) add(rows.byte_codes);
    if (tile.contents == SlotContents::column) add(rows.columns);
    __syncthreads();

    // blockDim.x is a multiple of the tile's units, so this thread has the same unit as in add_rows().
    const std::uint32_t unit = tile.first_unit + threadIdx.x % tile.num_units;
    for (std::uint32_t i = threadIdx.x; i < num_sums && unit < shape.units; i += blockDim.x) {
      const std::uint32_t column = i / tile.num_units;
      const std::uint32_t at = column + tile.shift;
      unsigned long long sum = 0;
      for (std::uint32_t place = i; place < size; place += tile.stride)
        sum += whole_sum(low[place], high[place]);
      if (sum == 0 || at >= shape.array_rows) continue;
      atomicAdd(sums + std::uint64_t{at} * shape.units + unit, sum);
    }
    if (share.next == 0) return;
    place_of_share = share.next;
    __syncthreads();
  }
}

using ScatterSharedKernel = decltype(&scatter_shared_kernel<ScatterTiles::most_blocks>);

/// If the shared memory of a block leaves no room for a third block, two blocks share the registers.
ScatterSharedKernel scatter_kernel_of(const DeviceContext& context, std::size_t shared_bytes) {
  return shared_bytes > share_of_shared_memory(context, 3)
             ? &scatter_shared_kernel<2>
             : &scatter_shared_kernel<ScatterTiles::most_blocks>;
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
    gradient[i] =
        fixed.are_deltas_finite() ? FixedPoint::to_float(sums[i], inverse_scale) : fixed.not_finite();
    sums[i] = 0;
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

std::uint64_t scatter_blocks_at_once(const DeviceContext& context, std::size_t shared_bytes) {
  context.make_current();
  auto* const kernel = scatter_kernel_of(context, shared_bytes);
  // As launch() does: otherwise more shared memory than the usual is assumed not to fit at all.
  if (shared_bytes > usual_shared_bytes) allow_most_shared_memory(reinterpret_cast<const void*>(kernel));
  // Makes room for as many blocks as are computed here: otherwise the driver may keep some of the memory as a
  // cache.
  check(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel),
                             cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxShared),
        "cudaFuncSetAttribute");
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
    launch(scatter_kernel_of(context_, run.shared_bytes()), grid_of(division.num_blocks),
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
