#pragma once

#include "device_rows.hpp"

#include <cstdint>

#include <cuda_runtime.h>

namespace widehash::bench {

/// The code that a row has in slot `slot` of codes and byte codes, which lie one behind the other in a plan.
__device__ inline std::uint32_t code_of_slot(const cuda::DeviceRows& rows, const cuda::DevicePlan& plan,
                                             std::uint32_t slot, std::uint64_t row) {
  const std::uint64_t at = plan.codes[slot].slot * rows.stride + row;
  return slot < plan.num_codes ? rows.codes[at] : rows.byte_codes[at];
}

}  // namespace widehash::bench
