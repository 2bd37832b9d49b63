#include "chunks.hpp"
#include "kernels.hpp"
#include "loss_rules.hpp"
#include "named_kind.hpp"

#include <widehash/activation.hpp>
#include <widehash/error.hpp>
#include <widehash/loss.hpp>

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

namespace widehash {
namespace {

constexpr detail::KindNames<LossKind, 4> loss_names{{{LossKind::logistic, "logistic"},
                                                     {LossKind::mse, "mse"},
                                                     {LossKind::softmax, "softmax"},
                                                     {LossKind::poisson, "poisson"}}};

template <class Rule, class Real>
double sum_rows(std::size_t num_outputs, std::span<const Real> outputs, std::span<const Real> targets,
                std::span<const float> weights, double inverse_normaliser, Real* deltas) {
  const std::size_t rows = outputs.size() / num_outputs;
  std::vector<double> chunk_sums(detail::num_chunks(rows));
  detail::for_each_chunk(rows, [&](std::size_t chunk, std::size_t begin, std::size_t end) {
    double sum = 0;
    for (std::size_t row = begin; row < end; ++row) {
      const double weight = weights.empty() ? 1.0 : weights[row];
      const std::size_t at = row * num_outputs;
      const auto target = [&](std::size_t k) { return targets[at + k]; };
      sum += weight * Rule::row(&outputs[at], target, num_outputs, weight * inverse_normaliser,
                                deltas == nullptr ? nullptr : deltas + at);
    }
    chunk_sums[chunk] = sum;
  });
  double total = 0;
  for (const double sum : chunk_sums) total += sum;
  return total;
}

/// The same for one logistic output, which nearly every training has.
double sum_logistic_rows(std::span<const float> outputs, std::span<const float> targets,
                         std::span<const float> weights, double inverse_normaliser, float* deltas) {
  const std::size_t rows = outputs.size();
  std::vector<double> chunk_sums(detail::num_chunks(rows));
  detail::for_each_chunk(rows, [&](std::size_t chunk, std::size_t begin, std::size_t end) {
    chunk_sums[chunk] = detail::logistic_loss(
        outputs.data() + begin, targets.data() + begin, weights.empty() ? nullptr : weights.data() + begin,
        end - begin, inverse_normaliser, deltas == nullptr ? nullptr : deltas + begin);
  });
  double total = 0;
  for (const double sum : chunk_sums) total += sum;
  return total;
}

template <class Real>
double dispatch(LossKind kind, std::uint32_t num_outputs, std::span<const Real> outputs,
                std::span<const Real> targets, std::span<const float> weights, double inverse_normaliser,
                Real* deltas) {
  if (num_outputs == 0 || outputs.size() % num_outputs != 0 || targets.size() != outputs.size() ||
      (!weights.empty() && weights.size() != outputs.size() / num_outputs)) {
    throw ShapeError(
        fmt::format("loss: {} raw outputs of {} a row, {} targets and {} weights do not fit together",
                    outputs.size(), num_outputs, targets.size(), weights.size()));
  }
  if constexpr (std::is_same_v<Real, float>) {
    if (kind == LossKind::logistic && num_outputs == 1)
      return sum_logistic_rows(outputs, targets, weights, inverse_normaliser, deltas);
  }
  switch (kind) {
    case LossKind::logistic:
      return sum_rows<detail::LogisticLoss>(num_outputs, outputs, targets, weights, inverse_normaliser,
                                            deltas);
    case LossKind::mse:
      return sum_rows<detail::MeanSquareLoss>(num_outputs, outputs, targets, weights, inverse_normaliser,
                                              deltas);
    case LossKind::poisson:
      return sum_rows<detail::PoissonLoss>(num_outputs, outputs, targets, weights, inverse_normaliser,
                                           deltas);
    case LossKind::softmax:
      break;
  }
  return sum_rows<detail::SoftmaxLoss>(num_outputs, outputs, targets, weights, inverse_normaliser, deltas);
}

}  // namespace

const char* to_string(LossKind kind) noexcept { return detail::name_of(loss_names, kind); }

LossKind parse_loss(std::string_view name) { return detail::parse_kind(loss_names, "loss", name); }

template <class Real>
double loss_and_gradient(LossKind kind, std::uint32_t num_outputs, std::span<const Real> outputs,
                         std::span<const Real> targets, std::span<const float> weights, double normaliser,
                         std::span<Real> deltas) {
  if (deltas.size() != outputs.size()) {
    throw ShapeError(fmt::format("loss: {} deltas for {} raw outputs", deltas.size(), outputs.size()));
  }
  const double inverse = normaliser == 0 ? 0.0 : 1 / normaliser;
  return dispatch<Real>(kind, num_outputs, outputs, targets, weights, inverse, deltas.data());
}

template <class Real>
double loss_sum(LossKind kind, std::uint32_t num_outputs, std::span<const Real> outputs,
                std::span<const Real> targets, std::span<const float> weights) {
  return dispatch<Real>(kind, num_outputs, outputs, targets, weights, 0.0, nullptr);
}

template <class Real>
void apply_link(LossKind kind, std::uint32_t num_outputs, std::span<Real> outputs) {
  switch (kind) {
    case LossKind::logistic:
      return apply_activation<Real>(ActivationKind::sigmoid, outputs);
    case LossKind::mse:
      return;
    case LossKind::poisson:
      for (Real& output : outputs) output = detail::expected_count(output);
      return;
    case LossKind::softmax:
      for (std::size_t at = 0; at + num_outputs <= outputs.size(); at += num_outputs) {
        detail::softmax_row(&outputs[at], num_outputs);
      }
  }
}

double sum_of_weights(std::span<const float> weights, std::size_t num_rows) noexcept {
  if (weights.empty()) return static_cast<double>(num_rows);
  double sum = 0;
  for (const float weight : weights) sum += weight;
  return sum;
}

template double loss_and_gradient<float>(LossKind, std::uint32_t, std::span<const float>,
                                         std::span<const float>, std::span<const float>, double,
                                         std::span<float>);
template double loss_and_gradient<double>(LossKind, std::uint32_t, std::span<const double>,
                                          std::span<const double>, std::span<const float>, double,
                                          std::span<double>);
template double loss_sum<float>(LossKind, std::uint32_t, std::span<const float>, std::span<const float>,
                                std::span<const float>);
template double loss_sum<double>(LossKind, std::uint32_t, std::span<const double>, std::span<const double>,
                                 std::span<const float>);
template void apply_link<float>(LossKind, std::uint32_t, std::span<float>);
template void apply_link<double>(LossKind, std::uint32_t, std::span<double>);

}  // namespace widehash
