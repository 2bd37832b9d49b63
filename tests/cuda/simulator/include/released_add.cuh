#pragma once

/// \file
/// The simulator's <released_add.cuh>: one fiber runs at a time, and all see the same memory.

#include <cstdint>

#include <cuda_runtime.h>

namespace widehash::cuda {

inline std::uint32_t released_add(std::uint32_t* at, std::uint32_t value) { return atomicAdd(at, value); }

}  // namespace widehash::cuda
