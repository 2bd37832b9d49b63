#pragma once

/// \file
/// What rows count for by the class of their target, beside their own weight:
///
///     weight of a row = w c(t)                  w its own, 1 without a `weight` in the schema; t its target
///     c(t) = (1 - f) c_k + f c_(k+1)            k = floor(t), f = t - k, c_k the weight of class k
///
/// so that a target of 0.3, a chance, is a share of the classes 0 and 1.

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace widehash {

/// As somebody asks for them.
struct ClassWeights {
  bool are_balanced = false;     // found in the rows: balanced_class_weights()
  std::vector<double> of_class;  // in the order of the classes; empty: 1 for each

  bool are_even() const noexcept { return !are_balanced && of_class.empty(); }
};

/// Larger ones would leave no room for weights of rows.
inline constexpr double max_class_weight = 1e9;

/// Reads "balanced" or numbers such as "1,10". Throws ConfigError where it is neither, and as
/// check_class_weights().
ClassWeights parse_class_weights(std::string_view text);
/// "1,10", as parse_class_weights() reads it.
std::string to_text(std::span<const double> of_class);

/// Throws ConfigError where a weight is not from 0 to max_class_weight, or all are 0.
void check_class_weights(std::span<const double> of_class);

/// c(t); 1 for a target that is of no class.
double class_weight(std::span<const double> of_class, double target) noexcept;

}  // namespace widehash
