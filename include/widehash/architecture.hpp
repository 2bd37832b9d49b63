#pragma once

/// \file
/// What a network is made of: `num_columns -> hidden[0] -> ... -> outputs`, the first arrow a sparse
/// gather-sum, the rest dense, an activation after every hidden layer, the loss's link after the last.

#include <widehash/activation.hpp>
#include <widehash/code_layout.hpp>
#include <widehash/loss.hpp>
#include <widehash/target_units.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace widehash {

inline constexpr std::uint32_t max_layer_units = 1u << 20;

struct Architecture {
  std::uint64_t num_columns = 0;
  std::vector<std::uint32_t> hidden;  // units of each hidden layer; empty: the linear wide model
  std::uint32_t outputs = 1;
  ActivationKind activation = ActivationKind::relu;
  LossKind loss = LossKind::logistic;
  std::uint64_t seed = 0;
  /// Columns a row usually sets; scales the initial first layer. See active_columns().
  std::uint32_t active_columns = 1;
  /// Of the output of an mse network of one; plain for all others. Initial parameters do not depend on them.
  TargetUnits target_units = {};
  /// What the biases of the outputs start at, [outputs]; empty for 0. No part of a model that is saved, which has the
  /// biases themselves. See first_output_bias() in train.hpp.
  std::vector<double> first_output_bias = {};

  /// Units of the first layer: hidden[0], or `outputs` of a linear model.
  std::uint32_t first_units() const noexcept { return hidden.empty() ? outputs : hidden.front(); }
  bool operator==(const Architecture&) const = default;
};

/// Throws ConfigError where a size is 0 or too large, softmax has one output, there are target units that mean
/// nothing or that the loss has no use for, or first biases that are not one finite number an output.
void check_architecture(const Architecture& architecture);

/// "none" -> {}; "auto" -> one layer of int(num_columns^0.3) units, at least 1; "32,16" -> {32, 16}.
/// Throws ConfigError that quotes the text.
std::vector<std::uint32_t> parse_hidden(const std::string& text, std::uint64_t num_columns);

/// Weights of the layers behind the first; 0 of the linear model.
std::uint64_t dense_weights(std::span<const std::uint32_t> hidden, std::uint32_t outputs) noexcept;

/// Columns that a row of `layout` sets, multi-valued features counted as one value. At least 1.
std::uint32_t active_columns(const CodeLayout& layout) noexcept;

/// Columns that a value sets, on average over the features that have columns: 4 of four-split ones, 1 of others.
double columns_per_value(const CodeLayout& layout) noexcept;

}  // namespace widehash
