#pragma once

#include "cuda/device_context.hpp"
#include "device_rows.hpp"

#include <cstdint>

namespace widehash::cuda {

/// Settings of gather_sum() on the current device. Without them it may run with a smaller first cache, from
/// which it takes hot weights.
void prepare_gather_sum();

/// sums[row, :] = sum over the row's columns in the range of x_c weights[c, :]. Overwrites. Each row is
/// summed in the order codes, columns, numbers, ragged, whatever the batch.
void gather_sum(const DeviceRows& rows, const DevicePlan& plan, const float* weights, std::uint32_t units,
                float* sums, const Stream& stream);

}  // namespace widehash::cuda
