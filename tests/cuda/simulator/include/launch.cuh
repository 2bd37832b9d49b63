#pragma once

/// \file
/// The simulator's <launch.cuh>: the functions of src/base/cuda/native/launch.cuh, for kernels that were
/// compiled as ordinary C++.

#include "cuda/cuda_check.hpp"
#include "cuda/shared_memory_limit.hpp"

#include <cstddef>
#include <tuple>

#include <cuda_runtime.h>

namespace widehash::cuda {

template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t shared_bytes,
            cudaStream_t stream, Arguments&&... arguments) {
  if (grid.x == 0 || grid.y == 0 || grid.z == 0) return;
  if (shared_bytes > usual_shared_bytes) allow_most_shared_memory(reinterpret_cast<const void*>(kernel));
  const std::tuple<Parameters...> held(static_cast<Parameters>(arguments)...);
  check(simulator::enqueue_kernel(reinterpret_cast<const void*>(kernel), __PRETTY_FUNCTION__, grid, block,
                                  shared_bytes, stream, [kernel, held] { std::apply(kernel, held); }),
        "a kernel");
}

template <class T>
T* shared_memory() {
  return static_cast<T*>(simulator::dynamic_shared_memory());
}

}  // namespace widehash::cuda
