#include "first_layer.hpp"
#include "grids.hpp"
#include "half_sums.cuh"

#include <algorithm>
#include <bit>

#include <launch.cuh>

namespace widehash::cuda {
namespace {

// Transposition

constexpr unsigned tile = 32;
constexpr unsigned tile_rows_at_once = 8;

/// A tile at a time through shared memory, so that both reads and writes run along memory. One column more than it
/// needs keeps the column-wise reads in different banks.
template <class T>
__global__ void transpose_kernel(const T* from, std::uint64_t num_rows, std::uint32_t num_slots,
                                 std::uint64_t row_size, std::uint64_t stride, T* to) {
  T* shared = shared_memory<T>();
  const std::uint64_t first_row = std::uint64_t{blockIdx.x} * tile;
  const std::uint32_t first_slot = blockIdx.y * tile;
  for (unsigned y = threadIdx.y; y < tile; y += tile_rows_at_once) {
    const std::uint64_t row = first_row + y;
    const std::uint32_t slot = first_slot + threadIdx.x;
    if (row < num_rows && slot < num_slots)
      shared[y * (tile + 1) + threadIdx.x] = from[row * row_size + slot];
  }
  __syncthreads();
  for (unsigned y = threadIdx.y; y < tile; y += tile_rows_at_once) {
    const std::uint64_t row = first_row + threadIdx.x;
    const std::uint32_t slot = first_slot + y;
    if (row < num_rows && slot < num_slots) to[slot * stride + row] = shared[threadIdx.x * (tile + 1) + y];
  }
}

// Columns of a row

/// Calls visit(row of the arrays, x) for every column of the plan's range that batch row `row` sets.
template <class Visit>
__device__ void for_each_column(const DeviceRows& rows, const DevicePlan& plan, std::uint64_t row,
                                const Visit& visit) {
  const auto visit_slots = [&](const DeviceSlot* slots, std::uint32_t count, const auto* contents) {
    for (std::uint32_t i = 0; i < count; ++i) {
      const DeviceSlot slot = slots[i];
      const std::uint32_t content = contents[slot.slot * rows.stride + row];
      const auto at = static_cast<std::uint64_t>(content + slot.shift);
      if (content != slot.absent && at < plan.num_rows) visit(at, 1.0f);
    }
  };
  visit_slots(plan.codes, plan.num_codes, rows.codes);
  visit_slots(plan.byte_codes, plan.num_byte_codes, rows.byte_codes);
  visit_slots(plan.columns, plan.num_columns, rows.columns);
  for (std::uint32_t i = 0; i < plan.num_numbers; ++i) {
    const DeviceSlot slot = plan.numbers[i];
    visit(static_cast<std::uint64_t>(slot.shift), rows.numbers[slot.slot * rows.stride + row]);
  }
  if (!plan.has_ragged) return;
  for (std::uint64_t i = rows.ragged_offsets[row]; i < rows.ragged_offsets[row + 1]; ++i) {
    const auto at = static_cast<std::uint64_t>(rows.ragged[i] - plan.first_column);
    if (at < plan.num_rows) visit(at, 1.0f);
  }
}

// Forward

/// V neighbouring units, loaded at once where V is 4.
template <int V>
struct Units;
template <>
struct Units<1> {
  __device__ static Units load(const float* from) { return {*from}; }
  __device__ void add(float x, const Units& w) { a += x * w.a; }
  __device__ void store(float* to) const { *to = a; }
  float a;
};
template <>
struct Units<4> {
  __device__ static Units load(const float* from) { return {*reinterpret_cast<const float4*>(from)}; }
  __device__ void add(float x, const Units& w) {
    a.x += x * w.a.x;
    a.y += x * w.a.y;
    a.z += x * w.a.z;
    a.w += x * w.a.w;
  }
  __device__ void store(float* to) const { *reinterpret_cast<float4*>(to) = a; }
  float4 a;
};

/// `lanes` neighbouring threads share a row, V units each; the grid's second dimension goes on with further units. The
/// lanes read the same code at the same time, which costs one load.
template <int V>
__global__ void gather_kernel(DeviceRows rows, DevicePlan plan, const float* weights, std::uint32_t units,
                              std::uint32_t lanes, float* sums) {
  const std::uint64_t row = std::uint64_t{blockIdx.x} * (blockDim.x / lanes) + threadIdx.x / lanes;
  const std::uint32_t unit = (blockIdx.y * lanes + threadIdx.x % lanes) * V;
  if (row >= rows.num_rows || unit >= units) return;
  Units<V> sum{};
  for_each_column(rows, plan, row, [&](std::uint64_t at, float x) {
    sum.add(x, Units<V>::load(weights + at * units + unit));
  });
  sum.store(sums + row * units + unit);
}

template <int V>
void launch_gather(const DeviceRows& rows, const DevicePlan& plan, const float* weights, std::uint32_t units,
                   float* sums, const Stream& stream) {
  const std::uint32_t lanes = std::min(32u, std::bit_ceil(units / V));
  launch(
      gather_kernel<V>,
      grid_of(blocks_for(rows.num_rows, block_threads / lanes), blocks_for(units, std::uint64_t{lanes} * V)),
      dim3(block_threads), 0, stream.get(), rows, plan, weights, units, lanes, sums);
}

// Backward

__global__ void largest_kernel(const float* values, std::uint64_t count, StepStatus* status) {
  std::uint32_t largest = 0;
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step)
    largest = max(largest, __float_as_uint(values[i]) & 0x7FFFFFFFu);
  for (int distance = 16; distance > 0; distance /= 2)
    largest = max(largest, __shfl_xor_sync(0xFFFFFFFFu, largest, distance));
  if (threadIdx.x % 32 == 0) atomicMax(&status->largest_delta, largest);
}

constexpr std::uint32_t infinity_bits = 0x7F800000u;

/// e of the file's header; `term_bits` is t.
__device__ int fixed_exponent(std::uint32_t largest_delta, int term_bits) {
  // Not finite: the step is refused, and what is summed does not matter.
  if (largest_delta >= infinity_bits) return 0;
  return 62 - term_bits - (static_cast<int>(largest_delta >> 23) - 126);
}

__global__ void fix_kernel(const float* deltas, std::uint64_t count, int term_bits, const StepStatus* status,
                           long long* fixed) {
  const std::uint32_t largest = status->largest_delta;
  const double scale = ldexp(1.0, fixed_exponent(largest, term_bits));
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step)
    fixed[i] = largest >= infinity_bits ? 0 : __double2ll_rn(static_cast<double>(deltas[i]) * scale);
}

/// Columns and rows that one launch of scatter_shared_kernel goes over.
struct ScatterShape {
  std::uint32_t units = 0;
  std::uint32_t block_units = 0;     // of one block; a power of two
  std::uint64_t block_rows = 0;      // likewise
  std::uint64_t array_rows = 0;      // columns of the range
  std::uint64_t shared_columns = 0;  // room for so many
};

/// One block: one slot (x), some rows (y), some units (z). Sums in shared memory, and adds to the device's at the end.
template <class Content>
__global__ void scatter_shared_kernel(const DeviceSlot* slots, const Content* contents, std::uint64_t stride,
                                      std::uint64_t num_rows, const long long* fixed, ScatterShape shape,
                                      unsigned long long* sums) {
  const DeviceSlot slot = slots[blockIdx.x];
  // Slots that do not fit are for scatter_kernel.
  if (slot.num_columns > shape.shared_columns) return;
  const std::uint64_t size = slot.num_columns * shape.block_units;
  unsigned* const low = shared_memory<unsigned>();
  unsigned* const high = low + size;
  for (std::uint64_t i = threadIdx.x; i < 2 * size; i += blockDim.x) low[i] = 0;
  __syncthreads();

  const std::uint32_t lane = threadIdx.x % shape.block_units;
  const std::uint32_t unit = blockIdx.z * shape.block_units + lane;
  const std::uint64_t first_row = blockIdx.y * shape.block_rows;
  const std::uint64_t end_row = min(num_rows, first_row + shape.block_rows);
  const std::uint32_t rows_at_once = blockDim.x / shape.block_units;
  if (unit < shape.units) {
    for (std::uint64_t row = first_row + threadIdx.x / shape.block_units; row < end_row;
         row += rows_at_once) {
      const std::uint32_t content = contents[slot.slot * stride + row];
      if (content == slot.absent || content >= slot.num_columns) continue;
      const std::uint64_t at = std::uint64_t{content} * shape.block_units + lane;
      add_in_halves(low + at, high + at, static_cast<unsigned long long>(fixed[row * shape.units + unit]));
    }
  }
  __syncthreads();

  for (std::uint64_t i = threadIdx.x; i < size; i += blockDim.x) {
    const auto at = static_cast<std::uint64_t>(static_cast<std::int64_t>(i / shape.block_units) + slot.shift);
    // blockDim.x is a multiple of block_units, so the unit is that of this thread above.
    const unsigned long long sum = whole_sum(low[i], high[i]);
    if (sum == 0 || at >= shape.array_rows || unit >= shape.units) continue;
    atomicAdd(sums + at * shape.units + unit, sum);
  }
}

/// Everything else, at once into the device's memory: slots whose columns do not fit, and ragged runs.
__global__ void scatter_kernel(DeviceRows rows, DevicePlan plan, std::uint64_t shared_columns,
                               const long long* fixed, std::uint32_t units, std::uint32_t lanes,
                               unsigned long long* sums) {
  const std::uint64_t row = std::uint64_t{blockIdx.x} * (blockDim.x / lanes) + threadIdx.x / lanes;
  const std::uint32_t unit = blockIdx.y * lanes + threadIdx.x % lanes;
  if (row >= rows.num_rows || unit >= units) return;
  const auto delta = static_cast<unsigned long long>(fixed[row * units + unit]);
  const auto add = [&](const DeviceSlot& slot, std::uint32_t content) {
    const auto at = static_cast<std::uint64_t>(content + slot.shift);
    if (slot.num_columns > shared_columns && content != slot.absent && at < plan.num_rows)
      atomicAdd(sums + at * units + unit, delta);
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

/// Back to float, and ready for the next step.
__global__ void unfix_kernel(unsigned long long* sums, std::uint64_t count, int term_bits,
                             const StepStatus* status, float* gradient) {
  const std::uint32_t largest = status->largest_delta;
  const double scale = ldexp(1.0, -fixed_exponent(largest, term_bits));
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    // What is not finite stays so, and update() finds it.
    gradient[i] = largest >= infinity_bits
                      ? __uint_as_float(largest)
                      : static_cast<float>(static_cast<double>(static_cast<long long>(sums[i])) * scale);
    sums[i] = 0;
  }
}

/// So much shared memory that two blocks fit a multiprocessor, which has the most that a block may take and what the system
/// takes for one.
std::size_t half_of_shared_memory(const DeviceContext& context) {
  constexpr std::size_t system_bytes = 1024;
  return (context.max_shared_bytes() + system_bytes) / 2 - system_bytes;
}

constexpr std::uint64_t fewest_block_rows = 1024;
constexpr unsigned scatter_threads = 512;

}  // namespace

template <class T>
void transpose(const T* from, std::uint64_t num_rows, std::uint32_t num_slots, std::uint64_t row_size,
               std::uint64_t stride, T* to, const Stream& stream) {
  launch(transpose_kernel<T>, grid_of(blocks_for(num_rows, tile), blocks_for(num_slots, tile)),
         dim3(tile, tile_rows_at_once), sizeof(T) * tile * (tile + 1), stream.get(), from, num_rows,
         num_slots, row_size, stride, to);
}

template void transpose(const std::uint16_t*, std::uint64_t, std::uint32_t, std::uint64_t, std::uint64_t,
                        std::uint16_t*, const Stream&);
template void transpose(const std::uint8_t*, std::uint64_t, std::uint32_t, std::uint64_t, std::uint64_t,
                        std::uint8_t*, const Stream&);
template void transpose(const std::uint32_t*, std::uint64_t, std::uint32_t, std::uint64_t, std::uint64_t,
                        std::uint32_t*, const Stream&);
template void transpose(const float*, std::uint64_t, std::uint32_t, std::uint64_t, std::uint64_t, float*,
                        const Stream&);

void gather_sum(const DeviceRows& rows, const DevicePlan& plan, const float* weights, std::uint32_t units,
                float* sums, const Stream& stream) {
  if (units % 4 == 0) return launch_gather<4>(rows, plan, weights, units, sums, stream);
  launch_gather<1>(rows, plan, weights, units, sums, stream);
}

FirstLayerGradient::FirstLayerGradient(const DeviceContext& context, std::uint64_t num_columns,
                                       std::uint32_t units)
    : context_(context),
      units_(units),
      sums_(context, num_columns * units, "gradient sums of the first layer") {
  sums_.clear(context.stream());
}

void FirstLayerGradient::compute(const DeviceRows& rows, const SlotPlanCopy& slots, const float* deltas,
                                 StepStatus* status, float* gradient) {
  const DevicePlan& plan = slots.device();
  const Stream& stream = context_.stream();
  const std::uint64_t num_deltas = rows.num_rows * units_;
  fixed_.reserve(context_, num_deltas, "deltas of the first layer in fixed point");
  const std::uint64_t terms = std::max<std::uint64_t>({rows.num_rows, rows.num_ragged, 1});
  const auto term_bits = static_cast<int>(std::bit_width(terms));
  launch(largest_kernel, strided_grid(context_, num_deltas), dim3(block_threads), 0, stream.get(), deltas,
         num_deltas, status);
  launch(fix_kernel, strided_grid(context_, num_deltas), dim3(block_threads), 0, stream.get(), deltas,
         num_deltas, term_bits, status, fixed_.data());

  const std::size_t room = half_of_shared_memory(context_) / sizeof(unsigned long long);
  bool has_large = false;
  const auto scatter_slots = [&](const std::vector<DeviceSlot>& own, const DeviceSlot* device_slots,
                                 const auto* contents) {
    // The widest slot that fits decides how many units a block takes.
    std::uint64_t widest = 0;
    for (const DeviceSlot& slot : own) {
      has_large = has_large || slot.num_columns > room;
      if (slot.num_columns <= room) widest = std::max(widest, slot.num_columns);
    }
    if (widest == 0) return;
    ScatterShape shape;
    shape.units = units_;
    shape.block_units = static_cast<std::uint32_t>(
        std::min<std::uint64_t>({std::bit_floor(room / widest), std::bit_ceil(units_), 32}));
    shape.array_rows = plan.num_rows;
    shape.shared_columns = room;
    const std::uint64_t unit_blocks = blocks_for(units_, shape.block_units);
    const std::uint64_t wanted =
        blocks_for(4u * std::uint64_t(context_.num_multiprocessors()), own.size() * unit_blocks);
    const std::uint64_t row_blocks =
        std::clamp<std::uint64_t>(wanted, 1, blocks_for(rows.num_rows, fewest_block_rows));
    shape.block_rows = blocks_for(rows.num_rows, row_blocks);
    using Content = std::remove_cv_t<std::remove_pointer_t<decltype(contents)>>;
    launch(scatter_shared_kernel<Content>, grid_of(own.size(), row_blocks, unit_blocks),
           dim3(scatter_threads), widest * shape.block_units * sizeof(unsigned long long), stream.get(),
           device_slots, contents, rows.stride, rows.num_rows, fixed_.data(), shape, sums_.data());
  };
  if (rows.num_rows > 0) {
    scatter_slots(slots.codes(), plan.codes, rows.codes);
    scatter_slots(slots.byte_codes(), plan.byte_codes, rows.byte_codes);
    scatter_slots(slots.columns(), plan.columns, rows.columns);
    if (has_large || plan.has_ragged) {
      const std::uint32_t lanes = std::min(32u, std::bit_ceil(units_));
      launch(scatter_kernel,
             grid_of(blocks_for(rows.num_rows, block_threads / lanes), blocks_for(units_, lanes)),
             dim3(block_threads), 0, stream.get(), rows, plan, std::uint64_t{room}, fixed_.data(), units_,
             lanes, sums_.data());
    }
  }
  const std::uint64_t num_values = plan.num_rows * units_;
  launch(unfix_kernel, strided_grid(context_, num_values), dim3(block_threads), 0, stream.get(), sums_.data(),
         num_values, term_bits, status, gradient);
  for (const DeviceSlot& slot : slots.numbers()) {
    column_sums_.compute(context_, deltas, rows.numbers + slot.slot * rows.stride, rows.num_rows, units_,
                         gradient + static_cast<std::uint64_t>(slot.shift) * units_);
  }
}

}  // namespace widehash::cuda
