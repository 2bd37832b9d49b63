#include "predict/class_weights_note.hpp"
#include "sampled_rows.hpp"
#include "training_job.hpp"
#include "training_start.hpp"
#include "weight_noise.hpp"

#include <widehash/error.hpp>
#include <widehash/launcher.hpp>
#include <widehash/model.hpp>
#include <widehash/train_choices.hpp>
#include <widehash/trained_class_weights.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include <fmt/format.h>

namespace widehash {
namespace {

void choose(const TrainChoices& choices, OptimizerSettings& settings) {
  settings.learning_rate = choices.learning_rate.value_or(settings.learning_rate);
  settings.l1 = choices.l1.value_or(settings.l1);
  settings.l2 = choices.l2.value_or(settings.l2);
  settings.beta = choices.beta.value_or(settings.beta);
  settings.beta1 = choices.beta1.value_or(settings.beta1);
  settings.beta2 = choices.beta2.value_or(settings.beta2);
  settings.rho = choices.rho.value_or(settings.rho);
  settings.epsilon = choices.epsilon.value_or(settings.epsilon);
}

/// Throws ConfigError for a setting that the optimizer would ignore.
void require_settings_of(OptimizerKind kind, const TrainChoices& choices) {
  using enum OptimizerKind;
  struct Setting {
    const char* option;
    bool is_given;
    std::vector<OptimizerKind> rules;
  };
  const std::array<Setting, 5> settings{
      {{"--beta", choices.beta.has_value(), {ftrl}},
       {"--beta1", choices.beta1.has_value(), {adam}},
       {"--beta2", choices.beta2.has_value(), {adam}},
       {"--rho", choices.rho.has_value(), {rmsprop}},
       {"--epsilon", choices.epsilon.has_value(), {adagrad, adam, rmsprop}}}};
  for (const Setting& setting : settings) {
    if (!setting.is_given || std::ranges::find(setting.rules, kind) != setting.rules.end()) continue;
    throw ConfigError(fmt::format(
        "train: {} is a setting of {}, but the optimizer is {}; leave it out, or choose --optimizer {}",
        setting.option, to_string(setting.rules.front()), to_string(kind), to_string(setting.rules.front())));
  }
}

/// Returns the number of devices that each take a batch in a step. Assumes that all processes have as many as this one.
std::uint64_t num_towers(const TrainOptions& options) {
  if (options.parallel.mode != ParallelMode::tower) return 1;
  return std::max<std::uint64_t>(options.devices.size(), 1) * launch().processes;
}

/// Reads the header of a file to continue from; nothing for "".
std::optional<ModelHeader> header_of(const std::string& path) {
  if (path.empty()) return {};
  return read_model_header<float>(path);
}

/// Returns the rows per step of a training to continue; 0 where its notes do not say.
std::uint64_t rows_to_a_step(const std::string& path, const ModelHeader& header) {
  return read_notes(path, header)
      .value("settings", TrainingNotes::object())
      .value("batch_size", std::uint64_t{0});
}

/// Returns the class weights of the training to resume as they were noted, since it has to be the same
/// training; otherwise those of the model to start from, where they change something.
std::vector<double> class_weights_to_keep(const std::string& resumed, const std::string& from) {
  return resumed.empty() ? trained_class_weights(from)
                         : noted_class_weights(read_model_header<float>(resumed).training);
}

/// Returns a row's mean squared length as a number of columns: a number counts its square. For sgd, the only
/// optimizer that does not look at the size of gradients.
std::uint32_t squared_length(const Dataset& dataset) {
  const CodeLayout& layout = *dataset.layout();
  const double others = static_cast<double>(active_columns(dataset)) - layout.number_stride;
  double sum = 0;
  double count = 0;
  for_each_sampled_row(
      dataset,
      [&](const CodeBatchView& rows, std::size_t row, double share) {
        count += share;
        for (std::size_t i = 0; i < layout.number_stride; ++i) {
          const double number = rows.numbers[row * layout.number_stride + i];
          sum += share * number * number;
        }
      },
      most_sampled_rows / std::max<std::uint64_t>(layout.number_stride, 1));
  const double length = others + (count > 0 ? sum / count : 0);
  return static_cast<std::uint32_t>(std::clamp(std::round(length), 1.0, 1e9));
}

/// Returns RowShape::most_step_weight.
double most_step_weight(const Dataset& dataset) {
  const RowWeights weights = row_weights(dataset);
  return weights.mean > 0 ? std::clamp(weights.heaviest / weights.mean, 1.0, heaviest_step) : 1;
}

}  // namespace

TrainOptions with_defaults(TrainOptions options, const TrainChoices& choices) {
  const std::string path = file_to_resume(options);
  if (options.class_weights.are_even() && !(path.empty() && options.from.empty()))
    options.class_weights.of_class = class_weights_to_keep(path, options.from);
  const Dataset dataset = training_data(options);
  // Counting the rows of each class takes a pass over the data, which the training would repeat.
  if (options.class_weights.are_balanced) options.class_weights = {.of_class = dataset.class_weights()};
  const std::optional<ModelHeader> resumed = header_of(path);
  const std::optional<ModelHeader> from = header_of(options.from);
  const OptimizerKind usual_kind = resumed ? resumed->optimizer.kind
                                   : from  ? from->optimizer.kind
                                           : OptimizerSettings{}.kind;
  const OptimizerKind kind = choices.optimizer.value_or(usual_kind);
  require_settings_of(kind, choices);

  const std::uint64_t towers = num_towers(options);
  const std::vector<std::uint32_t> hidden =
      from ? from->architecture.hidden : parse_hidden(options.hidden, dataset.layout()->num_columns);
  const std::uint64_t usual_batch =
      default_batch_size(dataset.num_rows(), !hidden.empty(), options.epochs, towers);
  // The training may have begun with a different number of epochs, and on other devices.
  const std::uint64_t resumed_batch = resumed ? rows_to_a_step(path, *resumed) / towers : 0;
  options.batch_size = choices.batch_size.value_or(resumed_batch > 0 ? resumed_batch : usual_batch);

  if (resumed && resumed->optimizer.kind == kind) {
    options.optimizer = resumed->optimizer;
    // Recomputed from the epochs and the steps.
    options.optimizer.decay_steps = 0;
    options.optimizer.decay_start = 0;
  } else {
    const LossKind loss = from ? from->architecture.loss : loss_of(options, *dataset.layout());
    const bool is_sgd = kind == OptimizerKind::sgd;
    const bool is_squared = loss == LossKind::mse;
    const bool is_counts = loss == LossKind::poisson;
    const std::uint32_t outputs = std::max<std::uint32_t>(dataset.layout()->num_classes, 1);
    const bool counts_numbers = is_sgd && dataset.layout()->number_stride > 0;
    options.optimizer = default_settings(
        kind, {.active_columns = counts_numbers ? squared_length(dataset) : active_columns(dataset),
               .num_rows = dataset.num_rows(),
               .dense_weights = dense_weights(hidden, outputs),
               // Larger batches than usual make few steps, and a training of few steps can go astray at a
               // high rate.
               .batch_size = std::min(options.batch_size, usual_batch),
               .loss = loss,
               // Only sgd could diverge because of heavy steps.
               .most_step_weight = is_sgd && (is_squared || is_counts) ? most_step_weight(dataset) : 1,
               .mean_target = is_counts && dataset.layout()->has_targets ? target_units(dataset).shift : 1,
               .goes_on = from.has_value(),
               .columns_per_value = columns_per_value(*dataset.layout()),
               // With more classes, a stronger prior does harm where features separate them well.
               .weight_noise = loss == LossKind::logistic && outputs == 1 ? weight_noise(dataset) : 1});
  }
  choose(choices, options.optimizer);
  return options;
}

void check_activation(const std::string& hidden) {
  if (hidden != "none") return;
  throw ConfigError(
      "train: --activation is for hidden layers, but there are none; add --hidden, or leave it out");
}

void check_start(const std::string& from, std::span<const std::string> of_new_networks) {
  if (from.empty()) {
    throw ConfigError(
        "train: --from is empty; name the model to start from, or leave --from out to start from scratch");
  }
  if (of_new_networks.empty()) return;
  throw ConfigError(
      fmt::format("train: {} is for a new network, but the model of --from {} already has its layers and "
                  "loss; leave out one of the two",
                  of_new_networks.front(), from));
}

void check_mixing(const ParallelSettings& settings) {
  const bool is_tower = settings.mode == ParallelMode::tower;
  if (!is_tower && settings.mix != Mix::gradients) {
    throw ConfigError("train: --mix says how towers are brought together; add --parallel tower");
  }
  if (settings.mix_every != 1 && !(is_tower && settings.mix == Mix::parameters)) {
    throw ConfigError(
        "train: --mix-every is for towers that mix parameters; add --parallel tower --mix parameters");
  }
  if (settings.mix_every == 0) throw ConfigError("train: --mix-every must be at least 1");
}

}  // namespace widehash
