#pragma once

/// \file
/// A network after the sums of its first layer, on one device: biases, activations, hidden layers, output and
/// loss, forward and backward. Its parameters and its gradient are runs in the order of tail_tensors(). All
/// work is queued on the context's stream.

#include "column_sums.hpp"
#include "cuda/device_context.hpp"
#include "dense.hpp"
#include "device_tensors.hpp"
#include "layers.hpp"
#include "output_pass.hpp"
#include "step_status.hpp"

#include <widehash/architecture.hpp>

#include <cstdint>
#include <vector>

namespace widehash::cuda {

class Tail {
 public:
  /// `context` must outlive the tail.
  Tail(const DeviceContext& context, const Architecture& architecture, const Parameters<float>& parameters);

  const std::vector<TailTensor>& tensors() const noexcept { return tensors_; }
  bool has_hidden_layers() const noexcept { return units_.size() > 1; }
  /// Never true with softmax, which has at least two outputs.
  bool has_one_output() const noexcept { return units_.back() == 1; }

  /// Reserves room for the sums of a batch's first layer [rows x units], without the bias, and for the values
  /// of later layers. Returns where the sums go.
  float* take_sums(std::uint64_t num_rows);
  /// Reserves room for the deltas of all layers. Returns where those of the first layer [rows x units] go.
  float* take_deltas(std::uint64_t num_rows);

  /// Queues the computation of the raw outputs [rows x outputs] from those sums. Returns the outputs.
  float* queue_outputs(const float* parameters);
  /// Queues the work from the sums to the first layer's deltas and the gradient of `parameters`; also sets
  /// loss, largest delta and what is not finite in the status. Requires a take_deltas() before.
  void queue_gradient(const float* parameters, const DeviceRows& rows, double normaliser, float* gradient,
                      StepStatus* status);

 private:
  std::size_t last() const noexcept { return units_.size() - 1; }
  /// The weights and bias of a layer, in a run of parameters or of their gradient.
  const TailTensor& weights(std::size_t layer) const { return tensors_[2 * layer - 1]; }
  const TailTensor& bias(std::size_t layer) const { return tensors_[2 * layer]; }
  DenseShape shape(std::size_t layer) const { return {num_rows_, units_[layer - 1], units_[layer]}; }
  /// Whether one kernel computes the last hidden layer and the output.
  bool has_output_pass() const noexcept;

  /// Queues the sums of a layer; the layers before it are activated.
  void queue_sums(std::size_t layer, const float* parameters);
  /// Queues the backward pass from `layer`, whose deltas must be there, down to the first layer's deltas and
  /// bias.
  void queue_backward(std::size_t layer, const float* parameters, float* gradient);

  const DeviceContext& context_;
  LossKind loss_;
  ActivationKind activation_;
  std::vector<TailTensor> tensors_;
  std::vector<std::uint32_t> units_;  // of each layer, the output last
  std::uint64_t num_rows_ = 0;
  std::vector<DeviceBuffer<float>> values_;  // of each layer, as Workspace::values
  std::vector<DeviceBuffer<float>> deltas_;
  ColumnSums column_sums_;
  LossSum loss_sum_;
  OutputPass output_pass_;
};

}  // namespace widehash::cuda
