#include "chunks.hpp"
#include "dense_layer.hpp"
#include "gradient_passes.hpp"
#include "not_finite.hpp"

#include <widehash/error.hpp>
#include <widehash/network.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

namespace widehash {
namespace {

/// Compares sizes alone: a network of zeros to compare with would take the memory of another network.
template <class Real>
void require_shape(const Parameters<Real>& parameters, const Architecture& architecture) {
  check_architecture(architecture);
  const std::vector<std::uint32_t>& hidden = architecture.hidden;
  const ColumnRange columns = parameters.columns;
  const std::uint32_t units = architecture.first_units();
  bool fits = columns.begin <= columns.end && columns.end <= architecture.num_columns &&
              parameters.units == units && parameters.first_weights.size() == columns.size() * units &&
              parameters.first_bias.size() == units && parameters.tail.size() == hidden.size();
  for (std::size_t i = 0; fits && i < hidden.size(); ++i) {
    const DenseParameters<Real>& layer = parameters.tail[i];
    fits = layer.inputs == hidden[i] && layer.outputs == architecture.units_after(i) &&
           layer.weights.size() == std::size_t{layer.inputs} * layer.outputs &&
           layer.bias.size() == layer.outputs;
  }
  if (!fits) throw ShapeError("network: the parameters do not match the architecture");
}

}  // namespace

template <class Real>
Network<Real>::Network(Architecture architecture)
    : Network(architecture, ColumnRange{0, architecture.num_columns}) {}

template <class Real>
Network<Real>::Network(Architecture architecture, ColumnRange columns)
    : architecture_(std::move(architecture)), parameters_(initialize<Real>(architecture_, columns)) {}

template <class Real>
Network<Real>::Network(Architecture architecture, Parameters<Real> parameters)
    : architecture_(std::move(architecture)), parameters_(std::move(parameters)) {
  require_shape(parameters_, architecture_);
}

template <class Real>
std::uint32_t Network<Real>::layer_units(std::size_t layer) const noexcept {
  return layer == 0 ? parameters_.units : parameters_.tail[layer - 1].outputs;
}

template <class Real>
void Network<Real>::check_batch_shape(const CodeBatchView& batch) const {
  if (batch.layout == nullptr || batch.layout->num_columns != architecture_.num_columns) {
    throw ShapeError(fmt::format("network: a batch of {} columns for a network of {}",
                                 batch.layout == nullptr ? 0 : batch.layout->num_columns,
                                 architecture_.num_columns));
  }
  const auto fits = [&](std::span<const float> values) {
    return values.empty() || values.size() == batch.num_rows;
  };
  // Parts of the batch would hide it.
  if (!fits(batch.targets) || !fits(batch.weights)) {
    throw ShapeError(fmt::format("network: a batch of {} rows with {} targets and {} weights", batch.num_rows,
                                 batch.targets.size(), batch.weights.size()));
  }
}

template <class Real>
void Network<Real>::check_workspace(const Workspace<Real>& work) const {
  bool fits = work.values.size() == parameters_.tail.size() + 1 && work.deltas.size() == work.values.size();
  for (std::size_t l = 0; fits && l < work.values.size(); ++l) {
    fits = work.values[l].size() == work.num_rows * layer_units(l);
  }
  if (!fits) throw ShapeError("network: the workspace was not shaped by first_forward of this network");
}

template <class Real>
void Network<Real>::first_forward(const CodeBatchView& batch, Workspace<Real>& work) const {
  check_batch_shape(batch);
  work.num_rows = batch.num_rows;
  work.values.resize(parameters_.tail.size() + 1);
  work.deltas.resize(work.values.size());
  for (std::size_t l = 0; l < work.values.size(); ++l) work.values[l].resize(batch.num_rows * layer_units(l));
  gather_sum<Real>(batch, parameters_.first_weights, columns(), parameters_.units, work.first_sums());
}

template <class Real>
void Network<Real>::tail_forward(Workspace<Real>& work) const {
  check_workspace(work);
  detail::add_bias<Real>(parameters_.first_bias, work.first_sums());
  for (std::size_t l = 0; l < parameters_.tail.size(); ++l) {
    std::span<Real> values = work.values[l];
    const std::size_t units = layer_units(l);
    detail::for_each_chunk(work.num_rows, [&](std::size_t, std::size_t begin, std::size_t end) {
      apply_activation(architecture_.activation, values.subspan(begin * units, (end - begin) * units));
    });
    detail::dense_forward<Real>(parameters_.tail[l], values, work.values[l + 1]);
  }
}

template <class Real>
double Network<Real>::loss_and_output_gradient(const CodeBatchView& batch, double normaliser,
                                               Workspace<Real>& work, std::string_view batch_name) const {
  if (batch.targets.size() != batch.num_rows) {
    throw ShapeError(fmt::format("network: {} targets for {} rows; training needs a label",
                                 batch.targets.size(), batch.num_rows));
  }
  const TargetUnits& units = architecture_.target_units;
  expand_targets(architecture_.loss, architecture_.outputs, batch.targets, batch_name, work.targets, units);
  return units.squared(loss_and_output_gradient(work.targets, batch.weights, normaliser, work));
}

template <class Real>
double Network<Real>::loss_and_output_gradient(std::span<const Real> targets, std::span<const float> weights,
                                               double normaliser, Workspace<Real>& work) const {
  check_workspace(work);
  work.deltas.back().resize(work.outputs().size());
  return loss_and_gradient<Real>(architecture_.loss, architecture_.outputs, work.outputs(), targets, weights,
                                 normaliser, work.output_deltas());
}

template <class Real>
void Network<Real>::tail_backward(Workspace<Real>& work, Parameters<Real>& gradient) const {
  check_workspace(work);
  const auto fits = [](const DenseParameters<Real>& layer, const DenseParameters<Real>& wanted) {
    return layer.weights.size() == wanted.weights.size() && layer.bias.size() == wanted.bias.size() &&
           layer.inputs == wanted.inputs;
  };
  if (work.output_deltas().size() != work.outputs().size() ||
      gradient.first_bias.size() != parameters_.first_bias.size() ||
      !std::ranges::equal(gradient.tail, parameters_.tail, fits)) {
    throw ShapeError("network: tail_backward needs output deltas and a gradient from make_gradient");
  }
  for (std::size_t l = parameters_.tail.size(); l-- > 0;) {
    const std::span<const Real> values = work.values[l];
    const std::span<const Real> above = work.deltas[l + 1];
    work.deltas[l].resize(values.size());
    const std::span<Real> deltas = work.deltas[l];
    detail::dense_backward_parameters<Real>(values, above, gradient.tail[l]);
    detail::dense_backward_input<Real>(parameters_.tail[l], above, deltas);
    const std::size_t units = layer_units(l);
    detail::for_each_chunk(work.num_rows, [&](std::size_t, std::size_t begin, std::size_t end) {
      const std::size_t at = begin * units;
      const std::size_t count = (end - begin) * units;
      apply_activation_gradient<Real>(architecture_.activation, values.subspan(at, count),
                                      deltas.subspan(at, count));
    });
  }
  detail::sum_rows<Real>(work.first_deltas(), gradient.first_bias);
}

template <class Real>
void Network<Real>::first_backward(const CodeBatchView& batch, const Workspace<Real>& work,
                                   Parameters<Real>& gradient, TouchedColumns* touched) const {
  check_batch_shape(batch);
  if (work.deltas.empty()) throw ShapeError("network: first_backward comes after tail_backward");
  scatter_gradient<Real>(batch, work.deltas.front(), columns(), parameters_.units, gradient.first_weights,
                         touched);
}

template <class Real>
BatchGradient Network<Real>::add_gradient(const CodeBatchView& batch, double normaliser,
                                          std::string_view batch_name, Workspace<Real>& work,
                                          Parameters<Real>& gradient, TouchedColumns* touched,
                                          const CompleteSums& complete) const {
  check_batch_shape(batch);
  BatchGradient result;
  // Numbers multiply deltas, so with numbers nothing is known about the sums.
  result.is_bounded = batch.layout->number_stride == 0;
  const std::uint64_t terms = num_set_columns(batch);
  for (std::size_t begin = 0; begin < batch.num_rows; begin += detail::rows_per_slice) {
    const CodeBatchView slice = batch.rows(begin, std::min(detail::rows_per_slice, batch.num_rows - begin));
    first_forward(slice, work);
    if (complete) complete(work.first_sums());
    tail_forward(work);
    result.loss += loss_and_output_gradient(slice, normaliser, work, batch_name);
    if (!std::isfinite(result.loss) || !all_finite<Real>(work.outputs())) {
      throw detail::not_finite(batch_name, "the loss");
    }
    tail_backward(work, gradient);
    result.is_bounded = result.is_bounded && detail::sums_are_finite<Real>(work.first_deltas(), terms);
    first_backward(slice, work, gradient, touched);
  }
  return result;
}

template <class Real>
double Network<Real>::train_step(const CodeBatchView& batch, Optimizer<Real>& optimizer,
                                 std::string_view batch_name, const CompleteSums& complete) {
  check_batch_shape(batch);
  const std::string name =
      batch_name.empty() ? fmt::format("batch {}", optimizer.step() + 1) : std::string(batch_name);
  const double normaliser = gradient_normaliser(
      optimizer.settings(), sum_of_weights(batch.weights, batch.num_rows), batch.num_rows);
  if (normaliser == 0) return 0;
  if (gradient_.units == 0) gradient_ = make_gradient();
  const bool lists_columns = !needs_dense_update(optimizer.settings()) &&
                             detail::is_sparse_batch(batch, columns(), parameters_.units);
  if (lists_columns && touched_.range_size() != columns().size()) touched_ = TouchedColumns(columns());
  TouchedColumns* touched = lists_columns ? &touched_ : nullptr;

  double loss = 0;
  try {
    const BatchGradient result = add_gradient(batch, normaliser, name, work_, gradient_, touched, complete);
    if (!detail::is_tail_finite(gradient_) ||
        !(result.is_bounded || detail::is_first_finite(gradient_, columns(), touched))) {
      throw detail::not_finite(name, "the gradient");
    }
    loss = result.loss;
    optimizer.update_and_clear(parameters_, gradient_, touched);
  } catch (...) {
    // Otherwise the next step would add to it.
    detail::clear_gradient(gradient_, touched);
    if (touched != nullptr) touched->clear();
    throw;
  }
  if (touched != nullptr) touched->clear();
  return loss;
}

template <class Real>
double Network<Real>::loss(const CodeBatchView& batch, std::string_view batch_name) {
  first_forward(batch, work_);
  tail_forward(work_);
  if (batch.targets.size() != batch.num_rows)
    throw ShapeError("network: the loss of a batch needs its targets");
  const TargetUnits& units = architecture_.target_units;
  expand_targets(architecture_.loss, architecture_.outputs, batch.targets, batch_name, work_.targets, units);
  return units.squared(loss_sum<Real>(architecture_.loss, architecture_.outputs, work_.outputs(),
                                      work_.targets, batch.weights));
}

template <class Real>
void Network<Real>::predict(const CodeBatchView& batch, std::span<Real> predictions) {
  predict(batch, work_, predictions);
}

template <class Real>
void Network<Real>::predict(const CodeBatchView& batch, Workspace<Real>& work,
                            std::span<Real> predictions) const {
  first_forward(batch, work);
  predict_from_sums(work, predictions);
}

template <class Real>
void Network<Real>::predict_from_sums(Workspace<Real>& work, std::span<Real> predictions) const {
  tail_forward(work);
  const std::span<const Real> outputs = work.outputs();
  if (predictions.size() != outputs.size()) {
    throw ShapeError(
        fmt::format("network: room for {} predictions, but {} are made", predictions.size(), outputs.size()));
  }
  std::copy(outputs.begin(), outputs.end(), predictions.begin());
  apply_link<Real>(architecture_.loss, architecture_.outputs, predictions);
  to_predictions<Real>(architecture_.target_units, predictions);
}

template <class Real>
bool all_finite(std::span<const Real> values) noexcept {
  // Works on the bits, so that the loop vectorises: an exponent of all ones is an infinity or a NaN.
  using Bits = std::conditional_t<sizeof(Real) == 4, std::uint32_t, std::uint64_t>;
  constexpr Bits exponent = sizeof(Real) == 4 ? Bits{0x7F800000} : static_cast<Bits>(0x7FF0000000000000);
  Bits bad = 0;
  for (const Real value : values)
    bad |= static_cast<Bits>((std::bit_cast<Bits>(value) & exponent) == exponent);
  return bad == 0;
}

template class Network<float>;
template class Network<double>;
template bool all_finite<float>(std::span<const float>) noexcept;
template bool all_finite<double>(std::span<const double>) noexcept;

}  // namespace widehash
