#include "code_of_slot.cuh"
#include "grids.hpp"
#include "sorted_gradient.hpp"

#include <algorithm>
#include <bit>

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <launch.cuh>
#include <thrust/iterator/transform_iterator.h>

namespace widehash::bench {
namespace {

using cuda::block_threads;
using cuda::blocks_for;
using cuda::DevicePlan;
using cuda::DeviceRows;
using cuda::grid_of;

/// One thread per entry: slots (y), and rows within a slot (x). An absent code gets the column after the last one.
__global__ void entries_kernel(DeviceRows rows, DevicePlan plan, std::uint32_t* columns,
                               std::uint32_t* entry_rows) {
  const std::uint64_t row = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (row >= rows.num_rows) return;
  const std::uint32_t slot = blockIdx.y;
  const std::uint32_t code = code_of_slot(rows, plan, slot, row);
  const auto column = static_cast<std::uint64_t>(code + plan.codes[slot].shift);
  const bool is_there = code != plan.codes[slot].absent && column < plan.num_rows;
  columns[slot * rows.num_rows + row] = static_cast<std::uint32_t>(is_there ? column : plan.num_rows);
  entry_rows[slot * rows.num_rows + row] = static_cast<std::uint32_t>(row);
}

__global__ void store_kernel(const std::uint32_t* columns, const float* sums, const std::uint64_t* count,
                             std::uint64_t num_columns, float* gradient) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < *count && columns[i] < num_columns) gradient[columns[i]] = sums[i];
}

struct DeltaOfRow {
  __device__ float operator()(std::uint32_t row) const { return deltas[row]; }
  const float* deltas;
};

std::uint64_t num_entries_of(const DevicePlan& plan, std::uint64_t num_rows) {
  return num_rows * (plan.num_codes + plan.num_byte_codes);
}

}  // namespace

SortedGradient::SortedGradient(const cuda::DeviceContext& context, const DevicePlan& plan,
                               std::uint64_t num_rows)
    : context_(context),
      num_entries_(num_entries_of(plan, num_rows)),
      column_bits_(static_cast<int>(std::bit_width(plan.num_rows))),
      columns_(context, num_entries_, "columns"),
      rows_(context, num_entries_, "rows"),
      sorted_columns_(context, num_entries_, "sorted columns"),
      sorted_rows_(context, num_entries_, "sorted rows"),
      run_columns_(context, plan.num_rows + 1, "columns of runs"),
      run_sums_(context, plan.num_rows + 1, "sums of runs"),
      num_runs_(context, 1, "number of runs") {
  const cudaStream_t stream = context.stream().get();
  std::size_t for_sort = 0;
  std::size_t for_sums = 0;
  cuda::check(cub::DeviceRadixSort::SortPairs(nullptr, for_sort, columns_.data(), sorted_columns_.data(),
                                              rows_.data(), sorted_rows_.data(), num_entries_, 0,
                                              column_bits_, stream),
              "SortPairs");
  const auto deltas = thrust::make_transform_iterator(sorted_rows_.data(), DeltaOfRow{nullptr});
  cuda::check(cub::DeviceReduce::ReduceByKey(nullptr, for_sums, sorted_columns_.data(), run_columns_.data(),
                                             deltas, run_sums_.data(), num_runs_.data(),
                                             ::cuda::std::plus<>{}, num_entries_, stream),
              "ReduceByKey");
  scratch_ = cuda::DeviceBuffer<std::byte>(context, std::max(for_sort, for_sums), "scratch");
}

void SortedGradient::compute(const DeviceRows& rows, const DevicePlan& plan, const float* deltas,
                             float* gradient) {
  const cudaStream_t stream = context_.stream().get();
  cuda::launch(
      entries_kernel,
      grid_of(blocks_for(rows.num_rows, block_threads), num_entries_of(plan, rows.num_rows) / rows.num_rows),
      dim3(block_threads), 0, stream, rows, plan, columns_.data(), rows_.data());
  std::size_t bytes = scratch_.size();
  cuda::check(cub::DeviceRadixSort::SortPairs(scratch_.data(), bytes, columns_.data(), sorted_columns_.data(),
                                              rows_.data(), sorted_rows_.data(), num_entries_, 0,
                                              column_bits_, stream),
              "SortPairs");
  const auto sorted_deltas = thrust::make_transform_iterator(sorted_rows_.data(), DeltaOfRow{deltas});
  bytes = scratch_.size();
  cuda::check(cub::DeviceReduce::ReduceByKey(scratch_.data(), bytes, sorted_columns_.data(),
                                             run_columns_.data(), sorted_deltas, run_sums_.data(),
                                             num_runs_.data(), ::cuda::std::plus<>{}, num_entries_, stream),
              "ReduceByKey");
  cuda::launch(store_kernel, grid_of(blocks_for(plan.num_rows + 1, block_threads)), dim3(block_threads), 0,
               stream, run_columns_.data(), run_sums_.data(), num_runs_.data(), plan.num_rows, gradient);
}

}  // namespace widehash::bench
