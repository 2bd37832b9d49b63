#include "training_start.hpp"

#include <widehash/class_weights.hpp>
#include <widehash/error.hpp>
#include <widehash/internal/file.hpp>
#include <widehash/internal/shared_text.hpp>
#include <widehash/model.hpp>

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace widehash {
namespace {

/// Throws ConfigError where the file is not a model: one slip in a path may lead to rows, to a dataset's
/// manifest, or to anything else.
void require_model_to_replace(const std::string& path) {
  if (!file_exists(path) || is_folder(path) || file_size_bytes(path) == 0 || is_model_file(path)) return;
  throw ConfigError(path +
                    ": is not a model, and --overwrite replaces nothing else; remove it, or give another "
                    "file for the model");
}

/// Throws ConfigError where a new training would replace a file that somebody may want.
void require_nothing_lost(const TrainingJob& job) {
  const TrainOptions& options = job.options();
  if (options.overwrite) {
    require_model_to_replace(options.model);
    require_model_to_replace(job.checkpoint_path());
    return;
  }
  if (file_exists(job.checkpoint_path())) {
    throw ConfigError(job.checkpoint_path() +
                      ": the checkpoint of a training already exists; give --resume to continue it, or "
                      "--overwrite to start over");
  }
  if (file_exists(options.model)) {
    throw ConfigError(options.model +
                      ": already exists; give --overwrite to replace it, or another file for the model");
  }
}

/// Throws ConfigError on all ranks where two of them are about to run different trainings. They would do so silently
/// otherwise: half of the columns with one learning rate and half with the other, or one epoch over two datasets.
void require_same_training(const TrainingJob& job, Communicator& communicator) {
  if (communicator.size() == 1) return;
  const auto require = [&](std::string_view what, const auto& value) {
    require_same(communicator, fmt::format("{}", value), what);
  };
  const TrainOptions& options = job.options();
  const Architecture& architecture = job.architecture();
  require("the dataset", job.settings().at("data").dump());
  // First the settings that others are derived from.
  require("--epochs", options.epochs);
  require("--parallel", to_string(options.parallel.mode));
  require_same(communicator, fmt::format("{}", job.rows_per_step()), "--batch-size",
               "; if it is not given, each process chooses it by its devices");
  require("--resume", options.resume);
  require("--from", job.from() != nullptr ? job.from()->checksum() : 0);
  require("the rows of --valid", job.valid_rows());
  require("--hidden", fmt::format("{}", fmt::join(architecture.hidden, ",")));
  require("--activation", to_string(architecture.activation));
  require("--loss", to_string(architecture.loss));
  const std::vector<double>& of_class = job.dataset().class_weights();
  require("--class-weights", of_class.empty() ? "none" : to_text(of_class));
  require("--optimizer", to_string(job.optimizer().kind));
  const auto numbers = nlohmann::ordered_json::parse(to_json(job.optimizer()));
  for (const auto& [key, number] : numbers.items()) {
    if (key == "mean_weight") continue;  // follows from the rows
    const bool is_decay = key.starts_with("decay_");
    require(is_decay ? "--lr-decay" : key == "learning_rate" ? "--lr" : "--" + key, number.dump());
  }
  require("--seed", options.seed);
  require("the shuffling of rows", options.shuffle);
  require("--early-stop", options.early_stop);
  require("--checkpoint-every", options.checkpoint_every);
  require("--mix", to_string(options.parallel.mix));
  require("--mix-every", options.parallel.mix_every);
  // The first rank writes it, with what all others measured.
  require("whether a profile is written", !options.profile.empty());
}

}  // namespace

std::string file_to_resume(const TrainOptions& options) {
  if (!options.resume) return "";
  for (const std::string& path : {TrainingJob::checkpoint_path_of(options.model), options.model}) {
    if (file_exists(path)) return path;
  }
  return "";
}

void require_best_model(const TrainingJob& job, const TrainingPosition& position) {
  if (position.best_epoch == 0) return;  // none was written yet
  const std::string& path = job.options().model;
  const auto fail = [&](const std::string& what) {
    throw ConfigError(
        fmt::format("{}: {}; {} continues after epoch {}, whose model belongs there: put it back, or start "
                    "over with --overwrite in place of --resume",
                    path, what, job.checkpoint_path(), position.best_epoch));
  };
  if (!file_exists(path)) fail("is not there");
  const ModelFile<float> file = open_model<float>(path);
  job.require_resumable(file);
  const ModelHeader& header = file.header();
  // A run killed between writing the model and the checkpoint has written the model of a later epoch, and
  // will do so again.
  if (header.position.seed != position.seed || header.position.best_epoch < position.best_epoch)
    fail(fmt::format("holds the model of epoch {}", header.position.epoch));
}

std::string agree_on_start(const TrainingJob& job, Communicator& communicator) {
  require_same_training(job, communicator);
  const bool is_main = communicator.rank() == 0;
  // One rank decides, since the files of a shared folder need not look the same to all ranks at the same moment.
  enum Choice : std::uint64_t { fresh, checkpoint, model };
  std::uint64_t choice = fresh;
  if (is_main) {
    const std::string path = file_to_resume(job.options());
    choice = path.empty() ? fresh : path == job.checkpoint_path() ? checkpoint : model;
  }
  if (is_main && choice == fresh) require_nothing_lost(job);
  communicator.broadcast(std::span<std::uint64_t>(&choice, 1), 0);
  return choice == checkpoint ? job.checkpoint_path() : choice == model ? job.options().model : std::string();
}

}  // namespace widehash
