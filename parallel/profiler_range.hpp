#pragma once

/// \file
/// What a device does, as ranges that NVIDIA's profilers show beside kernels and copies (NVTX, domain
/// "widehash"). If no profiler listens, a range costs one pointer check; in a build without CUDA it costs
/// nothing.

#include <cstdint>

namespace widehash::detail {

/// Begins a range that lasts until it is ended, possibly on another thread. `name` must stay valid for the
/// life of the program.
std::uint64_t begin_profiler_range(const char* name) noexcept;
void end_profiler_range(std::uint64_t range) noexcept;

}  // namespace widehash::detail
