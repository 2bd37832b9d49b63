#pragma once

/// \file
/// The shape of a network: `num_columns -> hidden[0] -> ... -> outputs`. The first arrow is a sparse
/// gather-sum, the others are dense. An activation follows every hidden layer, and the link function of the
/// loss follows the last layer.

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
  /// Columns that a row usually sets. Scales the initial first layer. See active_columns().
  std::uint32_t active_columns = 1;
  /// Target units of the output of an mse network with one output; plain for all other networks. The initial
  /// parameters do not depend on them.
  TargetUnits target_units = {};
  /// Initial biases of the outputs, [outputs]; empty: all 0. Not stored in a saved model, which contains the
  /// biases themselves. See first_output_bias() in train.hpp.
  std::vector<double> first_output_bias = {};

  /// Units of the first layer: hidden[0], or `outputs` for a linear model.
  std::uint32_t first_units() const noexcept { return hidden.empty() ? outputs : hidden.front(); }
  /// Units of the layer after hidden layer `layer`: of the next hidden layer, or of the output.
  std::uint32_t units_after(std::size_t layer) const noexcept {
    return layer + 1 < hidden.size() ? hidden[layer + 1] : outputs;
  }
  bool operator==(const Architecture&) const = default;
};

/// Throws ConfigError if a size is 0 or too large, if softmax has fewer than two outputs, if the target units
/// are invalid or the loss does not use them, or if the initial biases are not one finite number per output.
void check_architecture(const Architecture& architecture);

/// Parses hidden layers: "none" -> {}; "32,16" -> {32, 16}; "auto" -> one layer of int(num_columns^0.3)
/// units, at least 1. Throws ConfigError, quoting the text, for anything else.
std::vector<std::uint32_t> parse_hidden(const std::string& text, std::uint64_t num_columns);

/// Number of weights of the layers after the first; 0 for the linear model.
std::uint64_t dense_weights(std::span<const std::uint32_t> hidden, std::uint32_t outputs) noexcept;

/// Columns that a row of `layout` sets, counting a multi-valued feature as one value. At least 1.
std::uint32_t active_columns(const CodeLayout& layout) noexcept;

/// Columns that one value sets, averaged over the features that have columns: 4 for a four-split feature, 1
/// for the others.
double columns_per_value(const CodeLayout& layout) noexcept;

}  // namespace widehash
