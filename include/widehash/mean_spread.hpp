#pragma once

/// \file
/// The standard error of a weighted mean m: how far the mean over some rows may be from the mean over all
/// possible rows, if rows are drawn independently. Rows that depend on each other, such as rows of one user
/// or one day, carry less information than the standard error says.
///
///     n           (sum w)^2 / sum w^2                 number of equally weighted rows with as much information
///     error^2     n / (n - 1) * sum w^2 (x - m)^2 / (sum w)^2
///
/// For equal weights this is s / sqrt(n) of the textbooks.

#include <cmath>
#include <optional>

namespace widehash {

/// Returns the number of equally weighted rows that carry as much information as rows of these weights.
inline double effective_rows(double weight, double weight_squares) noexcept {
  return weight_squares > 0 ? weight * weight / weight_squares : 0;
}

/// Whether so many effective rows are more than one. Equal weights without an exact representation in float may give
/// slightly more than one row.
inline bool are_several(double effective_rows) noexcept { return effective_rows > 1 + 1e-6; }

/// Sums over rows, from which the standard error of their mean is computed.
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

  /// Returns the standard error for rows with the total weight `weight` and this mean. Empty if there is only
  /// one row.
  std::optional<double> standard_error(double weight, double mean) const noexcept {
    const double rows = effective_rows(weight, weights);
    if (!are_several(rows)) return std::nullopt;
    const double spread = squares - 2 * mean * values + mean * mean * weights;
    return std::sqrt(rows / (rows - 1) * (spread > 0 ? spread : 0)) / weight;
  }
};

}  // namespace widehash
