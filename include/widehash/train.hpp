#pragma once

/// \file
/// Trains a network on datasets, streamed from their shards.

#include <widehash/activity.hpp>
#include <widehash/architecture.hpp>
#include <widehash/class_weights.hpp>
#include <widehash/dataset.hpp>
#include <widehash/device.hpp>
#include <widehash/metrics.hpp>
#include <widehash/model.hpp>
#include <widehash/optimizer.hpp>
#include <widehash/parallel_settings.hpp>
#include <widehash/progress.hpp>
#include <widehash/stop.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace widehash {

/// Fixed defaults are given here; with_defaults() of train_choices.hpp chooses batch size and optimizer
/// according to the rows, as the program does.
struct TrainOptions {
  std::vector<std::string> datasets;    // of one encoding; several are joined, see join_datasets()
  std::string model;                    // where the model goes; checkpoints go to "<model>.checkpoint"
  std::vector<std::string> valid = {};  // datasets to evaluate after each epoch; may be empty
  /// Model whose parameters the training starts from; empty: fresh parameters. Its network is kept (`hidden`,
  /// `activation` and `loss` are ignored), and so is its optimizer's state if `optimizer` is of the same
  /// kind; all other settings and the rows are those given here. The model must have been trained on data of
  /// the same encoding. It is only read, and may be neither `model` nor its checkpoint.
  std::string from = {};
  std::string hidden = "none";  // none | auto | sizes, e.g. "32,16"
  ActivationKind activation = ActivationKind::relu;
  std::optional<LossKind> loss = {};  // empty: softmax for a label of classes, otherwise logistic
  /// How the rows of `datasets` and of `valid` are weighted by class. Every loss and metric of the training
  /// is over rows weighted this way, and so are the probabilities that the model predicts. Not for mse
  /// or poisson with one output.
  ClassWeights class_weights = {};
  OptimizerSettings optimizer = {};
  bool decay_learning_rate = true;  // linearly to 0 over all epochs; ftrl's stays constant
  /// Upper limit of the rows per step; the steps of an epoch are made equally large. Counts the rows of each
  /// device if towers train, otherwise of all devices together. See default_batch_size().
  std::uint64_t batch_size = 512;
  std::uint64_t epochs = 1;
  std::uint64_t seed = 1;
  std::uint64_t early_stop = 0;  // stop after this many epochs without a better validation loss; 0: never
  std::uint64_t checkpoint_every = 0;  // batches between checkpoints; 0: only at the end of each epoch
  bool resume = false;                 // continue from the checkpoint
  /// Replace an existing model, or the checkpoint of a training run that could be resumed. If neither this
  /// nor `resume` is set, both are refused.
  bool overwrite = false;
  bool shuffle = true;

  /// Devices of this process. Together with those of the other processes of an mpirun they are the world.
  /// Every process needs the dataset under the same path and resumes from the same model file; the process of
  /// rank 0 writes.
  std::vector<Device> devices{Device{}};
  ParallelSettings parallel = {};
  /// Bytes that a device may use for parameters, gradients and optimizer state; 0: all of a GPU's
  /// memory, or 95 % of usable_memory_bytes(), shared by all processor devices of this process.
  std::uint64_t memory_bytes = 0;
  /// Where to write a trace of what each device did (see trace_json); empty: nowhere.
  std::string profile = {};
  /// Ends the training after the current step. If `checkpoint_every` is set, the checkpoint is written first,
  /// for which towers that mix parameters go on to their next mean.
  /// Several devices check the flag together, every few steps; either all processes pass a flag or none does.
  const StopFlag* stop = nullptr;
};

/// How one device spent its time over the whole training.
struct DeviceReport {
  int rank = 0;
  std::string device;
  double seconds = 0;
  std::array<double, num_activities> shares{};  // of `seconds`, by Activity; they add up to 1
  std::uint64_t bytes_sent = 0;                 // to other devices
  std::uint64_t bytes_sent_to_other_hosts = 0;  // of these
};

/// The recommended batch size: 512, or without hidden layers the largest power of two up to 16,384 that
/// leaves an epoch 900 steps. Larger batches are faster; with fewer steps than that, held-out loss suffers.
/// For few rows, the largest power of two that leaves six steps in all epochs together, with `towers` devices
/// that each take that many rows: the first steps go far, and it takes some more to come back. How these
/// numbers were found: docs/benchmarks.md, "Defaults".
std::uint64_t default_batch_size(std::uint64_t num_rows, bool hidden_layers, std::uint64_t epochs,
                                 std::uint64_t towers = 1) noexcept;

/// Columns that a row of the dataset sets, which the default learning rate and the initial first layer depend
/// on. Equals active_columns() of its layout. If rows are ragged (exact and multi-valued features), the mean
/// over the first shard stands for them, because a layout does not say how many values fall to the hashed
/// tail. At least 1.
std::uint32_t active_columns(const Dataset& dataset);

/// Weights of the rows of a dataset; 0 if they have none.
struct RowWeights {
  double mean = 0;
  double heaviest = 0;
};
/// If there are more than 2^22 rows, a sample drawn evenly from all shards stands for all: these are scales
/// and need not be exact. Throws DataError for a damaged shard.
RowWeights row_weights(const Dataset& dataset);

/// Units in which the weighted targets of `dataset` have mean 0 and deviation 1; targets that are all equal
/// keep the scale 1. If there are more than 2^22 rows, a sample drawn evenly from all shards stands for all.
/// The dataset must have targets. Cost: two passes over the sampled targets. Throws DataError for a damaged
/// shard.
TargetUnits target_units(const Dataset& dataset);

/// The mean weighted Poisson deviance (loss.hpp) of the targets from their mean, which a model has to beat.
/// Requires, samples and throws as target_units(). Cost: one pass over the sampled targets.
double constant_poisson_deviance(const Dataset& dataset);

/// The mean of every column over the rows, [num_columns]: how often it is set, or for a number its mean
/// (ModelSource::column_means). If there are more than 2^16 rows, a sample drawn evenly from all shards
/// stands for all. Cost: a backward pass of one unit over the sampled rows. Throws DataError for a damaged
/// shard.
std::vector<float> column_means(const Dataset& dataset);

/// Class weights that give all classes the same total weight and keep the total weight of all rows:
///
///     c_k = W / (K W_k)      W_k the weight of the rows of class k, W of all, K classes that have some; others 1
///
/// for the label's classes, or for 0 and 1. The dataset must have targets. Cost: a pass over all of them.
/// Throws DataError for a damaged shard.
std::vector<double> balanced_class_weights(const Dataset& dataset);

/// Where the output biases of a new network start (Architecture::first_output_bias). For each class k
///
///     p_k = (weight of its rows + w) / (weight of all rows + K w)    w the mean weight of rows above 0, K classes
///     q_k = p_k + d sqrt(p_k (1 - p_k)), but not beyond even probabilities e; from the other side if p_k > e
///     logistic: ln(q_k / (1 - q_k)), e = 1/2, with one output that of 1;    softmax: ln(q_k / e), e = 1/K
///     poisson: ln of the mean target, or of 1/2 / (rows + 1) if all targets are 0
///
/// so that all weights need not learn together that a class is rare. d is 0, and 1 for adagrad, which never
/// forgets its first gradients: starting at p itself, its first steps would follow the noise of a batch, so
/// it starts with an error that all rows share and that is as large as that noise. For shares from 0.15 to
/// 0.85 these are even probabilities. Figures: docs/benchmarks.md, "Defaults". Empty, which stands for 0, for
/// mse, and for logistic and softmax if no target has weight. If there are more than 2^22 rows, a sample
/// drawn evenly from all shards stands for all. Cost: a pass over the sampled targets, two for poisson.
/// Throws DataError for a damaged shard.
std::vector<double> first_output_bias(const Dataset& dataset, const Architecture& architecture,
                                      OptimizerKind optimizer);

struct EpochReport {
  std::uint64_t epoch = 0;  // from 1; 0: the starting model, for which only `valid` is set
  double train_loss = 0;    // mean weighted loss over the epoch, each batch before its update
  std::optional<MetricsReport> valid;
  std::uint64_t rows = 0;           // rows of the whole epoch, which the loss is over
  std::uint64_t rows_this_run = 0;  // fewer in an epoch that was resumed
  double seconds = 0;               // of this run
};

/// Mean and deviation of the labels of the starting model (`before`) and of these datasets (`now`).
struct LabelShift {
  TargetUnits before;
  TargetUnits now;
};

struct TrainReport {
  std::vector<EpochReport> epochs;
  /// Metrics of the starting model, if there is `valid`; not for a resumed run.
  std::optional<MetricsReport> start;
  std::uint64_t rows = 0;  // rows trained on, all epochs
  /// The epoch whose parameters the model holds: with `valid` the best one, perhaps of an earlier run, or 0
  /// if none was evaluated; otherwise the last one.
  std::uint64_t best_epoch = 0;
  /// The value of judged_by() (metrics.hpp) on `valid`, for that epoch and for the starting model; an earlier
  /// run may have evaluated either of them. Infinity if not evaluated.
  double best_valid_loss = std::numeric_limits<double>::infinity();
  double start_valid_loss = std::numeric_limits<double>::infinity();
  bool stopped_early = false;
  std::uint64_t num_parameters = 0;
  std::uint64_t num_columns = 0;
  /// Loss of an output that knows nothing: even probabilities, or the mean of numbers. If the loss of the
  /// last epoch is above it, the training has diverged; the first steps on few rows may exceed it.
  double loss_of_guessing = 0;
  /// A dataset, or an input of one, whose rows were used both for training and for validation; "": none is
  /// known.
  std::string own_rows = {};
  /// An input whose rows are in two of the training datasets, so that they count twice; "": none is known.
  std::string repeated_rows = {};
  /// The target of all rows with weight, if they all have the same one; then there is nothing to learn.
  std::optional<float> only_target = {};
  /// Set if the labels look as if they were in another unit than those of the starting model (loss mse, one
  /// output), such as dollars there and cents here, or measured from another origin.
  std::optional<LabelShift> label_shift = {};
  std::vector<double> class_weights;  // as used; empty if classes are not weighted
  OptimizerSettings optimizer;        // as used, with the steps over which the learning rate fell
  bool kept_state = false;            // whether the optimizer's state of the starting model was kept
  bool is_main = true;                // whether this process writes and has the complete report
  std::vector<DeviceReport> devices;  // all of the world, by rank
  /// Share of the devices' time spent on reading and computing: 1 if none ever waited or communicated. Work
  /// that every device repeats counts as computing (docs/parallelism.md).
  double efficiency = 1;
  /// Threads that a device could use, and those that took its steps, averaged over the rows. A training on one CPU
  /// tries fewer from time to time, and keeps to them while that is faster.
  std::size_t threads = 1;
  double mean_threads = 1;
};

/// The metrics on `valid` of the model that was kept, with the loss it was kept for even where an earlier run measured
/// that. Empty if this run evaluated nothing.
std::optional<MetricsReport> kept_metrics(const TrainReport& report);

/// Whether no rows of `valid` judge the model and its training loss is far above that of guessing: five times, since
/// losses are taken before each update, and those of the first steps on few rows may be high without harm.
bool is_astray(const TrainReport& report);

/// Trains and writes `options.model`: with `valid` the parameters of the best epoch, otherwise those of the
/// last one. Every row is seen once per epoch, in an order that depends only on the seed and the epoch. The
/// result is the same for any number of threads, and resuming gives the same numbers as never having stopped.
/// A training run on several devices may be resumed on any other number of devices, in any parallel mode that
/// takes as many rows per step.
/// The callbacks are called only by rank 0; `on_epoch` is also called before the first epoch if
/// `report.start` is made. While it runs, a second training run that writes to the same file is refused
/// (FileLock).
/// Throws ConfigError (another schema, no label, a loss that does not fit the label, a starting model with
/// another number of towers, too little memory, an existing model), DataError (a damaged shard or model; a
/// loss that is not finite, naming epoch and batch; parameters or states that are not finite, by the next
/// checkpoint), FileError, CommError (another process failed or is gone), Stopped.
TrainReport train(const TrainOptions& options, const ProgressCallback& progress = {},
                  const std::function<void(const EpochReport&)>& on_epoch = {});

}  // namespace widehash
