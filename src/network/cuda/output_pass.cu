#include "activation_rules.hpp"
#include "block_sum.cuh"
#include "grids.hpp"
#include "loss_rules.hpp"
#include "loss_sums.cuh"
#include "output_pass.hpp"
#include "row_loss.cuh"

#include <algorithm>

#include <launch.cuh>

namespace widehash::cuda {

using UnitSums = OutputPass::UnitSums;

// Outside the unnamed namespace, where block_sum.cuh finds it.
__device__ inline UnitSums& operator+=(UnitSums& sums, const UnitSums& other) {
  sums.weight += other.weight;
  sums.bias += other.bias;
  return sums;
}

namespace {

// The number of rows that a block takes at a time. Four threads share a row's output; before and after that,
// each thread has one hidden unit and goes through the rows.
constexpr unsigned block_rows = 64;
constexpr unsigned row_parts = 4;
constexpr unsigned pass_threads = block_rows * row_parts;
// The same on every device, since sums are made block by block; the last block adds up as many for each unit.
constexpr std::uint64_t most_blocks = 512;

// Sums of blocks that a thread of the last block requests together. One after the other, each some 300 cycles
// away, they would take longer than all rows.
constexpr unsigned loads_in_flight = 8;

static_assert(OutputPass::most_units <= pass_threads);

/// The shared memory that a block needs, one array after the other.
struct OutputScratch {
  // An odd number, so that neighbouring rows of one unit are in different banks.
  __host__ __device__ static constexpr unsigned stride(std::uint32_t units) { return units | 1u; }
  static constexpr std::size_t bytes(std::uint32_t units) {
    return pass_threads * sizeof(LossSums) +
           (std::size_t{block_rows} * stride(units) + pass_threads + block_rows) * sizeof(float);
  }

  __device__ explicit OutputScratch(std::uint32_t units)
      : loss_sums(shared_memory<LossSums>()),
        unit_sums(reinterpret_cast<UnitSums*>(loss_sums)),
        activations(reinterpret_cast<float*>(loss_sums + pass_threads)),
        parts(activations + block_rows * stride(units)),
        output_deltas(parts + pass_threads) {}

  LossSums* loss_sums;   // [threads]
  UnitSums* unit_sums;   // [threads], in the same memory as loss_sums
  float* activations;    // [rows x stride]
  float* parts;          // [threads], parts of outputs
  float* output_deltas;  // [rows]
};

static_assert(sizeof(UnitSums) <= sizeof(LossSums));

/// The same as stored_sums() of loss_sums.cuh, for UnitSums.
__device__ inline UnitSums stored_sums(const UnitSums* partial) {
  return {__ldcg(&partial->weight), __ldcg(&partial->bias)};
}

template <class Rule>
__global__ void __launch_bounds__(pass_threads)
    output_kernel(DeviceRows rows, std::uint32_t units, ActivationKind activation, double inverse_normaliser,
                  OutputTensors tensors, LossSums* partial, UnitSums* unit_partial, StepStatus* status) {
  const OutputScratch shared(units);
  const unsigned stride = OutputScratch::stride(units);
  const std::uint32_t unit = threadIdx.x % units;
  const std::uint32_t turn = threadIdx.x / units;
  const std::uint32_t turns = pass_threads / units;
  const bool has_unit = turn < turns;
  const float hidden_bias = tensors.hidden_bias[unit];
  const float weight = tensors.weights[unit];
  const unsigned row_of_part = threadIdx.x % block_rows;
  const unsigned part = threadIdx.x / block_rows;
  LossSums sums;
  UnitSums unit_sums;

  for (std::uint64_t first = std::uint64_t{blockIdx.x} * block_rows; first < rows.num_rows;
       first += std::uint64_t{gridDim.x} * block_rows) {
    const auto count = static_cast<unsigned>(min(rows.num_rows - first, std::uint64_t{block_rows}));
    for (unsigned row = turn; row < count && has_unit; row += turns) {
      shared.activations[row * stride + unit] =
          detail::activated(activation, tensors.sums[(first + row) * units + unit] + hidden_bias);
    }
    __syncthreads();

    float z = 0;
    for (std::uint32_t u = part; u < units && row_of_part < count; u += row_parts)
      z += shared.activations[row_of_part * stride + u] * tensors.weights[u];
    shared.parts[threadIdx.x] = z;
    __syncthreads();

    if (part == 0 && row_of_part < count) {
      const float* const parts = shared.parts + row_of_part;
      const float output =
          parts[0] + parts[block_rows] + (parts[2 * block_rows] + parts[3 * block_rows]) + *tensors.bias;
      float delta = 0;
      sums.loss += row_loss<Rule>(rows, first + row_of_part, &output, 1, inverse_normaliser, &delta);
      sums.delta += static_cast<double>(delta);
      shared.output_deltas[row_of_part] = delta;
    }
    __syncthreads();

    // Each thread reads, and in the next iteration overwrites, only the activations that it has stored
    // itself.
    for (unsigned row = turn; row < count && has_unit; row += turns) {
      const float a = shared.activations[row * stride + unit];
      const float output_delta = shared.output_deltas[row];
      const float delta = detail::through_activation(activation, a, output_delta * weight);
      tensors.deltas[(first + row) * units + unit] = delta;
      unit_sums.weight += static_cast<double>(a) * static_cast<double>(output_delta);
      unit_sums.bias += static_cast<double>(delta);
      sums.largest_delta = max(sums.largest_delta, magnitude_bits(delta));
    }
  }

  sums = block_sum(sums, shared.loss_sums, pass_threads);
  __syncthreads();
  unit_sums = sum_of_turns(unit_sums, shared.unit_sums, units, turns);
  if (threadIdx.x == 0) partial[blockIdx.x] = sums;
  if (turn == 0) unit_partial[std::uint64_t{blockIdx.x} * units + unit] = unit_sums;
  if (!is_last_block(status)) return;

  // The last block adds up what all blocks have stored, in the order of blocks.
  LossSums whole;
  for (unsigned block = threadIdx.x; block < gridDim.x; block += pass_threads)
    whole += stored_sums(partial + block);
  whole = block_sum(whole, shared.loss_sums, pass_threads);
  __syncthreads();
  if (threadIdx.x == 0) write_losses(whole, tensors.bias_gradient, status);
  UnitSums whole_unit;
  for (unsigned first = turn; first < gridDim.x && has_unit; first += loads_in_flight * turns) {
    UnitSums stored[loads_in_flight];
    for (unsigned k = 0; k < loads_in_flight; ++k) {
      const unsigned block = first + k * turns;
      stored[k] =
          block < gridDim.x ? stored_sums(unit_partial + std::uint64_t{block} * units + unit) : UnitSums{};
    }
    for (const UnitSums& sums_of_block : stored) whole_unit += sums_of_block;
  }
  whole_unit = sum_of_turns(whole_unit, shared.unit_sums, units, turns);
  if (turn > 0) return;
  const auto weight_gradient = static_cast<float>(whole_unit.weight);
  const auto bias_gradient = static_cast<float>(whole_unit.bias);
  tensors.weight_gradient[unit] = weight_gradient;
  tensors.hidden_bias_gradient[unit] = bias_gradient;
  // All writers write the same value.
  if (!is_finite(weight_gradient) || !is_finite(bias_gradient)) status->gradient_not_finite = 1;
}

}  // namespace

void OutputPass::compute(const DeviceContext& context, LossKind loss, ActivationKind activation,
                         const DeviceRows& rows, std::uint32_t units, double normaliser,
                         const OutputTensors& tensors, StepStatus* status) {
  const std::uint64_t blocks = std::min(blocks_for(rows.num_rows, block_rows), most_blocks);
  partial_.reserve(context, most_blocks, "partial sums of losses");
  unit_partial_.reserve(context, most_blocks * units, "partial sums of hidden units");
  const double inverse = normaliser == 0 ? 0.0 : 1 / normaliser;
  const auto run = [&](auto* kernel) {
    launch(kernel, grid_of(blocks), dim3(pass_threads), OutputScratch::bytes(units), context.stream().get(),
           rows, units, activation, inverse, tensors, partial_.data(), unit_partial_.data(), status);
  };
  if (loss == LossKind::logistic) return run(output_kernel<detail::LogisticLoss>);
  if (loss == LossKind::poisson) return run(output_kernel<detail::PoissonLoss>);
  run(output_kernel<detail::MeanSquareLoss>);
}

}  // namespace widehash::cuda
