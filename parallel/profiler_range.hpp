#pragma once

/// \file
/// What a device does, as ranges that NVIDIA's profilers show beside kernels and copies (NVTX, domain
/// "widehash"). Where none listens a range costs a look at a pointer; in a build without CUDA nothing.

#include <cstdint>

namespace widehash::detail {

/// The range goes on, whatever threads do, until it is ended. `name` lives for ever.
std::uint64_t begin_profiler_range(const char* name) noexcept;
void end_profiler_range(std::uint64_t range) noexcept;

}  // namespace widehash::detail
