#include "tail.hpp"

#include "first_layer_gradient.hpp"

namespace widehash::cuda {

Tail::Tail(const DeviceContext& context, const Architecture& architecture,
           const Parameters<float>& parameters)
    : context_(context),
      loss_(architecture.loss),
      activation_(architecture.activation),
      tensors_(tail_tensors(parameters)),
      units_{parameters.units} {
  for (const auto& layer : parameters.tail) units_.push_back(layer.outputs);
  values_.resize(units_.size());
  deltas_.resize(units_.size());
}

bool Tail::has_output_pass() const noexcept {
  return has_hidden_layers() && has_one_output() && units_[last() - 1] <= OutputPass::most_units;
}

float* Tail::take_sums(std::uint64_t num_rows) {
  num_rows_ = num_rows;
  for (std::size_t l = 0; l < units_.size(); ++l)
    values_[l].reserve(context_, num_rows * units_[l], "activations of a batch");
  return values_.front().data();
}

float* Tail::take_deltas(std::uint64_t num_rows) {
  for (std::size_t l = 0; l < units_.size(); ++l)
    deltas_[l].reserve(context_, num_rows * units_[l], "deltas of a batch");
  return deltas_.front().data();
}

void Tail::queue_sums(std::size_t layer, const float* parameters) {
  for (std::size_t l = 1; l <= layer; ++l) {
    add_bias(context_, parameters + bias(l - 1).begin, activation_, num_rows_, units_[l - 1],
             values_[l - 1].data());
    dense_forward(context_, shape(l), values_[l - 1].data(), parameters + weights(l).begin,
                  values_[l].data());
  }
}

float* Tail::queue_outputs(const float* parameters) {
  queue_sums(last(), parameters);
  float* const outputs = values_.back().data();
  add_bias(context_, parameters + bias(last()).begin, ActivationKind::linear, num_rows_, units_.back(),
           outputs);
  return outputs;
}

void Tail::queue_gradient(const float* parameters, const DeviceRows& rows, double normaliser, float* gradient,
                          StepStatus* status) {
  const bool has_pass = has_output_pass();
  // The uppermost layer whose deltas are in memory.
  const std::size_t layer = has_pass ? last() - 1 : last();
  if (has_pass) {
    queue_sums(layer, parameters);
    output_pass_.compute(context_, loss_, activation_, rows, units_[layer], normaliser,
                         {.sums = values_[layer].data(),
                          .hidden_bias = parameters + bias(layer).begin,
                          .weights = parameters + weights(last()).begin,
                          .bias = parameters + bias(last()).begin,
                          .deltas = deltas_[layer].data(),
                          .hidden_bias_gradient = gradient + bias(layer).begin,
                          .weight_gradient = gradient + weights(last()).begin,
                          .bias_gradient = gradient + bias(last()).begin},
                         status);
    // With one hidden layer, the pass has checked all deltas of the first layer and the whole gradient.
    if (layer == 0) return;
  } else {
    const float* const outputs = queue_outputs(parameters);
    loss_sum_.compute(context_, loss_, rows, units_.back(), outputs, normaliser, deltas_.back().data(),
                      status);
    column_sums_.compute(context_, deltas_.back().data(), num_rows_, units_.back(),
                         gradient + bias(layer).begin);
  }
  queue_backward(layer, parameters, gradient);
  find_largest_delta(context_, deltas_.front().data(), num_rows_ * units_.front(), status);
  look_for_not_finite(context_, gradient, tensors_.back().begin + tensors_.back().size, status);
}

void Tail::queue_backward(std::size_t layer, const float* parameters, float* gradient) {
  for (std::size_t l = layer; l > 0; --l) {
    const float* const values = values_[l - 1].data();
    float* const deltas = deltas_[l - 1].data();
    float* const weight_gradient = gradient + weights(l).begin;
    if (units_[l] == 1) {
      // A product with one column is a sum of rows weighted by their deltas. No library decides the order of
      // this sum.
      column_sums_.compute_weighted(context_, values, deltas_[l].data(), num_rows_, units_[l - 1],
                                    weight_gradient);
    } else {
      dense_backward_weights(context_, shape(l), values, deltas_[l].data(), weight_gradient);
    }
    dense_backward_input(context_, shape(l), deltas_[l].data(), parameters + weights(l).begin, deltas);
    through_activation(context_, activation_, values, num_rows_ * units_[l - 1], deltas);
    column_sums_.compute(context_, deltas, num_rows_, units_[l - 1], gradient + bias(l - 1).begin);
  }
}

}  // namespace widehash::cuda
