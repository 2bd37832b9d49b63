#pragma once

/// \file
/// What a user may choose about a training run, and what is chosen otherwise: the defaults of the program and
/// of the Python package.

#include <widehash/parallel_settings.hpp>
#include <widehash/train.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace widehash {

/// Choices of the user; empty ones are filled in by with_defaults().
struct TrainChoices {
  std::optional<OptimizerKind> optimizer = {};
  std::optional<double> learning_rate = {};
  std::optional<double> l1 = {};
  std::optional<double> l2 = {};
  std::optional<double> beta = {};
  std::optional<double> beta1 = {};
  std::optional<double> beta2 = {};
  std::optional<double> rho = {};
  std::optional<double> epsilon = {};
  std::optional<std::uint64_t> batch_size = {};
};

/// Returns `options` with the optimizer and batch size that were chosen. What is empty depends on the rows of
/// `options.datasets` and on the network, which comes from `options.from` if that is given. The kind of
/// optimizer is taken from that model, otherwise adagrad; the batch size is default_batch_size(); the
/// settings come from default_settings(), where for sgd a numeric column counts as many columns as the
/// mean square of its numbers. Class weights that are not given come from the training run that is resumed,
/// or from the starting model. A resumed training run keeps its optimizer with all settings, and its rows per
/// step. Reads the heads of the dataset and of the models; for a new training run also some of the rows:
/// numbers and weights for sgd, how many columns ragged rows set, targets for poisson, and targets and
/// weights for logistic with row weights. Throws what Dataset and ModelFile throw; ConfigError for a setting
/// that the optimizer does not have.
TrainOptions with_defaults(TrainOptions options, const TrainChoices& choices);

/// Throws ConfigError if an activation was given for a new network without a hidden layer.
void check_activation(const std::string& hidden);

/// Throws ConfigError for options that a starting model has already settled. `of_new_networks` are the given
/// options that apply only to a new network, such as "--hidden".
void check_start(const std::string& from, std::span<const std::string> of_new_networks);

/// Throws ConfigError for a way of mixing that the parallel mode does not use.
void check_mixing(const ParallelSettings& settings);

}  // namespace widehash
