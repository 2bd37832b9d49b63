#pragma once

/// \file
/// What a user may say about a training and what is chosen where nothing is said: the defaults of the program
/// and of the Python package.

#include <widehash/parallel_settings.hpp>
#include <widehash/train.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace widehash {

/// Empty: to be chosen.
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

/// `options` with its optimizer and batch size as chosen. What is empty depends on the rows of
/// `options.datasets` and on the network, which is that of `options.from` where there is one: the kind of
/// optimizer is that model's, otherwise adagrad; the batch size default_batch_size(); settings are those of
/// default_settings(), to which for sgd a numeric column is as many columns as the mean square of its numbers.
/// Class weights that are not given are those of the training that is resumed, or of the model that it starts from.
/// A training that is resumed keeps its optimizer, with all settings, and the rows of its steps. Reads the heads of
/// the dataset and of the models; of a new training also some of the rows: for sgd numbers and weights, and
/// where rows are ragged how many columns they set. Throws what Dataset and ModelFile throw; ConfigError for a
/// setting that the optimizer does not have.
TrainOptions with_defaults(TrainOptions options, const TrainChoices& choices);

/// Refuses an activation that was given where a new network has no hidden layer for it. Throws ConfigError.
void check_activation(const std::string& hidden);

/// Refuses what a model to start from has settled already. `of_new_networks` are the options given that are
/// only of a new network, such as "--hidden". Throws ConfigError.
void check_start(const std::string& from, std::span<const std::string> of_new_networks);

/// Refuses ways of mixing where nothing is mixed that way. Throws ConfigError.
void check_mixing(const ParallelSettings& settings);

}  // namespace widehash
