#include "sampled_targets.hpp"

#include <widehash/train.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

namespace widehash {
namespace {

/// The share that each class has of the weight of all rows; those of 0 and 1 where there is one output.
std::vector<double> class_shares(const Dataset& dataset, std::uint32_t outputs) {
  std::vector<double> weights(std::max<std::uint32_t>(outputs, 2));
  double num_rows = 0;
  for_each_target(dataset, [&](double target, double weight, double rows) {
    // Others are refused with the name of their batch.
    if (target < 0 || target > static_cast<double>(weights.size() - 1)) return;
    // A chance is a share of both classes.
    const double below = std::floor(target);
    weights[static_cast<std::size_t>(below)] += weight * (1 - (target - below));
    if (target > below) weights[static_cast<std::size_t>(below) + 1] += weight * (target - below);
    num_rows += rows;
  });
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  if (sum <= 0) return {};
  const double row = sum / num_rows;
  const double whole = sum + row * static_cast<double>(weights.size());
  for (double& weight : weights) weight = (weight + row) / whole;
  return weights;
}

/// `deviations` of a target of this share nearer to `even`, and not beyond it.
double moved(double share, double deviations, double even) noexcept {
  const double step = deviations * std::sqrt(share * (1 - share));
  return share < even ? std::min(share + step, even) : std::max(share - step, even);
}

}  // namespace

std::vector<double> first_output_bias(const Dataset& dataset, const Architecture& architecture,
                                      OptimizerKind optimizer) {
  const LossKind loss = architecture.loss;
  if (loss == LossKind::mse) return {};
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
