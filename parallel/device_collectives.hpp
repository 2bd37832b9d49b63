#pragma once

/// \file
/// Collectives among ranks of one process whose numbers lie in the memory of one GPU. The steps and the bytes
/// are the same as in all_reduce.hpp, reduce_scatter.hpp and all_gather.hpp. The GPU does the adding and
/// copying, and adds in the order of pairwise_sum.hpp. Before a rank shows its numbers it waits for its
/// stream, so that they are complete when others read them.

#include "transport.hpp"

#include <widehash/device_span.hpp>

#include <cstddef>
#include <span>

namespace widehash::detail {

void all_reduce_on_gpu(Transport& transport, DeviceSpan<float> values);
void reduce_scatter_on_gpu(Transport& transport, DeviceSpan<const float> values,
                           std::span<const std::size_t> offsets, DeviceSpan<float> own);
void all_gather_on_gpu(Transport& transport, DeviceSpan<const float> own,
                       std::span<const std::size_t> offsets, DeviceSpan<float> whole);

}  // namespace widehash::detail
