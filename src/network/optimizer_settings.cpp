#include "named_kind.hpp"

#include <widehash/error.hpp>
#include <widehash/internal/json_parse.hpp>
#include <widehash/optimizer.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace widehash {
namespace {

constexpr detail::KindNames<OptimizerKind, 5> optimizer_names{{{OptimizerKind::ftrl, "ftrl"},
                                                               {OptimizerKind::adagrad, "adagrad"},
                                                               {OptimizerKind::adam, "adam"},
                                                               {OptimizerKind::rmsprop, "rmsprop"},
                                                               {OptimizerKind::sgd, "sgd"}}};

using Number = std::pair<const char*, double OptimizerSettings::*>;
constexpr std::array<Number, 11> numbers{{{"learning_rate", &OptimizerSettings::learning_rate},
                                          {"decay_steps", &OptimizerSettings::decay_steps},
                                          {"decay_start", &OptimizerSettings::decay_start},
                                          {"l1", &OptimizerSettings::l1},
                                          {"l2", &OptimizerSettings::l2},
                                          {"beta", &OptimizerSettings::beta},
                                          {"beta1", &OptimizerSettings::beta1},
                                          {"beta2", &OptimizerSettings::beta2},
                                          {"rho", &OptimizerSettings::rho},
                                          {"epsilon", &OptimizerSettings::epsilon},
                                          {"mean_weight", &OptimizerSettings::mean_weight}}};

void require(bool holds, const char* setting, double value, const char* want) {
  if (!holds) throw ConfigError(fmt::format("optimizer: {} is {}; it must be {}", setting, value, want));
}

/// The largest learning rate of a network with hidden layers.
double most_rate_of_layers(OptimizerKind kind, const RowShape& shape) noexcept {
  constexpr double usual = 0.1;
  constexpr double least = 0.03;
  if (kind != OptimizerKind::adagrad) return usual;
  if (shape.loss == LossKind::logistic || shape.loss == LossKind::softmax)
    return std::clamp(first_move_of_units / std::max<std::uint32_t>(shape.active_columns, 1), least, usual);
  return usual *
         std::min(1.0, std::sqrt(dense_weights_at_full_rate / static_cast<double>(shape.dense_weights)));
}

}  // namespace

const char* to_string(OptimizerKind kind) noexcept { return detail::name_of(optimizer_names, kind); }

OptimizerKind parse_optimizer(std::string_view name) {
  return detail::parse_kind(optimizer_names, "optimizer", name);
}

OptimizerSettings default_settings(OptimizerKind kind, const RowShape& shape) noexcept {
  OptimizerSettings settings;
  settings.kind = kind;
  // The first step moves each weight by about the learning rate, and so a row's sum by `active` times that.
  const double active = std::max<std::uint32_t>(shape.active_columns, 1);
  const bool is_squared = shape.loss == LossKind::mse;
  const bool is_counts = shape.loss == LossKind::poisson;
  const bool has_hidden = shape.dense_weights > 0;
  switch (kind) {
    case OptimizerKind::ftrl:
      settings.learning_rate = is_counts ? std::min(0.2, 1 / active) : std::min(0.4, 4 / active);
      break;
    case OptimizerKind::adagrad: {
      const double layers_share = has_hidden ? 0.5 : 1;
      settings.learning_rate = is_squared  ? std::min(0.8, layers_share * 4 / active)
                               : is_counts ? std::min(0.4, layers_share * 2 / active)
                                           : std::min(1.6, 16 / active);
      settings.learning_rate *=
          std::pow(std::max(1.0, static_cast<double>(shape.batch_size) / RowShape{}.batch_size), 0.25);
      // A first step of 8 / active would multiply counts by thousands, which adagrad never forgets.
      if (is_counts) settings.learning_rate = std::min(settings.learning_rate, 4 / active);
      // Hidden layers have a lower rate anyway and get worse with an even lower one. So do numbers without
      // noise.
      if (!has_hidden && !is_squared && !is_counts && shape.num_rows > 0) {
        settings.learning_rate *=
            std::min(1.0, std::cbrt(static_cast<double>(shape.num_rows) / rows_at_full_rate));
      }
      settings.epsilon = has_hidden ? 0.001 : 0.01;
      break;
    }
    case OptimizerKind::adam:
    case OptimizerKind::rmsprop:
      settings.learning_rate = std::min(0.01, 0.15 / active);
      settings.epsilon = 1e-8;
      break;
    case OptimizerKind::sgd:
      // The curvature of a row is at most 2 (1 + active), since the bias is a column too.
      settings.learning_rate =
          is_squared || is_counts ? 1 / (active + 1) / shape.most_step_weight : std::min(1.0, 20 / active);
      if (is_counts)
        settings.learning_rate = std::min(1.0, settings.learning_rate / std::max(0.1, shape.mean_target));
      break;
  }
  if (has_hidden) settings.learning_rate = std::min(settings.learning_rate, most_rate_of_layers(kind, shape));
  const bool prior_matters = shape.num_rows > 0 && shape.num_rows <= max_rows_with_prior;
  if (prior_matters && kind != OptimizerKind::ftrl) {
    const auto rows = static_cast<double>(shape.num_rows);
    settings.l2 = (shape.goes_on ? further_prior_precision : prior_precision) * shape.columns_per_value *
                  (has_hidden ? hidden_prior / (rows + hidden_prior_rows) : 1 / rows) *
                  std::max(1.0, shape.weight_noise);
  }
  if (is_counts) {
    // Scales all that is added to gradients, or to the root of their squares: gradients are as large as the
    // counts.
    const double size = std::clamp(shape.mean_target / rare_count, 1e-9, 1.0);
    settings.l2 *= size;
    settings.epsilon *= size;
    settings.beta *= size;
  }
  return settings;
}

double gradient_normaliser(const OptimizerSettings& settings, double weight,
                           std::uint64_t num_rows) noexcept {
  if (weight == 0 || settings.mean_weight == 0) return weight;
  return std::max(settings.mean_weight * static_cast<double>(num_rows), weight / heaviest_step);
}

double learning_rate_at(const OptimizerSettings& settings, std::uint64_t step) noexcept {
  if (settings.decay_steps <= 0) return settings.learning_rate;
  const double since = static_cast<double>(step) - settings.decay_start;
  const double done = std::max(std::min(since, settings.decay_steps), 1.0) - 1;
  return settings.learning_rate * (1 - done / settings.decay_steps);
}

void check_settings(const OptimizerSettings& s) {
  if (to_string(s.kind) == detail::no_name)
    throw ConfigError(fmt::format("optimizer: its kind is {}, which is not a value of its enumeration",
                                  static_cast<int>(s.kind)));
  for (const auto& [name, member] : numbers) require(std::isfinite(s.*member), name, s.*member, "finite");
  require(s.learning_rate > 0, "learning_rate", s.learning_rate, "above 0");
  require(s.decay_steps >= 0, "decay_steps", s.decay_steps, "0 or more");
  require(s.decay_start >= 0, "decay_start", s.decay_start, "0 or more");
  // A falling rate would move weights that no gradient touched, since FTRL's weights are a function of rate
  // and state.
  require(s.kind != OptimizerKind::ftrl || s.decay_steps == 0, "decay_steps", s.decay_steps, "0 for ftrl");
  require(s.mean_weight >= 0, "mean_weight", s.mean_weight, "0 or more");
  require(s.l1 >= 0, "l1", s.l1, "0 or more");
  require(s.l2 >= 0, "l2", s.l2, "0 or more");
  require(s.beta > 0, "beta", s.beta, "above 0");
  require(s.beta1 >= 0 && s.beta1 < 1, "beta1", s.beta1, "in [0, 1)");
  require(s.beta2 >= 0 && s.beta2 < 1, "beta2", s.beta2, "in [0, 1)");
  require(s.rho >= 0 && s.rho < 1, "rho", s.rho, "in [0, 1)");
  // Below the smallest normal float, epsilon would be 0 in float, and a coordinate that never moved would
  // give 0 / 0.
  require(s.epsilon >= 1e-30, "epsilon", s.epsilon, "1e-30 or more");
}

std::string to_json(const OptimizerSettings& settings) {
  nlohmann::ordered_json json;
  json["kind"] = to_string(settings.kind);
  for (const auto& [name, member] : numbers) json[name] = settings.*member;
  for (const char* name : {"decay_start", "mean_weight"}) {
    if (json[name] == 0.0) json.erase(name);
  }
  return json.dump();
}

OptimizerSettings parse_optimizer_settings(const std::string& json_text) {
  const auto json = detail::is_shallow_json(json_text) ? nlohmann::json::parse(json_text, nullptr, false)
                                                       : nlohmann::json();
  if (!json.is_object() || !json.contains("kind") || !json["kind"].is_string()) {
    throw ConfigError("optimizer settings: not a JSON object with a kind: " + json_text);
  }
  OptimizerSettings settings = default_settings(parse_optimizer(json["kind"].get<std::string>()));
  for (const auto& [key, value] : json.items()) {
    if (key == "kind") continue;
    double OptimizerSettings::*member = nullptr;
    for (const auto& [name, known] : numbers) {
      if (key == name) member = known;
    }
    if (member == nullptr) throw ConfigError(fmt::format("optimizer settings: unknown key '{}'", key));
    if (!value.is_number()) throw ConfigError(fmt::format("optimizer settings: '{}' must be a number", key));
    settings.*member = value.get<double>();
  }
  check_settings(settings);
  return settings;
}

int num_states(OptimizerKind kind) noexcept {
  switch (kind) {
    case OptimizerKind::sgd:
      return 0;
    case OptimizerKind::adagrad:
    case OptimizerKind::rmsprop:
      return 1;
    case OptimizerKind::adam:
    case OptimizerKind::ftrl:
      return 2;
  }
  return 0;
}

bool needs_dense_update(const OptimizerSettings& settings) noexcept {
  switch (settings.kind) {
    case OptimizerKind::ftrl:
      return false;
    case OptimizerKind::adam:
    case OptimizerKind::rmsprop:
      return true;
    case OptimizerKind::adagrad:
    case OptimizerKind::sgd:
      break;
  }
  return settings.l1 > 0 || settings.l2 > 0;
}

}  // namespace widehash
