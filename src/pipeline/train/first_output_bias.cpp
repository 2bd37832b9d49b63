#include "class_totals.hpp"

#include <widehash/train.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace widehash {
namespace {

/// Returns the share of each class in the weight of all rows; with one output, the shares of 0 and 1.
std::vector<double> class_shares(const Dataset& dataset, std::uint32_t outputs) {
  ClassTotals totals = class_totals(dataset, outputs);
  std::vector<double>& weights = totals.weights;
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  if (sum <= 0) return {};
  const double row = sum / totals.num_rows;
  const double whole = sum + row * static_cast<double>(weights.size());
  for (double& weight : weights) weight = (weight + row) / whole;
  return std::move(weights);
}

/// Moves `share` towards `even`, and not beyond it, by `deviations` standard deviations of a target with this share.
double moved(double share, double deviations, double even) noexcept {
  const double step = deviations * std::sqrt(share * (1 - share));
  return share < even ? std::min(share + step, even) : std::max(share - step, even);
}

/// Returns the logarithm of the mean target. Where all targets are 0, adds one row with a target of one half.
double first_log_rate(const Dataset& dataset) {
  const double mean = target_units(dataset).shift;
  return std::log(mean > 0 ? mean : 0.5 / static_cast<double>(dataset.num_rows() + 1));
}

}  // namespace

std::vector<double> first_output_bias(const Dataset& dataset, const Architecture& architecture,
                                      OptimizerKind optimizer) {
  const LossKind loss = architecture.loss;
  if (loss == LossKind::mse) return {};
  if (loss == LossKind::poisson) return {first_log_rate(dataset)};
  const std::vector<double> shares = class_shares(dataset, architecture.outputs);
  if (shares.empty()) return {};
  const double deviations = optimizer == OptimizerKind::adagrad ? 1 : 0;
  std::vector<double> biases;
  for (const double share : architecture.outputs == 1 ? std::span(shares).subspan(1) : std::span(shares)) {
    const double even = loss == LossKind::softmax ? 1.0 / static_cast<double>(shares.size()) : 0.5;
    const double start = moved(share, deviations, even);
    biases.push_back(loss == LossKind::softmax ? std::log(start / even) : std::log(start / (1 - start)));
  }
  return biases;
}

}  // namespace widehash
