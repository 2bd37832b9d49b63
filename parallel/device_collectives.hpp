#pragma once

/// \file
/// Collectives among ranks of one process whose numbers lie in the memory of one GPU. The steps are those of
/// all_reduce.hpp, reduce_scatter.hpp and all_gather.hpp, and so are the bytes; adding and copying is done by
/// the GPU, the adding in the order of pairwise_sum.hpp. Before a rank shows its numbers it waits for its
/// stream, so that others find them finished.

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
