#pragma once

/// \file
/// How far a weighted mean m of rows may be from that of all rows there could be: its standard error, where rows are
/// drawn one by one. Rows that hang together, of one user or one day, tell less than it says.
///
///     n           (sum w)^2 / sum w^2                 as many rows of one weight tell as much
///     error^2     n / (n - 1) * sum w^2 (x - m)^2 / (sum w)^2
///
/// That is s / sqrt(n) of the textbooks where all weights are equal.

#include <cmath>
#include <optional>

namespace widehash {

/// How many rows of one weight tell as much as rows of these weights.
inline double effective_rows(double weight, double weight_squares) noexcept {
  return weight_squares > 0 ? weight * weight / weight_squares : 0;
}

/// Sums over rows, of which the error of their mean is made.
struct MeanSpread {
  double weights = 0;  // of w^2
  double values = 0;   // of w^2 x
  double squares = 0;  // of w^2 x^2

  void add(double weight, double value) noexcept {
    const double squared = weight * weight;
    weights += squared;
    values += squared * value;
    squares += squared * value * value;
  }
  void add(const MeanSpread& other) noexcept {
    weights += other.weights;
    values += other.values;
    squares += other.squares;
  }

  /// Of the rows, which weigh `weight` together and have this mean. Empty where one row is all there is.
  std::optional<double> standard_error(double weight, double mean) const noexcept {
    const double rows = effective_rows(weight, weights);
    // Equal weights that no float has exactly may leave a little over one row.
    if (!(rows > 1 + 1e-6)) return std::nullopt;
    const double spread = squares - 2 * mean * values + mean * mean * weights;
    return std::sqrt(rows / (rows - 1) * (spread > 0 ? spread : 0)) / weight;
  }
};

}  // namespace widehash
