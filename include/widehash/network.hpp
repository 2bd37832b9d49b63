#pragma once

/// \file
/// The network on one device: parameters, and the pieces that a training step is made of. A step is
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
/// The lines in parentheses are the places where several devices meet; the network knows nothing of them. All
/// that a batch needs beside parameters is in a Workspace, so several threads may run batches over one
/// network, and gradients are a Parameters of their own.

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

/// What lives between the pieces of a step. Grows to the largest batch seen and is reused.
template <class Real>
struct Workspace {
  std::size_t num_rows = 0;
  /// values[l] is [num_rows x units of layer l]: sums before tail_forward, activations (outputs for the last)
  /// after.
  std::vector<std::vector<Real>> values;
  /// deltas[l]: dL / d(input of layer l's activation), same shapes.
  std::vector<std::vector<Real>> deltas;
  std::vector<Real> targets;  // dense, [num_rows x outputs]

  std::span<Real> first_sums() noexcept { return values.front(); }
  std::span<Real> outputs() noexcept { return values.back(); }
  std::span<Real> output_deltas() noexcept { return deltas.back(); }
  std::span<Real> first_deltas() noexcept { return deltas.front(); }
};

/// What Network::add_gradient finds out about a batch.
struct BatchGradient {
  double loss = 0;  // the weighted sum
  /// No sum of the first layer's gradient can have overflowed, so it need not be looked through.
  bool is_bounded = false;
};

template <class Real>
class Network {
 public:
  /// Adds to first_sums() what other owners of columns have for the same rows.
  using CompleteSums = std::function<void(std::span<Real> sums)>;

  /// Initial parameters, for all columns or for a range of them. Throws ConfigError.
  explicit Network(Architecture architecture);
  Network(Architecture architecture, ColumnRange columns);
  /// Given parameters. Throws ShapeError where they do not fit the architecture.
  Network(Architecture architecture, Parameters<Real> parameters);

  const Architecture& architecture() const noexcept { return architecture_; }
  const Parameters<Real>& parameters() const noexcept { return parameters_; }
  Parameters<Real>& parameters() noexcept { return parameters_; }
  ColumnRange columns() const noexcept { return parameters_.columns; }

  // The pieces. Each throws ShapeError where batch and workspace do not fit the network.

  /// Shapes the workspace for the batch and gathers first_sums(); the bias is not in them.
  void first_forward(const CodeBatchView& batch, Workspace<Real>& work) const;
  /// first_sums() -> outputs(), raw.
  void tail_forward(Workspace<Real>& work) const;
  /// Targets of the batch (see expand_targets), then the weighted loss sum and output_deltas(). `normaliser`
  /// is the gradient_normaliser() of the whole step. The loss is told in the units of the targets, the gradient is
  /// that of the outputs' own: see target_units.hpp.
  double loss_and_output_gradient(const CodeBatchView& batch, double normaliser, Workspace<Real>& work,
                                  std::string_view batch_name) const;
  /// The same against a dense target matrix [rows x outputs], such as the row itself, in the units of the
  /// outputs.
  double loss_and_output_gradient(std::span<const Real> targets, std::span<const float> weights,
                                  double normaliser, Workspace<Real>& work) const;
  /// output_deltas() -> first_deltas(); adds to the gradients of tail and first bias.
  void tail_backward(Workspace<Real>& work, Parameters<Real>& gradient) const;
  /// first_deltas() -> adds to gradient.first_weights; `touched` may be null.
  void first_backward(const CodeBatchView& batch, const Workspace<Real>& work, Parameters<Real>& gradient,
                      TouchedColumns* touched) const;
  /// All of these, first_forward() to first_backward(), for 4096 rows after the other, so that what lies in
  /// between stays in the caches: adds to the gradient of the batch, divided by `normaliser`. Calls
  /// `complete`, where given, with the sums of each slice. Throws DataError naming `batch_name` where loss or
  /// outputs are not finite; `gradient` then has a part of the rows.
  BatchGradient add_gradient(const CodeBatchView& batch, double normaliser, std::string_view batch_name,
                             Workspace<Real>& work, Parameters<Real>& gradient, TouchedColumns* touched,
                             const CompleteSums& complete = {}) const;
  /// first_sums() -> predictions [rows x outputs] through the link, in the units of the targets.
  void predict_from_sums(Workspace<Real>& work, std::span<Real> predictions) const;
  /// Zeros in the shape of the parameters.
  Parameters<Real> make_gradient() const { return make_zero_parameters<Real>(architecture_, columns()); }

  // One device.

  /// One step on a whole batch; returns the weighted loss sum. A batch without rows or weight moves nothing
  /// and does not count as a step. Throws DataError naming `batch_name` (empty: the number of the step) where
  /// loss, outputs or gradient are not finite; the parameters are then as they were before the batch. A
  /// network that holds some of the columns needs `complete`.
  double train_step(const CodeBatchView& batch, Optimizer<Real>& optimizer, std::string_view batch_name = {},
                    const CompleteSums& complete = {});

  /// Weighted loss sum of a batch, without a step. For validation.
  double loss(const CodeBatchView& batch, std::string_view batch_name = {});

  /// Predictions through the link: [rows x outputs], a probability, a value, or class probabilities.
  void predict(const CodeBatchView& batch, std::span<Real> predictions);
  /// The same with the caller's workspace, for several threads over one network.
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

/// True where no value is infinite or NaN. Cost: one pass.
template <class Real>
bool all_finite(std::span<const Real> values) noexcept;

}  // namespace widehash
