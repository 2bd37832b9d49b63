#include "training_run.hpp"

#include "dataset_match.hpp"
#include "dataset_metrics.hpp"

#include <widehash/checksum.hpp>
#include <widehash/error.hpp>
#include <widehash/file.hpp>
#include <widehash/loss.hpp>
#include <widehash/threads.hpp>

#include <chrono>
#include <filesystem>
#include <span>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace widehash {
namespace {

// Settings are compared by what they say: the order of keys does not survive a model file.
using Json = nlohmann::json;

// Batches being gathered while one is trained on.
constexpr std::size_t read_ahead_batches = 4;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

TrainOptions checked(const TrainOptions& options) {
  if (options.batch_size == 0) throw ConfigError("the batch size must be at least 1");
  if (options.epochs == 0) throw ConfigError("the number of epochs must be at least 1");
  if (options.model.empty()) throw ConfigError("a path for the model is needed");
  if (options.early_stop > 0 && options.valid.empty()) {
    throw ConfigError("early stopping needs a dataset to judge by: give one with --valid");
  }
  check_settings(options.optimizer);
  return options;
}

struct GatheredBatch {
  BatchPlan plan;
  std::unique_ptr<CodeBatch> rows;  // one of the two
  std::unique_ptr<ScatteredBatch> scattered;

  CodeBatchView view() const noexcept { return scattered != nullptr ? scattered->view() : rows->view(); }
};

// What early stopping watches: the loss where the metrics have it, otherwise the root mean squared error.
double watched(const MetricsReport& metrics) {
  return metrics.log_loss ? *metrics.log_loss : metrics.rmse.value_or(0);
}

}  // namespace

TrainingRun::TrainingRun(const TrainOptions& options, const ProgressCallback& progress,
                         const std::function<void(const EpochReport&)>& on_epoch)
    : options_(checked(options)),
      progress_(progress),
      on_epoch_(on_epoch),
      dataset_(options.dataset),
      checkpoint_path_(options.model + ".checkpoint"),
      stream_(dataset_, options.batch_size, options.seed, options.shuffle) {
  if (!dataset_.layout()->has_targets) {
    throw ConfigError(
        fmt::format("{}: was encoded without a label; name the label in the schema and transform again",
                    options_.dataset));
  }
  if (dataset_.num_rows() == 0) throw DataError(options_.dataset, 0, "has no rows to train on");
  if (!options_.valid.empty()) {
    valid_.emplace(options_.valid);
    if (valid_->num_rows() == 0) throw DataError(options_.valid, 0, "has no rows to judge by");
  }
  if (options_.decay_learning_rate && options_.optimizer.kind != OptimizerKind::ftrl) {
    options_.optimizer.decay_steps = static_cast<double>(options_.epochs * stream_.num_batches());
  }
}

Architecture TrainingRun::make_architecture() const {
  const CodeLayout& layout = *dataset_.layout();
  if (options_.loss == LossKind::softmax && layout.num_classes == 0) {
    throw ConfigError(
        "softmax needs a label of classes: label = { field = \"...\", classes = [...] } in the schema");
  }
  Architecture architecture;
  architecture.num_columns = layout.num_columns;
  architecture.hidden = parse_hidden(options_.hidden, layout.num_columns);
  architecture.outputs = std::max<std::uint32_t>(layout.num_classes, 1);
  architecture.activation = options_.activation;
  architecture.loss = options_.loss;
  architecture.seed = options_.seed;
  architecture.active_columns = active_columns(layout);
  check_architecture(architecture);
  return architecture;
}

// Everything that a resumed run must share with the one it carries on.
std::string TrainingRun::settings_json() const {
  Json settings;
  settings["batch_size"] = options_.batch_size;
  settings["seed"] = options_.seed;
  settings["shuffle"] = options_.shuffle;
  settings["rows"] = dataset_.num_rows();
  // The checksums of the shards stand for the rows themselves.
  ChecksumStream data;
  for (const ManifestShard& shard : dataset_.manifest().shards)
    data.add(std::as_bytes(std::span(&shard.checksum, 1)));
  settings["data"] = to_hex(data.value());
  return settings.dump();
}

Model<float> TrainingRun::starting_model() const {
  const Architecture architecture = make_architecture();
  const ModelSource source = source_of(dataset_, read_text_file(options_.dataset + "/schema.toml"));
  if (options_.resume) {
    const bool has_checkpoint = file_exists(checkpoint_path_);
    if (has_checkpoint || file_exists(options_.model)) {
      const std::string path = has_checkpoint ? checkpoint_path_ : options_.model;
      Model<float> model = load_model<float>(path);
      require_same_encoding(model.source, path, dataset_);
      const auto training = Json::parse(model.training);
      if (model.network.architecture() != architecture || model.optimizer.settings() != options_.optimizer ||
          training.value("settings", Json()) != Json::parse(settings_json())) {
        throw ConfigError(fmt::format(
            "{}: was trained with other settings (layers, loss, optimizer, batch size, epochs, seed or "
            "data); resume with those, or leave out --resume to start anew",
            path));
      }
      return model;
    }
  }
  // A checkpoint of an earlier training must not be taken for this one's.
  std::error_code ignored;
  std::filesystem::remove(checkpoint_path_, ignored);
  Network<float> network(architecture);
  Optimizer<float> optimizer(options_.optimizer, network.parameters());
  TrainingPosition position;
  position.seed = options_.seed;
  return {std::move(network), std::move(optimizer), source, position, "{}"};
}

TrainReport TrainingRun::run() {
  model_ = std::make_unique<Model<float>>(starting_model());
  if (valid_) require_same_encoding(model_->source, options_.dataset, *valid_);
  const auto training = Json::parse(model_->training);
  loss_sum_ = training.value("epoch_loss_sum", 0.0);
  weight_sum_ = training.value("epoch_weight_sum", 0.0);
  epoch_rows_ = training.value("epoch_rows", std::uint64_t{0});
  report_.optimizer = options_.optimizer;
  report_.num_columns = dataset_.layout()->num_columns;
  report_.num_parameters = model_->network.parameters().num_values();

  const auto stopped_early = [&] {
    return options_.early_stop > 0 && model_->position.bad_epochs >= options_.early_stop;
  };
  while (model_->position.epoch < options_.epochs && !stopped_early()) {
    const auto start = std::chrono::steady_clock::now();
    run_epoch();
    finish_epoch(seconds_since(start));
  }
  report_.stopped_early = stopped_early();
  report_.best_epoch = valid_ ? model_->position.best_epoch : model_->position.epoch;
  report_.rows = rows_this_run_;
  // The model is whole now; what a later run with more epochs needs is in the checkpoint only if training got
  // past the best epoch.
  if (!valid_ || model_->position.best_epoch == model_->position.epoch) {
    std::error_code ignored;
    std::filesystem::remove(checkpoint_path_, ignored);
  }
  return report_;
}

void TrainingRun::run_epoch() {
  stream_.start(model_->position.epoch, model_->position.batch);
  ordered_pipeline<GatheredBatch>(
      read_ahead_batches,
      [&]() -> std::shared_ptr<GatheredBatch> {
        auto item = std::make_shared<GatheredBatch>();
        return stream_.next_plan(item->plan) ? item : nullptr;
      },
      [&](GatheredBatch& item) {
        if (ScatteredBatch::suits(*dataset_.layout())) {
          item.scattered = scattered_batches_.take();
          if (item.scattered == nullptr) item.scattered = std::make_unique<ScatteredBatch>();
          return item.scattered->look_at(item.plan, *dataset_.layout());
        }
        item.rows = batches_.take();
        if (item.rows == nullptr) item.rows = std::make_unique<CodeBatch>(dataset_.layout());
        BatchStream::gather(item.plan, *item.rows);
      },
      [&](GatheredBatch& item) {
        train_batch(item.plan, item.view());
        if (item.rows != nullptr) batches_.give(std::move(item.rows));
        if (item.scattered != nullptr) scattered_batches_.give(std::move(item.scattered));
      });
}

void TrainingRun::train_batch(const BatchPlan& plan, const CodeBatchView& batch) {
  const std::string name =
      fmt::format("{}: epoch {}, batch {}", options_.dataset, model_->position.epoch + 1, plan.batch + 1);
  loss_sum_ += model_->network.train_step(batch, model_->optimizer, name);
  weight_sum_ += sum_of_weights(batch.weights, batch.num_rows);
  epoch_rows_ += batch.num_rows;
  rows_this_run_ += batch.num_rows;
  model_->position.batch = plan.batch + 1;
  model_->position.rows_seen += batch.num_rows;
  if (progress_)
    progress_(
        {model_->position.rows_seen, model_->position.rows_seen, options_.epochs * dataset_.num_rows()});
  const bool last = model_->position.batch == stream_.num_batches();
  if (!last && options_.checkpoint_every > 0 && model_->position.batch % options_.checkpoint_every == 0)
    save_checkpoint();
}

void TrainingRun::note_training() {
  Json training;
  training["settings"] = Json::parse(settings_json());
  training["epoch_loss_sum"] = loss_sum_;
  training["epoch_weight_sum"] = weight_sum_;
  training["epoch_rows"] = epoch_rows_;
  model_->training = training.dump();
}

void TrainingRun::save_checkpoint() {
  note_training();
  save_model(checkpoint_path_, *model_);
}

void TrainingRun::finish_epoch(double seconds) {
  TrainingPosition& position = model_->position;
  EpochReport epoch;
  epoch.epoch = position.epoch + 1;
  epoch.train_loss = weight_sum_ > 0 ? loss_sum_ / weight_sum_ : 0;
  epoch.rows = epoch_rows_;
  epoch.seconds = seconds;
  bool better = true;
  if (valid_) {
    epoch.valid = dataset_metrics(model_->network, *valid_, {});
    better = watched(*epoch.valid) < position.best_valid_loss;
    if (better) {
      position.best_valid_loss = watched(*epoch.valid);
      position.best_epoch = epoch.epoch;
    }
    position.bad_epochs = better ? 0 : position.bad_epochs + 1;
  }
  ++position.epoch;
  position.batch = 0;
  loss_sum_ = weight_sum_ = 0;
  epoch_rows_ = 0;
  // The model first: a run killed between the two does the epoch again, with the same result. The other way
  // round it would go on behind a best epoch whose model was never written.
  note_training();
  if (better) save_model(options_.model, *model_);
  save_checkpoint();
  report_.epochs.push_back(epoch);
  if (on_epoch_) on_epoch_(epoch);
}

}  // namespace widehash
