#pragma once

/// \file
/// From the chances of rows weighted by their class to those of the rows as they are. Weights c_k make class k so many
/// times as likely, and the chance of it
///
///     q_k = c_k p_k / (c_0 p_0 + c_1 p_1 + ...)         p_k without them
///
/// (Elkan 2001, "The foundations of cost-sensitive learning"), so that with the biases b of the outputs
///
///     softmax: b_k - ln c_k;       logistic, one output: b - ln(c_1 / c_0)
///
/// have the chances p. Exact where labels are classes, and no chances themselves.

#include <widehash/model.hpp>

#include <span>
#include <string>

namespace widehash {

/// Moves the biases of all towers so; nothing where `of_class`, those of the training, is empty. Throws ConfigError
/// naming `model` where a weight is 0, for nothing is known of a class then, or where the outputs are no chances that
/// add up to 1. Cost: O(classes).
void undo_class_weights(Ensemble<float>& ensemble, std::span<const double> of_class,
                        const std::string& model);

}  // namespace widehash
