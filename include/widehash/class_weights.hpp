#pragma once

/// \file
/// Weights of rows by the class of their target, in addition to each row's own weight:
///
///     weight of a row = w c(t)                  w: its own weight, 1 if the schema has no `weight`; t: its target
///     c(t) = (1 - f) c_k + f c_(k+1)            k = floor(t), f = t - k, c_k the weight of class k
///
/// A target of 0.3, a probability, thus belongs partly to class 0 and partly to class 1.

#include <widehash/schema.hpp>

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace widehash {

/// Class weights as a user requests them.
struct ClassWeights {
  bool are_balanced = false;          // computed from the rows: balanced_class_weights()
  std::vector<double> of_class = {};  // in class order; empty: 1 for each
  /// Weights by a text that the label has for the class, used in place of `of_class`. Classes not named weigh
  /// 1.
  std::vector<std::pair<std::string, double>> by_name = {};

  bool are_even() const noexcept { return !are_balanced && of_class.empty() && by_name.empty(); }
};

/// The largest class weight. Larger ones would leave no room for weights of rows.
inline constexpr double max_class_weight = 1e9;

/// Parses "balanced", a list of numbers such as "1,10", or class names with weights such as "yes=10,no=1".
/// Throws ConfigError if `text` is none of these, and like check_class_weights().
ClassWeights parse_class_weights(std::string_view text);
/// Writes weights in the form that parse_class_weights() reads: "1,10".
std::string to_text(std::span<const double> of_class);

/// Returns ClassWeights::by_name in the class order of `label`. The classes of a number label are 0 and 1,
/// those of a binary label negative and positive. Throws ConfigError if a text names no class or a class
/// is named twice, and like check_class_weights().
std::vector<double> class_weights_by_name(std::span<const std::pair<std::string, double>> by_name,
                                          const Label& label);

/// Throws ConfigError if a weight is not from 0 to max_class_weight, or if all weights are 0.
void check_class_weights(std::span<const double> of_class);

/// Returns c(t), or 1 if the target belongs to no class.
double class_weight(std::span<const double> of_class, double target) noexcept;

}  // namespace widehash
