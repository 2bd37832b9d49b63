#include "gather_sum.hpp"
#include "grids.hpp"
#include "row_columns.cuh"

#include <launch.cuh>

namespace widehash::cuda {
namespace {

/// V neighbouring units, loaded at once if V is 4.
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

/// `lanes` neighbouring threads share a row and take V units each. The grid's second dimension covers further
/// units. The lanes read the same code at the same time, which costs one load.
template <int V>
__global__ void gather_kernel(DeviceRows rows, DevicePlan plan, const float* weights, std::uint32_t units,
                              std::uint32_t lanes, float* sums) {
  const std::uint64_t row = std::uint64_t{blockIdx.x} * (blockDim.x / lanes) + threadIdx.x / lanes;
  const std::uint32_t unit = (blockIdx.y * lanes + threadIdx.x % lanes) * V;
  if (row >= rows.num_rows || unit >= units) return;
  const Units<V> sum = sum_of_columns<Units<V>, 8 / V>(
      rows, plan, row, {}, [&](std::uint64_t at) { return Units<V>::load(weights + at * units + unit); });
  sum.store(sums + row * units + unit);
}

template <int V>
void launch_gather(const DeviceRows& rows, const DevicePlan& plan, const float* weights, std::uint32_t units,
                   float* sums, const Stream& stream) {
  const auto [grid, lanes] = unit_grid(rows.num_rows, units, V);
  launch(gather_kernel<V>, grid, dim3(block_threads), 0, stream.get(), rows, plan, weights, units, lanes,
         sums);
}

}  // namespace

void prepare_gather_sum() {
  prefer_shared_memory(reinterpret_cast<const void*>(&gather_kernel<1>), cudaSharedmemCarveoutMaxL1);
  prefer_shared_memory(reinterpret_cast<const void*>(&gather_kernel<4>), cudaSharedmemCarveoutMaxL1);
}

void gather_sum(const DeviceRows& rows, const DevicePlan& plan, const float* weights, std::uint32_t units,
                float* sums, const Stream& stream) {
  if (units % 4 == 0) return launch_gather<4>(rows, plan, weights, units, sums, stream);
  launch_gather<1>(rows, plan, weights, units, sums, stream);
}

}  // namespace widehash::cuda
