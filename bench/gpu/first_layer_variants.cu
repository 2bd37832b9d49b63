#include "code_of_slot.cuh"
#include "first_layer_variants.hpp"
#include "grids.hpp"
#include "row_columns.cuh"

#include <algorithm>
#include <vector>

#include <launch.cuh>

namespace widehash::bench {
namespace {

using cuda::block_threads;
using cuda::blocks_for;
using cuda::DevicePlan;
using cuda::DeviceRows;
using cuda::DeviceSlot;
using cuda::grid_of;

template <int V>
struct Floats;
template <>
struct Floats<1> {
  __device__ static void add(const float* from, float* to) { atomicAdd(to, *from); }
};
template <>
struct Floats<4> {
  __device__ static void add(const float* from, float* to) {
    const float4 x = *reinterpret_cast<const float4*>(from);
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    atomicAdd(reinterpret_cast<float4*>(to), x);
#else
    atomicAdd(to, x.x);
    atomicAdd(to + 1, x.y);
    atomicAdd(to + 2, x.z);
    atomicAdd(to + 3, x.w);
#endif
  }
};

template <int V>
__global__ void add_kernel(DeviceRows rows, DevicePlan plan, const float* deltas, std::uint32_t units,
                           std::uint32_t lanes, float* gradient) {
  const std::uint64_t row = std::uint64_t{blockIdx.x} * (blockDim.x / lanes) + threadIdx.x / lanes;
  const std::uint32_t unit = (blockIdx.y * lanes + threadIdx.x % lanes) * V;
  if (row >= rows.num_rows || unit >= units) return;
  for (std::uint32_t slot = 0; slot < plan.num_codes + plan.num_byte_codes; ++slot) {
    const std::uint32_t code = code_of_slot(rows, plan, slot, row);
    const auto at = static_cast<std::uint64_t>(code + plan.codes[slot].shift);
    if (code != plan.codes[slot].absent && at < plan.num_rows)
      Floats<V>::add(deltas + row * units + unit, gradient + at * units + unit);
  }
}

template <int V>
void launch_add(const cuda::DeviceContext& context, const DeviceRows& rows, const DevicePlan& plan,
                const float* deltas, std::uint32_t units, float* gradient) {
  const auto [grid, lanes] = cuda::unit_grid(rows.num_rows, units, V);
  cuda::launch(add_kernel<V>, grid, dim3(block_threads), 0, context.stream().get(), rows, plan, deltas, units,
               lanes, gradient);
}

/// Eight neighbouring units: 16 bytes of weights when loaded, floats when added up.
struct EightUnits {
  __device__ static EightUnits load(const std::uint16_t* from) {
    const uint4 words = *reinterpret_cast<const uint4*>(from);
    const unsigned pairs[4] = {words.x, words.y, words.z, words.w};
    EightUnits units;
    for (int i = 0; i < 4; ++i) {
      units.values[2 * i] = __uint_as_float(pairs[i] << 16);
      units.values[2 * i + 1] = __uint_as_float(pairs[i] & 0xFFFF0000u);
    }
    return units;
  }
  __device__ void add(float x, const EightUnits& weights) {
    for (int i = 0; i < 8; ++i) values[i] += x * weights.values[i];
  }
  float values[8];
};

/// Like gather_kernel of src/network/cuda.
__global__ void gather_bfloat16_kernel(DeviceRows rows, DevicePlan plan, const std::uint16_t* weights,
                                       std::uint32_t units, std::uint32_t lanes, float* sums) {
  const std::uint64_t row = std::uint64_t{blockIdx.x} * (blockDim.x / lanes) + threadIdx.x / lanes;
  const std::uint32_t unit = (blockIdx.y * lanes + threadIdx.x % lanes) * 8;
  if (row >= rows.num_rows || unit >= units) return;
  const EightUnits sum = cuda::sum_of_columns<EightUnits, 2>(
      rows, plan, row, {}, [&](std::uint64_t at) { return EightUnits::load(weights + at * units + unit); });
  for (int i = 0; i < 8; ++i) sums[row * units + unit + i] = sum.values[i];
}

/// Each block handles one group (x) and some rows (y).
__global__ void staged_kernel(DeviceRows rows, DevicePlan plan, const StagedGather::Group* groups,
                              const float* weights, std::uint64_t block_rows, float* partial) {
  float* const staged = cuda::shared_memory<float>();
  const StagedGather::Group group = groups[blockIdx.x];
  std::uint64_t begin = 0;
  for (std::uint32_t k = 0; k < group.count; ++k) {
    const DeviceSlot slot = plan.codes[group.begin + k];
    for (std::uint64_t i = threadIdx.x; i < slot.num_columns; i += blockDim.x)
      staged[begin + i] = weights[static_cast<std::uint64_t>(static_cast<std::int64_t>(i) + slot.shift)];
    begin += slot.num_columns;
  }
  __syncthreads();
  const std::uint64_t end = min(rows.num_rows, (blockIdx.y + 1) * block_rows);
  for (std::uint64_t row = blockIdx.y * block_rows + threadIdx.x; row < end; row += blockDim.x) {
    float sum = 0;
    std::uint64_t place = 0;
    for (std::uint32_t k = 0; k < group.count; ++k) {
      const std::uint32_t code = code_of_slot(rows, plan, group.begin + k, row);
      const std::uint64_t columns = plan.codes[group.begin + k].num_columns;
      if (code < columns) sum += staged[place + code];
      place += columns;
    }
    partial[blockIdx.x * rows.num_rows + row] = sum;
  }
}

__global__ void add_groups_kernel(const float* partial, std::uint64_t num_groups, std::uint64_t num_rows,
                                  float* sums) {
  const std::uint64_t row = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (row >= num_rows) return;
  float sum = 0;
  for (std::uint64_t group = 0; group < num_groups; ++group) sum += partial[group * num_rows + row];
  sums[row] = sum;
}

constexpr unsigned staged_threads = 1024;

}  // namespace

void add_floats(const cuda::DeviceContext& context, const DeviceRows& rows, const DevicePlan& plan,
                const float* deltas, std::uint32_t units, float* gradient) {
  launch_add<1>(context, rows, plan, deltas, units, gradient);
}

void add_float_vectors(const cuda::DeviceContext& context, const DeviceRows& rows, const DevicePlan& plan,
                       const float* deltas, std::uint32_t units, float* gradient) {
  launch_add<4>(context, rows, plan, deltas, units, gradient);
}

void gather_bfloat16(const cuda::DeviceContext& context, const DeviceRows& rows, const DevicePlan& plan,
                     const std::uint16_t* weights, std::uint32_t units, float* sums) {
  const auto [grid, lanes] = cuda::unit_grid(rows.num_rows, units, 8);
  cuda::launch(gather_bfloat16_kernel, grid, dim3(block_threads), 0, context.stream().get(), rows, plan,
               weights, units, lanes, sums);
}

StagedGather::StagedGather(const cuda::DeviceContext& context, const cuda::SlotPlanCopy& plan)
    : context_(context), plan_(plan) {
  std::vector<DeviceSlot> slots = plan.codes();
  slots.insert(slots.end(), plan.byte_codes().begin(), plan.byte_codes().end());
  const std::uint64_t room = (context.max_shared_bytes() - 1024) / 2 / sizeof(float);
  std::vector<Group> groups;
  std::uint64_t columns = room;
  for (std::uint32_t slot = 0; slot < slots.size(); ++slot) {
    if (columns + slots[slot].num_columns > room) {
      groups.push_back({slot, 0});
      columns = 0;
    }
    columns += slots[slot].num_columns;
    ++groups.back().count;
    shared_bytes_ = std::max<std::size_t>(shared_bytes_, columns * sizeof(float));
  }
  groups_ = cuda::make_device_copy<Group>(context, groups, "groups of slots");
}

void StagedGather::compute(const DeviceRows& rows, const float* weights, float* sums) {
  const std::uint64_t num_groups = groups_.size();
  partial_.reserve(context_, num_groups * rows.num_rows, "sums of groups");
  const std::uint64_t row_blocks =
      std::min(blocks_for(2 * std::uint64_t(context_.num_multiprocessors()), num_groups),
               blocks_for(rows.num_rows, staged_threads));
  const cudaStream_t stream = context_.stream().get();
  cuda::launch(staged_kernel, grid_of(num_groups, row_blocks), dim3(staged_threads), shared_bytes_, stream,
               rows, plan_.device(), groups_.data(), weights, blocks_for(rows.num_rows, row_blocks),
               partial_.data());
  cuda::launch(add_groups_kernel, grid_of(blocks_for(rows.num_rows, block_threads)), dim3(block_threads), 0,
               stream, partial_.data(), num_groups, rows.num_rows, sums);
}

}  // namespace widehash::bench
