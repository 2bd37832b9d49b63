#include "chunks.hpp"
#include "kernels.hpp"
#include "update_rules.hpp"

#include <widehash/error.hpp>
#include <widehash/optimizer.hpp>

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

namespace widehash {
namespace {

constexpr std::size_t values_per_chunk = std::size_t{1} << 14;
/// The number of units of a touched column from which on vectors are faster than the plain rule.
constexpr std::uint32_t fewest_vector_units = 4;

template <template <class> class Rule, class Real>
void run_dense(const Rule<Real>& rule, std::span<Real> weights, std::span<const Real> gradient,
               StateSpans<Real> states) noexcept {
  Real* first = states.first.data();
  Real* second = states.second.data();
  const bool has_first = !states.first.empty();
  const bool has_second = !states.second.empty();
  for (std::size_t i = 0; i < weights.size(); ++i) {
    rule(weights[i], gradient[i], has_first ? first + i : nullptr, has_second ? second + i : nullptr);
  }
}

template <class Real>
std::span<Real> part(std::span<Real> values, std::size_t begin, std::size_t count) noexcept {
  return values.empty() ? values : values.subspan(begin, count);
}

/// The states of tensor `index`.
template <class Real>
StateSpans<Real> states_of(std::vector<Parameters<Real>>& states, std::size_t index) {
  StateSpans<Real> spans;
  if (!states.empty()) spans.first = states[0].tensors()[index].values;
  if (states.size() > 1) spans.second = states[1].tensors()[index].values;
  return spans;
}

template <class Real>
bool same_tail(const Parameters<Real>& a, const Parameters<Real>& b) {
  const auto ours = a.tensors();
  const auto theirs = b.tensors();
  bool same = a.units == b.units && ours.size() == theirs.size();
  for (std::size_t i = 1; same && i < ours.size(); ++i)
    same = ours[i].values.size() == theirs[i].values.size();
  return same;
}

template <class Real>
void clear(std::span<Real> gradient) noexcept {
  std::ranges::fill(gradient, Real{0});
}
/// Does nothing: a const gradient is kept.
template <class Real>
void clear(std::span<const Real>) noexcept {}

template <class Real>
bool has_columns(const Parameters<Real>& set, ColumnRange columns) {
  return set.columns == columns && set.first_weights.size() == columns.size() * set.units;
}

}  // namespace

template <class Real>
void update_dense(const OptimizerSettings& settings, std::uint64_t step, bool regularise,
                  std::span<Real> weights, std::span<const Real> gradient, StateSpans<Real> states) noexcept {
  if constexpr (std::is_same_v<Real, float>) {
    OptimizerSettings now = settings;
    now.learning_rate = learning_rate_at(settings, step);
    return detail::update_values(now, step, regularise, weights, gradient, states);
  }
  detail::with_rule<Real>(settings, step, regularise,
                          [&](const auto& rule) { run_dense(rule, weights, gradient, states); });
}

template <class Real>
void update_rows(const OptimizerSettings& settings, std::uint64_t step, bool regularise, std::uint32_t units,
                 std::span<const std::uint32_t> positions, std::span<Real> weights,
                 std::span<const Real> gradient, StateSpans<Real> states) noexcept {
  if constexpr (std::is_same_v<Real, float>) {
    if (units >= fewest_vector_units) {
      OptimizerSettings now = settings;
      now.learning_rate = learning_rate_at(settings, step);
      return detail::update_value_rows(now, step, regularise, units, positions, weights, gradient, states);
    }
  }
  detail::with_rule<Real>(settings, step, regularise, [&](const auto& rule) {
    for (const std::uint32_t position : positions) {
      const std::size_t at = std::size_t{position} * units;
      run_dense(rule, weights.subspan(at, units), gradient.subspan(at, units),
                StateSpans<Real>{part(states.first, at, units), part(states.second, at, units)});
    }
  });
}

template <class Real>
Optimizer<Real>::Optimizer(const OptimizerSettings& settings, const Parameters<Real>& parameters)
    : settings_(settings) {
  check_settings(settings_);
  const auto count = static_cast<std::size_t>(num_states(settings_.kind));
  states_.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    states_.push_back(parameters);
    for (auto& tensor : states_.back().tensors())
      std::fill(tensor.values.begin(), tensor.values.end(), Real{0});
  }
  if (settings_.kind != OptimizerKind::ftrl) return;
  const auto weights = parameters.tensors();
  const auto z = states_[0].tensors();
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const detail::Ftrl<Real> rule(settings_, 0, !weights[i].is_bias);
    for (std::size_t j = 0; j < weights[i].values.size(); ++j)
      z[i].values[j] = rule.start(weights[i].values[j]);
  }
}

template <class Real>
Optimizer<Real>::Optimizer(const OptimizerSettings& settings, std::vector<Parameters<Real>> states,
                           std::uint64_t step)
    : settings_(settings), states_(std::move(states)), step_(step) {
  check_settings(settings_);
  if (states_.size() != static_cast<std::size_t>(num_states(settings_.kind))) {
    throw ShapeError(fmt::format("optimizer: {} has {} states per parameter, but {} are given",
                                 to_string(settings_.kind), num_states(settings_.kind), states_.size()));
  }
}

template <class Real>
template <class Gradient>
void Optimizer<Real>::step_over(Parameters<Real>& parameters, Gradient& gradient,
                                const TouchedColumns* touched, ColumnRange columns) {
  const ColumnRange all = parameters.columns;
  bool fits = same_tail(parameters, gradient) && has_columns(parameters, all) && has_columns(gradient, all) &&
              columns.begin >= all.begin && columns.begin <= columns.end && columns.end <= all.end;
  for (const auto& state : states_)
    fits = fits && same_tail(parameters, state) && has_columns(state, columns);
  if (!fits || (touched != nullptr && (touched->range_size() != all.size() || columns != all))) {
    throw ShapeError("optimizer: parameters, gradient, states and touched columns are of different shapes");
  }
  ++step_;
  const auto weights = parameters.tensors();
  const auto gradients = gradient.tensors();
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const auto states = states_of(states_, i);
    const bool regularise = !weights[i].is_bias;
    auto values = weights[i].values;
    auto slopes = gradients[i].values;
    if (i == 0) {
      const std::size_t begin = (columns.begin - all.begin) * parameters.units;
      values = values.subspan(begin, columns.size() * parameters.units);
      slopes = slopes.subspan(begin, values.size());
    }
    if (i == 0 && touched != nullptr && !needs_dense_update(settings_)) {
      const std::uint32_t units = parameters.units;
      const auto positions = touched->positions();
      const std::size_t rows = std::max<std::size_t>(values_per_chunk / units, 1);
      detail::for_each_chunk(positions.size(), rows, [&](std::size_t, std::size_t begin, std::size_t end) {
        const auto chunk = positions.subspan(begin, end - begin);
        update_rows<Real>(settings_, step_, regularise, units, chunk, values, slopes, states);
        for (const std::uint32_t position : chunk)
          clear(slopes.subspan(std::size_t{position} * units, units));
      });
      continue;
    }
    detail::for_each_share(values.size(), [&](std::size_t share_begin, std::size_t share_end) {
      for (std::size_t begin = share_begin; begin < share_end; begin += values_per_chunk) {
        const std::size_t count = std::min(values_per_chunk, share_end - begin);
        update_dense<Real>(settings_, step_, regularise, values.subspan(begin, count),
                           slopes.subspan(begin, count),
                           {part(states.first, begin, count), part(states.second, begin, count)});
        clear(slopes.subspan(begin, count));
      }
    });
  }
}

template <class Real>
void Optimizer<Real>::update(Parameters<Real>& parameters, const Parameters<Real>& gradient,
                             const TouchedColumns* touched, ColumnRange columns) {
  step_over(parameters, gradient, touched, columns);
}

template <class Real>
void Optimizer<Real>::update_and_clear(Parameters<Real>& parameters, Parameters<Real>& gradient,
                                       const TouchedColumns* touched) {
  step_over(parameters, gradient, touched, parameters.columns);
}

template <class Real>
void Optimizer<Real>::anchor_ftrl(const Parameters<Real>& parameters) {
  if (settings_.kind != OptimizerKind::ftrl)
    throw ShapeError("optimizer: only ftrl computes weights from its states");
  const ColumnRange columns = states_[0].columns;
  const bool has_columns_of_states =
      columns.begin >= parameters.columns.begin && columns.end <= parameters.columns.end;
  if (!same_tail(parameters, states_[0]) || !has_columns_of_states)
    throw ShapeError("optimizer: parameters and states are of different shapes");
  const auto weights = parameters.tensors();
  const auto z = states_[0].tensors();
  const auto n = states_[1].tensors();
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const detail::Ftrl<Real> rule(settings_, 0, !weights[i].is_bias);
    const std::size_t first = i == 0 ? (columns.begin - parameters.columns.begin) * parameters.units : 0;
    for (std::size_t j = 0; j < z[i].values.size(); ++j)
      z[i].values[j] = rule.anchor(weights[i].values[first + j], z[i].values[j], n[i].values[j]);
  }
}

template void update_dense<float>(const OptimizerSettings&, std::uint64_t, bool, std::span<float>,
                                  std::span<const float>, StateSpans<float>) noexcept;
template void update_dense<double>(const OptimizerSettings&, std::uint64_t, bool, std::span<double>,
                                   std::span<const double>, StateSpans<double>) noexcept;
template void update_rows<float>(const OptimizerSettings&, std::uint64_t, bool, std::uint32_t,
                                 std::span<const std::uint32_t>, std::span<float>, std::span<const float>,
                                 StateSpans<float>) noexcept;
template void update_rows<double>(const OptimizerSettings&, std::uint64_t, bool, std::uint32_t,
                                  std::span<const std::uint32_t>, std::span<double>, std::span<const double>,
                                  StateSpans<double>) noexcept;
template class Optimizer<float>;
template class Optimizer<double>;

}  // namespace widehash
