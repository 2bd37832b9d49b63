#pragma once

#include "cuda/cuda_stream.hpp"

#include <cstddef>

namespace widehash::cuda {

/// sums[i] = ((x0[i] + x1[i]) + x2[i]) + ...; x_r = parts + r * count, but that of `own_part`, which lies in `own` and may be
/// `sums`. Shapes: parts[num_parts, count], own[count], sums[count].
void sum_in_order(const float* parts, std::size_t num_parts, std::size_t own_part, const float* own,
                  std::size_t count, float* sums, const Stream& stream);

}  // namespace widehash::cuda
