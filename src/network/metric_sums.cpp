#include <widehash/metric_sums.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace widehash {
namespace {

// Half a float ulp below 1 is 6e-8: a float probability that is nearer to 1 cannot be distinguished from 1.
constexpr double probability_clip = 1e-7;

double clipped(double p) noexcept { return std::clamp(p, probability_clip, 1 - probability_clip); }

}  // namespace

void MetricSums::add_value(float predicted, float target_value, float row_weight,
                           float first_target) noexcept {
  const double error = double{predicted} - target_value;
  const double from_first = double{target_value} - first_target;
  weight += row_weight;
  squared_error += row_weight * error * error;
  absolute_error += row_weight * std::abs(error);
  prediction += double{row_weight} * predicted;
  target += double{row_weight} * target_value;
  absolute_target += row_weight * std::abs(double{target_value});
  bias_spread.add(row_weight, error);
  const double weighted_target = double{row_weight} * target_value;
  bias_by_target += row_weight * error * weighted_target;
  target_squares += weighted_target * weighted_target;
  distance += row_weight * from_first;
  squared_distance += row_weight * from_first * from_first;
}

double MetricSums::add_probability(float probability, float target_value, float row_weight,
                                   float first_target) noexcept {
  add_value(probability, target_value, row_weight, first_target);
  const double p = clipped(probability);
  // Targets are nearly always 0 or 1, in which case one logarithm is enough.
  double cost = 0;
  if (target_value > 0) cost -= target_value * std::log(p);
  if (target_value < 1) cost -= (1.0 - target_value) * std::log1p(-p);
  loss += row_weight * cost;
  loss_spread.add(row_weight, cost);
  if ((probability >= 0.5f) == (target_value >= 0.5f)) correct += row_weight;
  return cost;
}

double MetricSums::add_count(float predicted, float target_value, float row_weight,
                             float first_target) noexcept {
  add_value(predicted, target_value, row_weight, first_target);
  const double t = target_value;
  const double p = std::max(predicted, std::numeric_limits<float>::min());
  const double log_t = t > 0 ? std::log(t) : 0;
  const double cost = 2 * std::max(0.0, t * (log_t - std::log(p)) - (t - p));
  loss += row_weight * cost;
  loss_spread.add(row_weight, cost);
  target_logs += row_weight * t * log_t;
  return cost;
}

double MetricSums::add_number(float predicted, float target_value, float row_weight,
                              float first_target) noexcept {
  add_value(predicted, target_value, row_weight, first_target);
  const double error = double{predicted} - target_value;
  loss_spread.add(row_weight, error * error);
  return error * error;
}

double MetricSums::add_classes(std::span<const float> scores, std::size_t wanted, std::size_t largest,
                               float row_weight) noexcept {
  double sum = 0;
  double squared = 0;
  for (std::size_t k = 0; k < scores.size(); ++k) {
    const double error = scores[k] - (k == wanted ? 1.0 : 0.0);
    sum += scores[k];
    squared += error * error;
  }
  // The scores of an mse network may add up to 0 or less. Then they are not probabilities, and the row
  // costs the most.
  const double p = sum > 0 ? scores[wanted] / sum : 0.0;
  weight += row_weight;
  const double cost = -std::log(clipped(p));
  loss += row_weight * cost;
  loss_spread.add(row_weight, cost);
  squared_error += row_weight * squared / static_cast<double>(scores.size());
  if (largest == wanted) correct += row_weight;
  return cost;
}

void MetricSums::add(const MetricSums& other) noexcept {
  weight += other.weight;
  loss += other.loss;
  correct += other.correct;
  squared_error += other.squared_error;
  prediction += other.prediction;
  target += other.target;
  distance += other.distance;
  squared_distance += other.squared_distance;
  target_logs += other.target_logs;
  absolute_error += other.absolute_error;
  absolute_target += other.absolute_target;
  loss_spread.add(other.loss_spread);
  bias_spread.add(other.bias_spread);
  bias_by_target += other.bias_by_target;
  target_squares += other.target_squares;
}

std::optional<double> MetricSums::bias_standard_error() const noexcept {
  return bias_spread.standard_error(weight, (prediction - target) / weight);
}

std::optional<double> MetricSums::ratio_standard_error() const noexcept {
  // p - r t = (p - t) - (r - 1) t, whose mean is 0.
  const double beyond = prediction / target - 1;
  const MeanSpread residuals{
      bias_spread.weights, 0,
      bias_spread.squares - 2 * beyond * bias_by_target + beyond * beyond * target_squares};
  const auto error = residuals.standard_error(weight, 0);
  if (!error) return std::nullopt;
  return *error * weight / std::abs(target);
}

}  // namespace widehash
