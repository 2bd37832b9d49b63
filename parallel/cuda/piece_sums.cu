#include "pairwise_sum.cuh"
#include "piece_sums.hpp"

#include <algorithm>

#include <launch.cuh>

namespace widehash::cuda {
namespace {

constexpr unsigned block_threads = 256;
constexpr std::size_t max_blocks = 1 << 14;
constexpr std::size_t max_pieces = 64;

struct Pieces {
  SumPiece list[max_pieces];
};

/// Each piece has a row of blocks.
__global__ void __launch_bounds__(block_threads)
    add_pieces_kernel(Pieces pieces, unsigned num_parts, unsigned own_part, std::size_t stride) {
  const SumPiece& piece = pieces.list[blockIdx.y];
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < piece.count; i += step) {
    piece.sums[i] = pairwise_sum(
        num_parts, [&](unsigned r) { return r == own_part ? piece.own[i] : piece.parts[r * stride + i]; });
  }
}

}  // namespace

void add_pieces(std::span<const SumPiece> pieces, std::size_t num_parts, std::size_t own_part,
                std::size_t stride, const Stream& stream) {
  while (!pieces.empty()) {
    const auto now = pieces.first(std::min(pieces.size(), max_pieces));
    pieces = pieces.subspan(now.size());
    Pieces list{};
    std::ranges::copy(now, list.list);
    const std::size_t most = std::ranges::max(now, {}, &SumPiece::count).count;
    const std::size_t blocks = std::min((most + block_threads - 1) / block_threads, max_blocks);
    launch(add_pieces_kernel, dim3(static_cast<unsigned>(blocks), static_cast<unsigned>(now.size())),
           dim3(block_threads), 0, stream.get(), list, static_cast<unsigned>(num_parts),
           static_cast<unsigned>(own_part), stride);
  }
}

}  // namespace widehash::cuda
