#include "block_sum.cuh"
#include "fixed_point.cuh"
#include "grids.hpp"
#include "linear_pass.hpp"
#include "loss_rules.hpp"
#include "loss_sums.cuh"
#include "row_columns.cuh"
#include "row_loss.cuh"

#include <algorithm>

#include <launch.cuh>

namespace widehash::cuda {
namespace {

// Four threads share a row; with 26 four-split features each takes 26 weights. Neighbouring threads have
// neighbouring rows, whose codes of a slot are adjacent.
constexpr unsigned block_rows = 64;
constexpr unsigned row_parts = 4;
constexpr unsigned linear_threads = block_rows * row_parts;
// The same on every device, since sums are made block by block.
constexpr std::uint64_t most_blocks = 1024;
// Eight slots in flight need 64 registers, which four blocks have on all three architectures. On 132
// multiprocessors, 1024 blocks are then two rounds less 3 %.
constexpr unsigned slots_in_flight = 8;
constexpr unsigned blocks_per_multiprocessor = 4;

struct Weight {
  __device__ void add(float x, const Weight& other) { value += x * other.value; }
  float value;
};

/// Shared memory: LossSums[block_rows], float[linear_threads].
template <class Rule>
__global__ void __launch_bounds__(linear_threads, blocks_per_multiprocessor)
    linear_kernel(DeviceRows rows, DevicePlan plan, double inverse_normaliser, LinearTensors tensors,
                  LossSums* partial, StepStatus* status) {
  LossSums* const scratch = shared_memory<LossSums>();
  float* const parts = reinterpret_cast<float*>(scratch + block_rows);
  const unsigned lane = threadIdx.x % block_rows;
  const RowPart own{threadIdx.x / block_rows, row_parts};
  LossSums sums;
  for (std::uint64_t first = std::uint64_t{blockIdx.x} * block_rows; first < rows.num_rows;
       first += std::uint64_t{gridDim.x} * block_rows) {
    const std::uint64_t row = first + lane;
    const bool is_row = row < rows.num_rows;
    parts[threadIdx.x] =
        is_row ? sum_of_columns<Weight, slots_in_flight>(
                     rows, plan, row, own, [&](std::uint64_t at) { return Weight{tensors.weights[at]}; })
                     .value
               : 0.0f;
    __syncthreads();
    if (is_row && own.part == 0) {
      const float z = parts[lane] + parts[block_rows + lane] +
                      (parts[2 * block_rows + lane] + parts[3 * block_rows + lane]) + *tensors.bias;
      float delta = 0;
      sums.loss += row_loss<Rule>(rows, row, &z, 1, inverse_normaliser, &delta);
      sums.delta += static_cast<double>(delta);
      sums.largest_delta = max(sums.largest_delta, magnitude_bits(delta));
      tensors.deltas[row] = delta;
    }
    __syncthreads();
  }
  sums = block_sum(sums, scratch, block_rows);

  // The last block adds up what all blocks have stored, in the order of blocks.
  if (threadIdx.x == 0) partial[blockIdx.x] = sums;
  if (!is_last_block(status)) return;
  LossSums whole;
  for (unsigned block = threadIdx.x; block < gridDim.x && threadIdx.x < block_rows; block += block_rows)
    whole += stored_sums(partial + block);
  whole = block_sum(whole, scratch, block_rows);
  if (threadIdx.x == 0) write_losses(whole, tensors.bias_gradient, status);
}

}  // namespace

void prepare_linear_pass() {
  const int percent =
      percent_of_shared_memory(14 << 10);  // of four blocks, with what the system takes for each
  prefer_shared_memory(reinterpret_cast<const void*>(&linear_kernel<detail::LogisticLoss>), percent);
  prefer_shared_memory(reinterpret_cast<const void*>(&linear_kernel<detail::PoissonLoss>), percent);
  prefer_shared_memory(reinterpret_cast<const void*>(&linear_kernel<detail::MeanSquareLoss>), percent);
}

void LinearPass::compute(const DeviceContext& context, LossKind kind, const DeviceRows& rows,
                         const DevicePlan& plan, double normaliser, const LinearTensors& tensors,
                         StepStatus* status) {
  partial_.reserve(context, most_blocks, "partial sums of a linear pass");
  const std::uint64_t blocks = std::min(blocks_for(rows.num_rows, block_rows), most_blocks);
  const double inverse = normaliser == 0 ? 0.0 : 1 / normaliser;
  const auto run = [&](auto* kernel) {
    launch(kernel, grid_of(blocks), dim3(linear_threads),
           block_rows * sizeof(LossSums) + linear_threads * sizeof(float), context.stream().get(), rows, plan,
           inverse, tensors, partial_.data(), status);
  };
  if (kind == LossKind::logistic) return run(linear_kernel<detail::LogisticLoss>);
  if (kind == LossKind::poisson) return run(linear_kernel<detail::PoissonLoss>);
  run(linear_kernel<detail::MeanSquareLoss>);
}

}  // namespace widehash::cuda
