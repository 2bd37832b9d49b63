#include "training_job.hpp"

#include "only_target.hpp"
#include "own_rows.hpp"
#include "predict/class_weights_note.hpp"
#include "predict/dataset_match.hpp"
#include "training_difference.hpp"
#include "training_memory.hpp"
#include "training_start.hpp"

#include <widehash/checksum.hpp>
#include <widehash/error.hpp>
#include <widehash/internal/dataset_places.hpp>
#include <widehash/internal/file.hpp>
#include <widehash/internal/file_names.hpp>
#include <widehash/internal/read_places.hpp>
#include <widehash/internal/usable_memory.hpp>
#include <widehash/loss.hpp>
#include <widehash/train.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <span>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace widehash {
namespace {

void require_apart_from_start(const std::string& output, const std::string& from) {
  if (from.empty()) return;
  try {
    require_apart(output, {{from}, {}});
  } catch (const ConfigError& error) {
    throw ConfigError(
        fmt::format("{}, and move it over {} when it is finished: until then the training can only be "
                    "started again from that file",
                    error.what(), from));
  }
}

void require_profile_apart(const TrainOptions& options) {
  if (options.profile.empty()) return;
  std::error_code ignored;
  const auto place = [&](const std::string& path) {
    return std::filesystem::weakly_canonical(behind_links(path), ignored);
  };
  const std::string checkpoint = TrainingJob::checkpoint_path_of(options.model);
  const std::array<std::pair<std::string, const char*>, 5> taken{
      {{options.model, "the model"},
       {checkpoint, "the checkpoint of the model"},
       {lock_path_of(options.model), "the lock of the model"},
       {aside_path_of(options.model), "the model while it is written"},
       {aside_path_of(checkpoint), "the checkpoint while it is written"}}};
  for (const auto& [path, what] : taken) {
    if (place(options.profile) != place(path)) continue;
    throw ConfigError(
        fmt::format("{}: the trace and {} cannot be the same file; choose another file for the trace",
                    options.profile, what));
  }
}

void require_outputs_apart(const TrainOptions& options, const ReadPlaces& read) {
  for (const std::string& output :
       {options.model, TrainingJob::checkpoint_path_of(options.model), options.profile}) {
    if (!output.empty()) require_apart(output, read);
  }
}

TrainOptions checked(const TrainOptions& options) {
  if (options.batch_size == 0) throw ConfigError("the batch size (--batch-size) must be at least 1");
  if (options.epochs == 0) throw ConfigError("the number of epochs (--epochs) must be at least 1");
  if (options.model.empty()) throw ConfigError("a path for the model is needed");
  if (options.early_stop > 0 && options.valid.empty()) {
    throw ConfigError("early stopping needs a dataset to judge by: give one with --valid");
  }
  check_settings(options.optimizer);
  ReadPlaces read{{}, options.datasets};
  read.folders.insert(read.folders.end(), options.valid.begin(), options.valid.end());
  require_outputs_apart(options, read);
  for (const std::string& output :
       {options.model, TrainingJob::checkpoint_path_of(options.model), options.profile}) {
    if (!output.empty()) require_apart_from_start(output, options.from);
  }
  require_profile_apart(options);
  return options;
}

/// The checksums of the shards stand for the rows themselves.
std::string rows_checksum(const Dataset& dataset) {
  ChecksumStream rows;
  for (const ManifestShard& shard : dataset.manifest().shards)
    rows.add(std::as_bytes(std::span(&shard.checksum, 1)));
  return to_hex(rows.value());
}

/// Throws ConfigError where towers would take more rows per step than can be counted.
std::uint64_t checked_rows_per_step(const TrainOptions& options, int world_size) {
  if (options.batch_size >
      std::numeric_limits<std::uint64_t>::max() / static_cast<std::uint64_t>(world_size)) {
    throw ConfigError(fmt::format("a batch size of {} is too large for {} devices; lower it",
                                  options.batch_size, world_size));
  }
  return rows_per_step(options.parallel, options.batch_size, world_size);
}

}  // namespace

Dataset training_data(const TrainOptions& options) {
  Dataset dataset = join_datasets(options.datasets);
  const ClassWeights& weights = options.class_weights;
  if (weights.are_even() || !dataset.layout()->has_targets) return dataset;
  dataset.weigh_classes(weights.are_balanced ? balanced_class_weights(dataset)
                        : !weights.by_name.empty()
                            ? class_weights_by_name(weights.by_name, dataset.schema().label)
                            : weights.of_class);
  return dataset;
}

LossKind loss_of(const TrainOptions& options, const CodeLayout& rows) {
  return options.loss.value_or(rows.num_classes > 0 ? LossKind::softmax : LossKind::logistic);
}

TrainingJob::TrainingJob(const TrainOptions& options, int world_size)
    : options_(checked(options)),
      dataset_(training_data(options)),
      rows_per_step_(checked_rows_per_step(options, world_size)),
      world_size_(static_cast<std::uint64_t>(world_size)) {
  require_outputs_apart(options_, places_of(dataset_));  // nor may they replace what it was made from
  if (!dataset_.layout()->has_targets) {
    throw ConfigError(
        fmt::format("{}: was encoded without a label; name the label in the schema and transform again",
                    dataset_.name()));
  }
  if (dataset_.num_rows() == 0)
    throw DataError(dataset_.name(), 0, "has no rows to train on; give a dataset that has some");
  if (dataset_.layout()->num_columns == 0) {
    throw ConfigError(
        fmt::format("{}: its schema ignores every feature, so there are no columns to train on; "
                    "encode some of them and transform again",
                    dataset_.name()));
  }
  require_weight(dataset_, "train on");
  require_rows_for_towers(world_size);
  from_ = open_from();
  take_rules();
  architecture_ = make_architecture();
  require_classes();
  require_training_memory(options_, architecture_, world_size, usable_memory_bytes());
  source_ = source_of(dataset_, read_text_file(in_folder(dataset_.directory(), schema_name)));
  if (!options_.valid.empty()) {
    valid_.emplace(join_datasets(options_.valid));
    require_outputs_apart(options_, places_of(*valid_));
    if (valid_->num_rows() == 0) throw DataError(valid_->name(), 0, "has no rows to judge by");
    require_same_encoding(source_, dataset_.directory(), *valid_);
    if (!dataset_.class_weights().empty() && valid_->layout()->has_targets)
      valid_->weigh_classes(dataset_.class_weights());
    require_weight(*valid_, "judge by");
    check_valid_targets();
  }
  set_decay();
  source_.column_means = column_means(dataset_);
  settings_ = make_settings();
  if (valid_) valid_rows_ = rows_checksum(*valid_);
  only_target_ = only_target(dataset_);
  own_rows_ = rows_in_both(options_.datasets, options_.valid);
  repeated_rows_ = rows_in_two(options_.datasets);
}

void TrainingJob::require_rows_for_towers(int world_size) const {
  if (!is_ensemble(options_.parallel) || dataset_.num_rows() >= static_cast<std::uint64_t>(world_size))
    return;
  throw ConfigError(
      fmt::format("{}: has {} row{}, but each of {} towers that mix predictions needs rows of its own; name "
                  "fewer devices",
                  dataset_.name(), dataset_.num_rows(), dataset_.num_rows() == 1 ? "" : "s", world_size));
}

void TrainingJob::check_valid_targets() const {
  if (!valid_->layout()->has_targets) return;
  for (std::size_t i = 0; i < valid_->num_shards(); ++i) {
    const Shard shard = valid_->open_stored_shard(i, false);
    check_targets(architecture_.loss, architecture_.outputs, shard.view().targets, valid_->shard_path(i));
  }
}

void TrainingJob::require_classes() const {
  const MetricTask task = metric_task(architecture_);
  const bool is_of_numbers = task == MetricTask::regression || task == MetricTask::counts;
  if (dataset_.class_weights().empty() || !is_of_numbers) return;
  throw ConfigError(fmt::format(
      "class weights are for labels of classes, but {} takes this one as a number; leave them out",
      to_string(architecture_.loss)));
}

std::unique_ptr<const ModelFile<float>> TrainingJob::open_from() const {
  if (options_.from.empty()) return nullptr;
  auto file = std::make_unique<const ModelFile<float>>(open_model<float>(options_.from));
  require_same_encoding(file->header().source, options_.from, dataset_);
  return file;
}

bool TrainingJob::keeps_state() const noexcept {
  return from_ != nullptr && from_->header().optimizer.kind == options_.optimizer.kind;
}

void TrainingJob::set_decay() {
  if (!options_.decay_learning_rate || options_.optimizer.kind == OptimizerKind::ftrl) return;
  options_.optimizer.decay_steps =
      static_cast<double>(options_.epochs) * static_cast<double>(steps().num_batches());
  // Towers that mix predictions may be a few steps apart.
  if (keeps_state())
    options_.optimizer.decay_start = static_cast<double>(std::ranges::max(from_->header().steps));
}

void TrainingJob::take_rules() {
  const std::string path = file_to_resume(options_);
  if (path.empty()) {
    rules_ = StepRules::of(dataset_);
  } else {
    const ModelHeader header = read_model_header<float>(path);
    rules_ = StepRules::of(read_notes(path, header).value("settings", TrainingNotes::object()));
    resumed_units_ = header.architecture.target_units;
  }
  options_.optimizer.mean_weight = rules_.mean_weight;
}

BatchCut TrainingJob::steps() const noexcept {
  // Towers that never meet need rows of their own in every step.
  return rules_.cut(dataset_.num_rows(), rows_per_step_, is_ensemble(options_.parallel) ? world_size_ : 1);
}

Architecture TrainingJob::make_architecture() const {
  if (from_ != nullptr) return from_->header().architecture;
  const CodeLayout& layout = *dataset_.layout();
  const LossKind loss = loss_of(options_, layout);
  if (loss == LossKind::softmax && layout.num_classes == 0) {
    throw ConfigError(
        "softmax needs a label of classes: label = { field = \"...\", classes = [...] } in the schema");
  }
  if (loss == LossKind::poisson && layout.num_classes > 0) {
    throw ConfigError(
        "poisson is for counts and rates, but the label of the schema has classes; write label = \"FIELD\" "
        "there to use it as a number");
  }
  Architecture architecture;
  architecture.num_columns = layout.num_columns;
  architecture.hidden = parse_hidden(options_.hidden, layout.num_columns);
  architecture.outputs = std::max<std::uint32_t>(layout.num_classes, 1);
  architecture.activation = options_.activation;
  architecture.loss = loss;
  architecture.seed = options_.seed;
  architecture.active_columns = active_columns(dataset_);
  if (loss == LossKind::mse && architecture.outputs == 1)
    architecture.target_units = resumed_units_ ? *resumed_units_ : target_units(dataset_);
  // A training that is resumed already has its biases.
  if (!resumed_units_) {
    architecture.first_output_bias = first_output_bias(dataset_, architecture, options_.optimizer.kind);
  }
  check_architecture(architecture);
  return architecture;
}

// Everything that a resumed run must share with the training that it continues. The number of devices that
// share a step, and how they share it, is not included; the rows of a step are.
TrainingNotes TrainingJob::make_settings() const {
  TrainingNotes settings;
  settings["batch_size"] = rows_per_step_;
  settings["seed"] = options_.seed;
  settings["shuffle"] = options_.shuffle;
  settings["rows"] = dataset_.num_rows();
  rules_.put(settings);
  settings["data"] = rows_checksum(dataset_);
  if (!dataset_.class_weights().empty()) settings[class_weights_key] = dataset_.class_weights();
  if (from_ != nullptr) settings["from"] = to_hex(from_->checksum());
  return settings;
}

void TrainingJob::require_resumable(const ModelFile<float>& file) const {
  const std::string& path = file.path();
  const ModelHeader& header = file.header();
  require_same_encoding(header.source, path, dataset_);
  const TrainingNotes training = read_notes(path, header);
  const TrainingNotes before = training.value("settings", TrainingNotes());
  const std::uint64_t rows_before = before.value("batch_size", rows_per_step_);
  // First: a batch size for it would lead nowhere.
  if (is_ensemble(options_.parallel) && header.num_towers() > 1 && header.num_towers() != world_size_) {
    throw ConfigError(
        fmt::format("{}: has {} independent towers, but this training has {}; resume on as many devices",
                    path, header.num_towers(), world_size_));
  }
  if (rows_before != rows_per_step_ && options_.parallel.mode == ParallelMode::tower) {
    throw ConfigError(
        fmt::format("{}: was trained with {} rows per step, but these towers take {} together; resume with a "
                    "batch size (of each tower) and a number of devices that give as many",
                    path, rows_before, rows_per_step_));
  }
  OptimizerSettings optimizer = options_.optimizer;
  optimizer.mean_weight = 0;  // it is in the notes
  const std::string difference = describe_difference({header.architecture, header.optimizer, before},
                                                     {architecture_, optimizer, settings_});
  if (!difference.empty()) {
    const bool is_finished = header.position.batch == 0 && path == options_.model;
    throw ConfigError(fmt::format(
        "{}: was trained with other settings ({}); resume with those, or start over with --overwrite in "
        "place of --resume{}",
        path, difference,
        is_finished ? fmt::format(", or train it further with --from {} and another -o", path) : ""));
  }
  // Losses on two datasets do not tell which epoch is the best. Without a known best epoch, the last one
  // would overwrite the best.
  if (header.position.best_epoch == 0) return;
  if (valid_ && training.value("valid", valid_rows_) == valid_rows_) return;
  throw ConfigError(
      fmt::format("{}: its epochs were judged by {}; resume with those, or start over with --overwrite in "
                  "place of --resume",
                  path,
                  valid_ ? fmt::format("other rows than those of --valid {}", valid_->name())
                         : "the rows of a --valid that is not given now"));
}

}  // namespace widehash
