#pragma once

#include "cuda/cuda_stream.hpp"

#include <cstddef>
#include <span>

namespace widehash::cuda {

/// Numbers to add up, of which several ranks have given the same count. The part of each rank lies `stride`
/// numbers after that of the previous rank, except that this rank's part lies in `own`. Shapes:
/// parts[num_parts][stride], of which [count] are used; own[count], sums[count].
struct SumPiece {
  const float* own = nullptr;
  const float* parts = nullptr;
  float* sums = nullptr;  // may be `own`
  std::size_t count = 0;
};

/// sums[i] = x_0[i] + x_1[i] + ..., in the order of pairwise_sum.hpp, for every piece; x_r = parts + r *
/// stride, and x_own_part = own. Takes one launch per 64 pieces.
void add_pieces(std::span<const SumPiece> pieces, std::size_t num_parts, std::size_t own_part,
                std::size_t stride, const Stream& stream);

}  // namespace widehash::cuda
