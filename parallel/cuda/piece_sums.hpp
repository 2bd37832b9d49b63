#pragma once

#include "cuda/cuda_stream.hpp"

#include <cstddef>
#include <span>

namespace widehash::cuda {

/// Numbers of which every rank of some has given as many: its part lies `stride` numbers behind that of the
/// rank before, but that of this rank lies in `own`. Shapes: parts[num_parts][stride], of which [count];
/// own[count], sums[count].
struct SumPiece {
  const float* own = nullptr;
  const float* parts = nullptr;
  float* sums = nullptr;  // may be `own`
  std::size_t count = 0;
};

/// sums[i] = x_0[i] + x_1[i] + ..., in the order of pairwise_sum.hpp, for every piece; x_r = parts + r *
/// stride, and x_own_part = own. One launch for up to 64 pieces.
void add_pieces(std::span<const SumPiece> pieces, std::size_t num_parts, std::size_t own_part,
                std::size_t stride, const Stream& stream);

}  // namespace widehash::cuda
