#include "activation_rules.hpp"
#include "block_sum.cuh"
#include "finite.cuh"
#include "grids.hpp"
#include "layers.hpp"
#include "loss_rules.hpp"
#include "row_loss.cuh"

#include <algorithm>
#include <bit>

#include <launch.cuh>

namespace widehash::cuda {
namespace {

__device__ std::uint64_t first_index() { return std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; }
__device__ std::uint64_t index_step() { return std::uint64_t{gridDim.x} * blockDim.x; }

__global__ void add_bias_kernel(const float* bias, ActivationKind activation, std::uint64_t count,
                                std::uint32_t units, float* values) {
  // 64-bit remainders take some hundred instructions, so only the first is computed.
  auto unit = static_cast<std::uint32_t>(first_index() % units);
  const auto step = static_cast<std::uint32_t>(index_step() % units);
  for (std::uint64_t i = first_index(); i < count; i += index_step()) {
    values[i] = detail::activated(activation, values[i] + bias[unit]);
    unit += step;
    if (unit >= units) unit -= units;
  }
}

__global__ void through_activation_kernel(ActivationKind activation, const float* values, std::uint64_t count,
                                          float* deltas) {
  for (std::uint64_t i = first_index(); i < count; i += index_step())
    deltas[i] = detail::through_activation(activation, values[i], deltas[i]);
}

// Rows are divided among this many threads, whatever the device, and the threads' sums are added in the order
// of threads and blocks.
constexpr unsigned slice_threads = 256;
constexpr std::uint64_t most_slices = 256;

template <class Rule>
__global__ void loss_kernel(DeviceRows rows, std::uint32_t num_outputs, const float* outputs,
                            double inverse_normaliser, float* deltas, double* partial, StepStatus* status) {
  double sum = 0;
  bool finite = true;
  for (std::uint64_t row = first_index(); row < rows.num_rows; row += index_step()) {
    const float* z = outputs + row * num_outputs;
    for (std::uint32_t k = 0; k < num_outputs; ++k) finite = finite && is_finite(z[k]);
    sum += row_loss<Rule>(rows, row, z, num_outputs, inverse_normaliser, deltas + row * num_outputs);
  }
  if (!finite) status->outputs_not_finite = 1;
  const double total = block_sum(sum, shared_memory<double>(), blockDim.x);
  if (threadIdx.x == 0) partial[blockIdx.x] = total;
}

/// Runs as one block. Its threads load the sums together, and one of them adds them in order.
__global__ void add_partial_losses_kernel(const double* partial, unsigned count, StepStatus* status) {
  double* const sums = shared_memory<double>();
  for (unsigned i = threadIdx.x; i < count; i += blockDim.x) sums[i] = partial[i];
  __syncthreads();
  if (threadIdx.x > 0) return;
  double sum = 0;
  for (unsigned i = 0; i < count; ++i) sum += sums[i];
  status->loss = sum;
  if (!is_finite(sum)) status->outputs_not_finite = 1;
}

__global__ void link_kernel(LossKind kind, std::uint64_t num_rows, std::uint32_t num_outputs,
                            float* outputs) {
  for (std::uint64_t row = first_index(); row < num_rows; row += index_step()) {
    float* z = outputs + row * num_outputs;
    if (kind == LossKind::softmax) {
      detail::softmax_row(z, num_outputs);
      continue;
    }
    for (std::uint32_t k = 0; k < num_outputs; ++k) {
      z[k] = kind == LossKind::poisson ? detail::expected_count(z[k])
                                       : detail::activated(ActivationKind::sigmoid, z[k]);
    }
  }
}

__global__ void not_finite_kernel(const float* values, std::uint64_t count, StepStatus* status) {
  bool finite = true;
  for (std::uint64_t i = first_index(); i < count; i += index_step()) finite = finite && is_finite(values[i]);
  // All writers write the same value.
  if (!finite) status->gradient_not_finite = 1;
}

__global__ void write_refusals_kernel(const StepStatus* status, float* refusals) {
  refusals[0] = status->outputs_not_finite != 0 ? 1.0f : 0.0f;
  refusals[1] = status->gradient_not_finite != 0 ? 1.0f : 0.0f;
}

__global__ void check_gradient_kernel(const float* first, std::uint64_t first_size, const float* tail,
                                      std::uint64_t tail_size, StepStatus* status) {
  bool finite = true;
  for (std::uint64_t i = first_index(); i < first_size + tail_size; i += index_step())
    finite = finite && is_finite(i < first_size ? first[i] : tail[i - first_size]);
  const float* const refusals = tail + tail_size;
  if (refusals[0] != 0) status->outputs_not_finite = 1;
  if (!finite || refusals[1] != 0) status->gradient_not_finite = 1;
}

__global__ void scale_kernel(double factor, std::uint64_t count, float* values) {
  for (std::uint64_t i = first_index(); i < count; i += index_step())
    values[i] = static_cast<float>(factor * static_cast<double>(values[i]));
}

/// The arrays of numbers that rows are multiplied by, one for each slot. Without slots, `numbers` is the only
/// array; if it is null, every row is multiplied by 1.
struct Factors {
  const DeviceSlot* slots = nullptr;
  const float* numbers = nullptr;
  std::uint64_t stride = 0;
  bool by_column = false;

  /// The array of number n; null stands for 1.
  __device__ const float* of(unsigned n) const {
    return slots == nullptr ? numbers : numbers + slots[n].slot * stride;
  }
  /// The index at which the sums of number n are stored.
  __device__ std::uint64_t place(unsigned n) const { return by_column ? slots[n].shift : n; }
};

constexpr unsigned sums_in_flight = 4;

/// Thread t of a block sums unit t % block_units over every (slices * rows a block takes at once)-th row;
/// then the sums of a unit's threads are added by pairs. The grid's second dimension covers further units,
/// the third numbers.
__global__ void column_sums_kernel(const float* values, Factors factors, std::uint64_t num_rows,
                                   std::uint32_t units, std::uint32_t block_units, double* partial) {
  const float* const factor = factors.of(blockIdx.z);
  const std::uint32_t rows_at_once = blockDim.x / block_units;
  const std::uint32_t lane = threadIdx.x % block_units;
  const std::uint32_t turn = threadIdx.x / block_units;
  const std::uint32_t unit = blockIdx.y * block_units + lane;
  double sum = 0;
  if (unit < units && turn < rows_at_once) {
    const std::uint64_t step = std::uint64_t{gridDim.x} * rows_at_once;
    const std::uint64_t first = std::uint64_t{blockIdx.x} * rows_at_once + turn;
    for (std::uint64_t row = first; row < num_rows; row += sums_in_flight * step) {
      // Loaded together, added in order.
      float value[sums_in_flight];
      float weight[sums_in_flight];
      for (unsigned k = 0; k < sums_in_flight; ++k) {
        const std::uint64_t at = row + k * step;
        value[k] = at < num_rows ? values[at * units + unit] : 0.0f;
        weight[k] = factor != nullptr && at < num_rows ? factor[at] : 1.0f;
      }
      for (unsigned k = 0; k < sums_in_flight; ++k)
        sum += static_cast<double>(value[k]) * static_cast<double>(weight[k]);
    }
  }
  sum = sum_of_turns(sum, shared_memory<double>(), block_units, rows_at_once);
  if (turn > 0 || unit >= units) return;
  partial[(std::uint64_t{blockIdx.z} * gridDim.x + blockIdx.x) * units + unit] = sum;
}

/// Thread t of a block sums unit t % lanes over every (blockDim.x / lanes)-th slice, then as above. A single
/// thread that walked all slices would wait for its loads one after the other.
__global__ void add_partial_sums_kernel(const double* partial, std::uint32_t slices, std::uint32_t units,
                                        std::uint32_t lanes, Factors factors, float* sums) {
  const std::uint32_t turns = blockDim.x / lanes;
  const std::uint32_t turn = threadIdx.x / lanes;
  const std::uint32_t unit = blockIdx.x * lanes + threadIdx.x % lanes;
  double sum = 0;
  for (std::uint32_t slice = turn; slice < slices && unit < units; slice += turns)
    sum += partial[(std::uint64_t{blockIdx.y} * slices + slice) * units + unit];
  sum = sum_of_turns(sum, shared_memory<double>(), lanes, turns);
  if (turn == 0 && unit < units) sums[factors.place(blockIdx.y) * units + unit] = static_cast<float>(sum);
}

/// Runs both kernels, for `count` numbers.
void sum_columns(const DeviceContext& context, const float* values, const Factors& factors,
                 std::uint32_t count, std::uint64_t num_rows, std::uint32_t units,
                 DeviceBuffer<double>& partial, float* sums) {
  const std::uint32_t block_units = std::min(units, slice_threads);
  const std::uint32_t rows_at_once = slice_threads / block_units;
  const std::uint64_t slices =
      std::clamp<std::uint64_t>(blocks_for(num_rows, std::uint64_t{16} * rows_at_once), 1, most_slices);
  partial.reserve(context, count * slices * units, "partial sums of rows");
  launch(column_sums_kernel, grid_of(slices, blocks_for(units, block_units), count), dim3(slice_threads),
         slice_threads * sizeof(double), context.stream().get(), values, factors, num_rows, units,
         block_units, partial.data());
  const std::uint32_t lanes = std::min(std::bit_ceil(units), 32u);
  launch(add_partial_sums_kernel, grid_of(blocks_for(units, lanes), count), dim3(slice_threads),
         slice_threads * sizeof(double), context.stream().get(), partial.data(),
         static_cast<std::uint32_t>(slices), units, lanes, factors, sums);
}

}  // namespace

void add_bias(const DeviceContext& context, const float* bias, ActivationKind activation,
              std::uint64_t num_rows, std::uint32_t units, float* values) {
  const std::uint64_t count = num_rows * units;
  launch(add_bias_kernel, strided_grid(context, count), dim3(block_threads), 0, context.stream().get(), bias,
         activation, count, units, values);
}

void through_activation(const DeviceContext& context, ActivationKind activation, const float* values,
                        std::uint64_t count, float* deltas) {
  if (activation == ActivationKind::linear) return;
  launch(through_activation_kernel, strided_grid(context, count), dim3(block_threads), 0,
         context.stream().get(), activation, values, count, deltas);
}

void LossSum::compute(const DeviceContext& context, LossKind kind, const DeviceRows& rows,
                      std::uint32_t num_outputs, const float* outputs, double normaliser, float* deltas,
                      StepStatus* status) {
  const std::uint64_t slices = std::min(blocks_for(rows.num_rows, slice_threads), most_slices);
  if (slices == 0) return;
  partial_.reserve(context, most_slices, "partial losses");
  const double inverse = normaliser == 0 ? 0.0 : 1 / normaliser;
  const auto run = [&](auto* kernel) {
    launch(kernel, grid_of(slices), dim3(slice_threads), slice_threads * sizeof(double),
           context.stream().get(), rows, num_outputs, outputs, inverse, deltas, partial_.data(), status);
  };
  switch (kind) {
    case LossKind::logistic:
      run(loss_kernel<detail::LogisticLoss>);
      break;
    case LossKind::mse:
      run(loss_kernel<detail::MeanSquareLoss>);
      break;
    case LossKind::softmax:
      run(loss_kernel<detail::SoftmaxLoss>);
      break;
    case LossKind::poisson:
      run(loss_kernel<detail::PoissonLoss>);
      break;
  }
  launch(add_partial_losses_kernel, dim3(1), dim3(slice_threads), slices * sizeof(double),
         context.stream().get(), partial_.data(), static_cast<unsigned>(slices), status);
}

void apply_link(const DeviceContext& context, LossKind kind, std::uint64_t num_rows,
                std::uint32_t num_outputs, float* outputs) {
  if (kind == LossKind::mse) return;
  launch(link_kernel, strided_grid(context, num_rows), dim3(block_threads), 0, context.stream().get(), kind,
         num_rows, num_outputs, outputs);
}

void look_for_not_finite(const DeviceContext& context, const float* values, std::uint64_t count,
                         StepStatus* status) {
  launch(not_finite_kernel, strided_grid(context, count), dim3(block_threads), 0, context.stream().get(),
         values, count, status);
}

void write_refusals(const DeviceContext& context, const StepStatus* status, float* refusals) {
  launch(write_refusals_kernel, dim3(1), dim3(1), 0, context.stream().get(), status, refusals);
}

void check_gradient(const DeviceContext& context, const float* first, std::uint64_t first_size,
                    const float* tail, std::uint64_t tail_size, StepStatus* status) {
  launch(check_gradient_kernel, strided_grid(context, first_size + tail_size), dim3(block_threads), 0,
         context.stream().get(), first, first_size, tail, tail_size, status);
}

void clear_loss(const DeviceContext& context, StepStatus* status) {
  cuda::check(cudaMemsetAsync(&status->loss, 0, sizeof status->loss, context.stream().get()),
              "cudaMemsetAsync");
}

void scale(const DeviceContext& context, double factor, std::uint64_t count, float* values) {
  launch(scale_kernel, strided_grid(context, count), dim3(block_threads), 0, context.stream().get(), factor,
         count, values);
}

void ColumnSums::compute(const DeviceContext& context, const float* values, std::uint64_t num_rows,
                         std::uint32_t units, float* sums) {
  sum_columns(context, values, {}, 1, num_rows, units, partial_, sums);
}

void ColumnSums::compute_weighted(const DeviceContext& context, const float* values, const float* weights,
                                  std::uint64_t num_rows, std::uint32_t units, float* sums) {
  sum_columns(context, values, {nullptr, weights}, 1, num_rows, units, partial_, sums);
}

void ColumnSums::compute_numbers(const DeviceContext& context, const DeviceRows& rows, const DevicePlan& plan,
                                 const float* values, std::uint32_t units, bool by_column, float* sums) {
  // The partial sums of a thousand numbers and a thousand hidden units would take gigabytes.
  const std::uint64_t number_bytes = most_slices * units * sizeof(double);
  const auto most = static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(most_partial_bytes_ / number_bytes, 1, most_grid_rows));
  for (std::uint32_t first = 0; first < plan.num_numbers; first += most) {
    const std::uint32_t count = std::min(plan.num_numbers - first, most);
    sum_columns(context, values, {plan.numbers + first, rows.numbers, rows.stride, by_column}, count,
                rows.num_rows, units, partial_, by_column ? sums : sums + std::uint64_t{first} * units);
  }
}

}  // namespace widehash::cuda
