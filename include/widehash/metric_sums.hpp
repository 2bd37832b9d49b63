#pragma once

/// \file
/// Sums over rows that follow one another, of which metrics.hpp makes its figures. w weight, p prediction, t target.

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
  // Of w d and w d^2, d the distance from the first target, so that large targets do not cancel.
  double distance = 0;
  double squared_distance = 0;
  double target_logs = 0;  // of counts, w t ln t
  double absolute_error = 0;
  double absolute_target = 0;
  MeanSpread loss_spread;  // of what is judged by: losses, squared errors of numbers
  MeanSpread bias_spread;  // of p - t
  // Of w^2 (p - t) t and w^2 t^2, for the ratio.
  double bias_by_target = 0;
  double target_squares = 0;

  /// A row, by what it is judged as; its loss, or squared error. `first_target` is that of all rows.
  double add_chance(float probability, float target_value, float row_weight, float first_target) noexcept;
  double add_count(float predicted, float target_value, float row_weight, float first_target) noexcept;
  double add_number(float predicted, float target_value, float row_weight, float first_target) noexcept;
  /// `largest` is the number of the largest score.
  double add_classes(std::span<const float> scores, std::size_t wanted, std::size_t largest,
                     float row_weight) noexcept;
  void add(const MetricSums& other) noexcept;

  /// Of the mean of p - t.
  std::optional<double> bias_standard_error() const noexcept;
  /// Of the sum of w p / the sum of w t, which is not 0: that of the mean of p - r t, r the ratio, / the mean of t.
  std::optional<double> ratio_standard_error() const noexcept;

 private:
  void add_value(float predicted, float target_value, float row_weight, float first_target) noexcept;
};

}  // namespace widehash
