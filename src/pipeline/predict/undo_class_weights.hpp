#pragma once

/// \file
/// Turns the probabilities for rows weighted by their class into those for the rows as they are. Weights c_k
/// make class k c_k times as likely, so that its probability becomes
///
///     q_k = c_k p_k / (c_0 p_0 + c_1 p_1 + ...)         p_k the probability without weights
///
/// (Elkan 2001, "The foundations of cost-sensitive learning"). The outputs have the probabilities p when
/// their biases b become
///
///     softmax: b_k - ln c_k;       logistic, one output: b - ln(c_1 / c_0)
///
/// Exact where labels are classes rather than probabilities.

#include <widehash/model.hpp>

#include <span>
#include <string>

namespace widehash {

/// Moves the biases of all towers accordingly. Does nothing where `of_class`, the class weights of the
/// training, is empty. Throws ConfigError naming `model` where a weight is 0, since nothing is known about
/// that class, or where the outputs are not probabilities that add up to 1. Cost: O(classes).
void undo_class_weights(Ensemble<float>& ensemble, std::span<const double> of_class,
                        const std::string& model);

}  // namespace widehash
