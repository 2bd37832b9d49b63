#pragma once

/// \file
/// Sums over consecutive rows, from which metrics.hpp computes its figures. w weight, p prediction, t target.

#include <widehash/mean_spread.hpp>

#include <cstddef>
#include <optional>
#include <span>

namespace widehash {

struct MetricSums {
  double weight = 0;
  double loss = 0;
  double correct = 0;
  double squared_error = 0;
  double prediction = 0;
  double target = 0;
  // Sums of w d and w d^2, where d is the distance from the first target, so that large targets do not
  // cancel.
  double distance = 0;
  double squared_distance = 0;
  double target_logs = 0;  // counts only: sum of w t ln t
  double absolute_error = 0;
  double absolute_target = 0;
  /// Spread of the judged quantity: losses; for numbers, squared errors.
  MeanSpread loss_spread;
  MeanSpread bias_spread;  // of p - t
  // Sums of w^2 (p - t) t and w^2 t^2, for the ratio.
  double bias_by_target = 0;
  double target_squares = 0;

  /// Each of these adds a row and returns its loss, or its squared error for numbers. `first_target` is the
  /// first target of all rows.
  double add_probability(float probability, float target_value, float row_weight,
                         float first_target) noexcept;
  double add_count(float predicted, float target_value, float row_weight, float first_target) noexcept;
  double add_number(float predicted, float target_value, float row_weight, float first_target) noexcept;
  /// `largest` is the index of the largest score.
  double add_classes(std::span<const float> scores, std::size_t wanted, std::size_t largest,
                     float row_weight) noexcept;
  void add(const MetricSums& other) noexcept;

  /// Standard error of the mean of p - t.
  std::optional<double> bias_standard_error() const noexcept;
  /// Standard error of the ratio r = sum of w p / sum of w t: that of the mean of p - r t, divided by the
  /// mean of t. Requires that the sum of w t is not 0.
  std::optional<double> ratio_standard_error() const noexcept;

 private:
  void add_value(float predicted, float target_value, float row_weight, float first_target) noexcept;
};

}  // namespace widehash
