#pragma once

#include "device_rows.hpp"

#include <cstdint>

#include <cuda_runtime.h>

namespace widehash::bench {

/// The code of row `row` in slot `slot`, counting the slots of
/// 16-bit codes and then those of byte codes, as in a plan.
__device__ inline std::uint32_t code_of_slot(const cuda::DeviceRows& rows, const cuda::DevicePlan& plan,
                                             std::uint32_t slot, std::uint64_t row) {
  const std::uint64_t at = plan.codes[slot].slot * rows.stride + row;
  return slot < plan.num_codes ? rows.codes[at] : rows.byte_codes[at];
}

}  // namespace widehash::bench
