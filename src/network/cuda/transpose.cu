#include "grids.hpp"
#include "transpose.hpp"

#include <launch.cuh>

namespace widehash::cuda {
namespace {

constexpr unsigned tile = 32;
constexpr unsigned tile_rows_at_once = 8;

/// Moves a tile at a time through shared memory, so that both reads and writes run along memory. One extra
/// column keeps the column-wise reads in different banks.
template <class T>
__global__ void transpose_kernel(const T* from, std::uint64_t num_rows, std::uint32_t num_slots,
                                 std::uint64_t row_size, std::uint64_t stride, T* to) {
  T* shared = shared_memory<T>();
  const std::uint64_t first_row = std::uint64_t{blockIdx.x} * tile;
  const std::uint32_t first_slot = blockIdx.y * tile;
  for (unsigned k = 0; k < tile / tile_rows_at_once; ++k) {
    const unsigned y = threadIdx.y + k * tile_rows_at_once;
    const std::uint64_t row = first_row + y;
    const std::uint32_t slot = first_slot + threadIdx.x;
    if (row < num_rows && slot < num_slots)
      shared[y * (tile + 1) + threadIdx.x] = from[row * row_size + slot];
  }
  __syncthreads();
  // The compiler knows the number of iterations, so that four loads are under way together.
  for (unsigned k = 0; k < tile / tile_rows_at_once; ++k) {
    const unsigned y = threadIdx.y + k * tile_rows_at_once;
    const std::uint64_t row = first_row + threadIdx.x;
    const std::uint32_t slot = first_slot + y;
    if (row < num_rows && slot < num_slots) to[slot * stride + row] = shared[threadIdx.x * (tile + 1) + y];
  }
}

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

}  // namespace widehash::cuda
