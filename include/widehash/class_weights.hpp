#pragma once

/// \file
/// What rows count for by the class of their target, beside their own weight:
///
///     weight of a row = w c(t)                  w its own, 1 without a `weight` in the schema; t its target
///     c(t) = (1 - f) c_k + f c_(k+1)            k = floor(t), f = t - k, c_k the weight of class k
///
/// so that a target of 0.3, a chance, is a share of the classes 0 and 1.

#include <widehash/schema.hpp>

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace widehash {

/// As somebody asks for them.
struct ClassWeights {
  bool are_balanced = false;          // found in the rows: balanced_class_weights()
  std::vector<double> of_class = {};  // in the order of the classes; empty: 1 for each
  /// Of classes by a text that the label has for them, in place of `of_class`; the others weigh 1.
  std::vector<std::pair<std::string, double>> by_name = {};

  bool are_even() const noexcept { return !are_balanced && of_class.empty() && by_name.empty(); }
};

/// Larger ones would leave no room for weights of rows.
inline constexpr double max_class_weight = 1e9;

/// Reads "balanced", numbers such as "1,10", or names of classes with theirs such as "yes=10,no=1". Throws ConfigError
/// where it is none of these, and as check_class_weights().
ClassWeights parse_class_weights(std::string_view text);
/// "1,10", as parse_class_weights() reads it.
std::string to_text(std::span<const double> of_class);

/// ClassWeights::by_name in the order of the classes of `label`: of a number those are 0 and 1, and of two classes
/// negative and positive. Throws ConfigError for a text that is of no class, and for a class that is named twice.
std::vector<double> class_weights_by_name(std::span<const std::pair<std::string, double>> by_name,
                                          const Label& label);

/// Throws ConfigError where a weight is not from 0 to max_class_weight, or all are 0.
void check_class_weights(std::span<const double> of_class);

/// c(t); 1 for a target that is of no class.
double class_weight(std::span<const double> of_class, double target) noexcept;

}  // namespace widehash
