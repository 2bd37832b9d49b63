#pragma once

/// \file
/// How kernels are launched and where they find their shared memory. Both need the syntax of nvcc, as does
/// released_add.cuh, so that kernels themselves are plain C++ with threadIdx and the like. Tests put a file
/// of this name before it on the include path; that file runs the same kernels on the processor.

#include "cuda/cuda_check.hpp"
#include "cuda/shared_memory_limit.hpp"

#include <cstddef>

namespace widehash::cuda {

/// Queues kernel(arguments...) on `stream`. A grid without blocks does nothing. Throws DeviceError if the
/// launch is refused; an error inside the kernel shows up at a later call. Include this file as <launch.cuh>,
/// so that the first one on the include path is used.
template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t shared_bytes,
            cudaStream_t stream, Arguments&&... arguments) {
  if (grid.x == 0 || grid.y == 0 || grid.z == 0) return;
  if (shared_bytes > usual_shared_bytes) allow_most_shared_memory(reinterpret_cast<const void*>(kernel));
  kernel<<<grid, block, shared_bytes, stream>>>(static_cast<Parameters>(arguments)...);
  const cudaError_t status = cudaGetLastError();
  if (status == cudaSuccess) return;
  const char* name = nullptr;
  if (cudaFuncGetName(&name, reinterpret_cast<const void*>(kernel)) != cudaSuccess) name = "a kernel";
  throw_failure(status, name);
}

/// The block's dynamic shared memory: the `shared_bytes` of the launch, aligned to 16 bytes.
template <class T>
__device__ T* shared_memory() {
  extern __shared__ __align__(16) unsigned char widehash_shared_memory[];
  return reinterpret_cast<T*>(widehash_shared_memory);
}

}  // namespace widehash::cuda
