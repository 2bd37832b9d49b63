#pragma once

/// \file
/// The network on one device: parameters, and the pieces of a training step. A step is
///
///     first_forward                  sums[rows x units] = X W over the columns held here
///     (add up the sums of all owners of columns)
///     tail_forward                   bias, activation, dense layers -> raw outputs
///     loss_and_output_gradient       loss sum, dL/d outputs
///     tail_backward                  gradients of the tail and the first bias; dL/d sums
///     first_backward                 gradient of the first layer's columns held here
///     (add up gradients of all slices of the batch)
///     Optimizer::update
///
/// In the steps in parentheses several devices meet; the network knows nothing of them. Everything that a
/// batch needs besides parameters is in a Workspace, so several threads may run batches over one network.
/// Gradients are a separate Parameters object.

#include <widehash/architecture.hpp>
#include <widehash/code_batch.hpp>
#include <widehash/first_layer.hpp>
#include <widehash/optimizer.hpp>
#include <widehash/parameters.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

namespace widehash {

/// Data that passes between the pieces of a step. Grows to the largest batch seen and is reused.
template <class Real>
struct Workspace {
  std::size_t num_rows = 0;
  /// values[l] is [num_rows x units of layer l]: sums before tail_forward; afterwards activations (outputs
  /// for the last layer).
  std::vector<std::vector<Real>> values;
  /// deltas[l] is dL / d(input of the activation of layer l), with the same shapes.
  std::vector<std::vector<Real>> deltas;
  std::vector<Real> targets;  // dense, [num_rows x outputs]

  std::span<Real> first_sums() noexcept { return values.front(); }
  std::span<Real> outputs() noexcept { return values.back(); }
  std::span<Real> output_deltas() noexcept { return deltas.back(); }
  std::span<Real> first_deltas() noexcept { return deltas.front(); }
};

/// The results of Network::add_gradient for a batch.
struct BatchGradient {
  double loss = 0;  // the weighted sum
  /// No sum of the first layer's gradient can have overflowed, so it need not be checked.
  bool is_bounded = false;
};

template <class Real>
class Network {
 public:
  /// Adds to first_sums() the sums that other owners of columns have for the same rows.
  using CompleteSums = std::function<void(std::span<Real> sums)>;

  /// Makes initial parameters, for all columns or for a range of them. Throws ConfigError.
  explicit Network(Architecture architecture);
  Network(Architecture architecture, ColumnRange columns);
  /// Takes the given parameters. Throws ShapeError if they do not fit the architecture.
  Network(Architecture architecture, Parameters<Real> parameters);

  const Architecture& architecture() const noexcept { return architecture_; }
  const Parameters<Real>& parameters() const noexcept { return parameters_; }
  Parameters<Real>& parameters() noexcept { return parameters_; }
  ColumnRange columns() const noexcept { return parameters_.columns; }

  // The pieces. Each throws ShapeError if batch or workspace do not fit the network.

  /// Shapes the workspace for the batch and computes first_sums(), without the bias.
  void first_forward(const CodeBatchView& batch, Workspace<Real>& work) const;
  /// Computes the raw outputs() from first_sums().
  void tail_forward(Workspace<Real>& work) const;
  /// Expands the targets of the batch (see expand_targets), then computes the weighted loss sum and
  /// output_deltas(). `normaliser` is the gradient_normaliser() of the whole step. The loss is in the units
  /// of the targets, the gradient in those of the outputs: see target_units.hpp.
  double loss_and_output_gradient(const CodeBatchView& batch, double normaliser, Workspace<Real>& work,
                                  std::string_view batch_name) const;
  /// The same for a dense target matrix [rows x outputs], such as the row itself, in the units of the
  /// outputs.
  double loss_and_output_gradient(std::span<const Real> targets, std::span<const float> weights,
                                  double normaliser, Workspace<Real>& work) const;
  /// Computes first_deltas() from output_deltas(), and adds to the gradients of the tail and the first bias.
  void tail_backward(Workspace<Real>& work, Parameters<Real>& gradient) const;
  /// Adds to gradient.first_weights from first_deltas(). `touched` may be null.
  void first_backward(const CodeBatchView& batch, const Workspace<Real>& work, Parameters<Real>& gradient,
                      TouchedColumns* touched) const;
  /// Runs all of these, first_forward() to first_backward(), on slices of 4096 rows, one after the other, so
  /// that the intermediate values stay in the caches. Adds to the gradient of the batch, divided by
  /// `normaliser`. Calls `complete`, if given, with the sums of each slice. Throws DataError naming
  /// `batch_name` if loss or outputs are not finite; `gradient` then contains only some of the rows.
  BatchGradient add_gradient(const CodeBatchView& batch, double normaliser, std::string_view batch_name,
                             Workspace<Real>& work, Parameters<Real>& gradient, TouchedColumns* touched,
                             const CompleteSums& complete = {}) const;
  /// Computes predictions [rows x outputs] from first_sums(), through the link and in the units of the
  /// targets.
  void predict_from_sums(Workspace<Real>& work, std::span<Real> predictions) const;
  /// Returns zeros in the shape of the parameters.
  Parameters<Real> make_gradient() const { return make_zero_parameters<Real>(architecture_, columns()); }

  // One device.

  /// Does one step on a whole batch and returns the weighted loss sum. A batch without rows or weight changes
  /// nothing and does not count as a step. Throws DataError naming `batch_name` (if empty, the number of the
  /// step) if loss, outputs or gradient are not finite; the parameters are then as they were before the
  /// batch. A network that holds only some of the columns needs `complete`.
  double train_step(const CodeBatchView& batch, Optimizer<Real>& optimizer, std::string_view batch_name = {},
                    const CompleteSums& complete = {});

  /// Returns the weighted loss sum of a batch, without a step. For validation.
  double loss(const CodeBatchView& batch, std::string_view batch_name = {});

  /// Computes predictions through the link, [rows x outputs]: a probability, a value, or class probabilities.
  void predict(const CodeBatchView& batch, std::span<Real> predictions);
  /// The same with the caller's workspace, so that several threads can use one network.
  void predict(const CodeBatchView& batch, Workspace<Real>& work, std::span<Real> predictions) const;

 private:
  void check_batch_shape(const CodeBatchView& batch) const;
  void check_workspace(const Workspace<Real>& work) const;
  std::uint32_t layer_units(std::size_t layer) const noexcept;

  Architecture architecture_;
  Parameters<Real> parameters_;
  // Made at the first train_step, so that networks that only predict stay small.
  Workspace<Real> work_;
  Parameters<Real> gradient_;
  TouchedColumns touched_;
};

/// True if no value is infinite or NaN. Cost: one pass.
template <class Real>
bool all_finite(std::span<const Real> values) noexcept;

}  // namespace widehash
