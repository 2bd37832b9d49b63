#include "rank_training.hpp"

#include "label_shift.hpp"
#include "predict/dataset_metrics.hpp"
#include "training_start.hpp"

#include <widehash/first_layer.hpp>
#include <widehash/internal/shared_stop.hpp>
#include <widehash/internal/shared_text.hpp>
#include <widehash/threads.hpp>

#include <chrono>
#include <cmath>
#include <exception>
#include <numbers>

#include <fmt/format.h>

namespace widehash {
namespace {

// How many batches are gathered while one is trained on.
constexpr std::size_t read_ahead_batches = 4;
// How many steps several ranks take before they ask each other again whether to stop: few enough for a
// waiting user, many enough that asking costs nothing.
constexpr std::uint64_t steps_between_questions = 16;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// The loss of predicting even probabilities, or of the mean for numbers and counts.
double loss_of_guessing(const TrainingJob& job) {
  const Architecture& architecture = job.architecture();
  const double outputs = architecture.outputs;
  switch (architecture.loss) {
    case LossKind::logistic:
      return outputs * std::numbers::ln2;
    case LossKind::softmax:
      return std::log(outputs);
    case LossKind::mse:
      if (architecture.outputs > 1) return (outputs - 1) / (outputs * outputs);
      // When training continues from a model, the model's units are those of the rows it was trained on.
      return (job.from() != nullptr ? target_units(job.dataset()) : architecture.target_units).squared(1);
    case LossKind::poisson:
      return constant_poisson_deviance(job.dataset());
  }
  return 0;
}

/// Devices that wait for each other cannot tell how long their own steps take, and a GPU takes them by itself.
bool tries_threads(const Communicator& communicator) {
  return communicator.size() == 1 && communicator.device().kind == DeviceKind::cpu;
}

double watched(const MetricsReport& metrics) { return (metrics.*judged_by(metrics).value).value(); }

}  // namespace

RankTraining::RankTraining(const TrainingJob& job, PlanFeed& feed, Communicator& communicator,
                           const ProgressCallback& progress,
                           const std::function<void(const EpochReport&)>& on_epoch)
    : job_(job),
      feed_(feed),
      communicator_(communicator),
      progress_(progress),
      on_epoch_(on_epoch),
      step_rows_(job.dataset().layout(), communicator.size() > 1),
      step_threads_(current_threads(), tries_threads(communicator)),
      files_(job, communicator) {}

void RankTraining::start() {
  const std::string path = agree_on_start(job_, communicator_);
  std::unique_ptr<ModelFile<float>> file;
  position_.seed = job_.options().seed;
  if (!path.empty()) {
    file = std::make_unique<ModelFile<float>>(open_model<float>(path));
    // Hosts that share no folder have copies of it, and rank 0 alone writes new ones.
    require_same(communicator_, fmt::format("{}", file->checksum()), path,
                 "; copy that of rank 0 to all hosts");
    go_on_from(*file);
  }
  strategy_ =
      make_strategy<float>(job_.options().parallel, communicator_,
                           {job_.architecture(), job_.optimizer(), file != nullptr ? file.get() : job_.from(),
                            slot_borders(*job_.dataset().layout())});
  // The file may be replaced only after all ranks have read it.
  communicator_.barrier();
  if (path.empty()) files_.begin(*strategy_, position_, sums_);
}

void RankTraining::go_on_from(const ModelFile<float>& file) {
  job_.require_resumable(file);
  position_ = file.header().position;
  sums_ = EpochSums::from(read_notes(file.path(), file.header()), is_main());
  files_.go_on_from(file.path(), position_);
  if (file.path() == job_.checkpoint_path() && is_main()) require_best_model(job_, position_);
}

TrainReport RankTraining::run() {
  start();
  const TrainOptions& options = job_.options();
  report_.optimizer = job_.optimizer();
  report_.kept_state = job_.keeps_state();
  report_.num_columns = job_.architecture().num_columns;
  report_.class_weights = job_.dataset().class_weights();
  report_.own_rows = job_.own_rows();
  report_.repeated_rows = job_.repeated_rows();
  report_.only_target = job_.one_target();
  const Architecture& architecture = job_.architecture();
  if (is_main()) {  // both may take a pass over a sample of the targets
    report_.loss_of_guessing = loss_of_guessing(job_);
    if (job_.from() != nullptr && architecture.loss == LossKind::mse && architecture.outputs == 1)
      report_.label_shift = label_shift(architecture.target_units, job_.dataset());
  }
  report_.num_parameters = num_parameters(architecture) * strategy_->parts().size();
  report_.is_main = is_main();
  // Somebody who sees how the start performs may not want to train.
  if (judge_start()) stopped_ = stop_is_asked(communicator_, options.stop);

  const auto stopped_early = [&] {
    return options.early_stop > 0 && position_.bad_epochs >= options.early_stop;
  };
  while (position_.epoch < options.epochs && !stopped_early() && !stopped_) {
    const auto begin = std::chrono::steady_clock::now();
    run_epoch();
    if (stopped_) break;
    finish_epoch(seconds_since(begin));
    if (position_.epoch < options.epochs && !stopped_early())
      stopped_ = stop_asked_ || stop_is_asked(communicator_, job_.options().stop);
  }
  const bool has_valid = job_.valid() != nullptr;
  report_.stopped_early = stopped_early() && position_.epoch < options.epochs;
  report_.best_epoch = has_valid ? position_.best_epoch : position_.epoch;
  report_.best_valid_loss = position_.best_valid_loss;
  report_.start_valid_loss = position_.start_valid_loss;
  report_.rows = rows_this_run_;
  report_.threads = current_threads();
  report_.mean_threads = step_threads_.mean();
  if (stopped_) return report_;
  // The model is complete now. The checkpoint holds something that a later run with more epochs needs only
  // where training went past the best epoch, or into a further epoch that this run was not to continue.
  const bool is_in_model = !has_valid || position_.best_epoch == position_.epoch;
  if (is_in_model && position_.batch == 0) files_.remove_checkpoint();
  return report_;
}

void RankTraining::run_epoch() {
  std::uint64_t next = position_.batch;
  while (run_steps(next)) continue;
  settle();
}

bool RankTraining::run_steps(std::uint64_t& next) {
  bool is_over = false;
  const auto produce = [&]() -> std::shared_ptr<GatheredStep> {
    if (stopped_ || step_threads_.is_to_change()) return nullptr;
    auto step = std::make_shared<GatheredStep>();
    step->planned = feed_.step(position_.epoch, next++);
    is_over = step->planned == nullptr;
    return is_over ? nullptr : step;
  };
  const auto gather = [&](GatheredStep& step) {
    step_rows_.gather(step, strategy_->rows_of_step(step.planned->num_rows()));
    if (step.rows.num_rows > 0) step.prepared = strategy_->prepare(step.rows);
  };
  const auto train = [&](GatheredStep& step) {
    train_step(step);
    step_threads_.end_step(step.rows.num_rows, std::chrono::steady_clock::now());
    step_rows_.take_back(step);
  };
  const auto run = [&] { ordered_pipeline<GatheredStep>(read_ahead_batches, produce, gather, train); };
  const std::size_t threads = step_threads_.begin();
  if (threads == current_threads()) {
    run();
  } else {
    with_share_of_threads(threads, run);
  }
  return !is_over && !stopped_;
}

void RankTraining::train_step(const GatheredStep& step) {
  if (stopped_) return;  // gathered before the stop was known
  const std::uint64_t batch = step.planned->plan().batch;
  const bool is_last = batch + 1 == feed_.num_steps();
  const std::string name =
      fmt::format("{}: epoch {}, batch {}", job_.dataset().name(), position_.epoch + 1, batch + 1);
  sums_.add(
      strategy_->step(step.rows, {step.planned->num_rows(), batch, is_last, name, step.prepared.get()}));
  sums_.add_rows(step.planned->num_rows());
  rows_this_run_ += step.planned->num_rows();
  position_.batch = batch + 1;
  position_.rows_seen += step.planned->num_rows();
  if (is_main() && progress_) {
    const std::uint64_t earlier = position_.rows_seen - rows_this_run_;
    progress_({position_.rows_seen, position_.rows_seen, job_.options().epochs * job_.dataset().num_rows(),
               earlier, earlier});
  }
  // Between two means, towers are not one state: their checkpoint waits for the next mean.
  const std::uint64_t every = job_.options().checkpoint_every;
  const bool is_due = every > 0 && position_.batch / every > files_.last_batch() / every;
  if (!is_last && is_due && strategy_->is_whole()) write_checkpoint();
  if (!is_last) stop_if_asked();
}

void RankTraining::settle() {
  while (const std::optional<LossSum> sum = strategy_->settle()) sums_.add(*sum);
}

void RankTraining::stop_if_asked() {
  const bool is_alone = communicator_.size() == 1;
  if (!stop_asked_ && (is_alone || position_.batch % steps_between_questions == 0))
    stop_asked_ = stop_is_asked(communicator_, job_.options().stop);
  if (!stop_asked_) return;
  if (job_.options().checkpoint_every > 0) {
    if (!strategy_->is_whole()) return;  // towers continue to their next mean
    if (files_.last_batch() != position_.batch) write_checkpoint();
  }
  stopped_ = true;
}

std::string RankTraining::how_to_go_on() const { return stopped_ ? files_.how_to_go_on(position_) : ""; }

void RankTraining::write_checkpoint() {
  settle();
  sums_.gather(communicator_);
  files_.write_checkpoint(*strategy_, position_, sums_);
}

MetricsReport RankTraining::validate() {
  const PredictSlice predict = [&](const CodeBatchView& rows, std::span<float> predictions) {
    strategy_->predict(rows, predictions);
  };
  const std::size_t rows_at_once = rows_per_call(communicator_.device());
  if (is_main()) return dataset_metrics(predict, rows_at_once, job_.architecture(), *job_.valid(), {});
  for_each_prediction(predict, rows_at_once, job_.architecture().outputs, *job_.valid(),
                      [](const PredictedRows&) {}, {});
  return {};
}

bool RankTraining::judge_start() {
  if (job_.from() == nullptr || job_.valid() == nullptr || !position_.is_at_start()) return false;
  const MetricsReport metrics = validate();
  if (is_main()) position_.start_valid_loss = watched(metrics);
  communicator_.broadcast(std::span(&position_.start_valid_loss, 1), 0);
  if (!is_main()) return true;
  report_.start = metrics;
  EpochReport epoch;
  epoch.valid = metrics;
  if (on_epoch_) on_epoch_(epoch);
  return true;
}

bool RankTraining::judge(EpochReport& epoch) {
  if (job_.valid() == nullptr) return true;
  const MetricsReport metrics = validate();
  double verdict = 0;
  if (is_main()) {
    epoch.valid = metrics;
    verdict = watched(metrics);
  }
  communicator_.broadcast(std::span(&verdict, 1), 0);
  const bool is_better = verdict < position_.best_valid_loss;
  if (is_better) {
    position_.best_valid_loss = verdict;
    position_.best_epoch = epoch.epoch;
  }
  position_.bad_epochs = is_better ? 0 : position_.bad_epochs + 1;
  return is_better;
}

bool RankTraining::judge_or_keep(EpochReport& epoch) {
  try {
    return judge(epoch);
  } catch (const DataError&) {
    // A row of --valid is at fault, which is no reason to repeat the epoch. With several devices, the ranks
    // can no longer meet to save it.
    if (communicator_.size() == 1) keep_epoch();
    throw;
  }
}

void RankTraining::keep_epoch() noexcept {
  try {
    files_.write_checkpoint(*strategy_, position_, sums_);
  } catch (const std::exception&) {
    // The error that ended the judging is reported instead.
  }
}

void RankTraining::finish_epoch(double seconds) {
  sums_.gather(communicator_);
  EpochReport epoch;
  epoch.epoch = position_.epoch + 1;
  epoch.train_loss = is_main() ? sums_.mean_loss() : 0;
  epoch.rows = sums_.rows();
  epoch.rows_this_run = rows_this_run_ - earlier_rows_;
  epoch.seconds = seconds;
  const bool is_better = judge_or_keep(epoch);
  ++position_.epoch;
  position_.batch = 0;
  sums_ = {};
  earlier_rows_ = rows_this_run_;
  // The model is written first: a run killed between the two repeats the epoch, with the same result. The
  // other way round, it would continue after a best epoch whose model was never written.
  if (is_better) files_.write_model(*strategy_, position_, sums_);
  files_.write_checkpoint(*strategy_, position_, sums_);
  report_.epochs.push_back(epoch);
  if (is_main() && on_epoch_) on_epoch_(epoch);
}

}  // namespace widehash
