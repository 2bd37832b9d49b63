#pragma once

/// \file
/// Training a network on datasets, streamed from their shards.

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

/// As they stand here; with_defaults() of train_choices.hpp chooses batch size and optimizer by the rows, as the
/// program does.
struct TrainOptions {
  std::vector<std::string> datasets;  // of one encoding; several are as one, see join_datasets()
  std::string model;                  // where the model goes; checkpoints go to "<model>.checkpoint"
  std::vector<std::string> valid;     // datasets to judge by after each epoch; may be none
  /// Model whose parameters the training starts from; may be empty: fresh ones. Its network goes on
  /// (`hidden`, `activation` and `loss` are not looked at), and its optimizer's state where `optimizer` is of
  /// the same kind; all other settings, and the rows, are those given here. It must have been trained on data
  /// of the same encoding. It is only read, and may not be `model` nor its checkpoint.
  std::string from;
  std::string hidden = "none";  // none | auto | sizes, e.g. "32,16"
  ActivationKind activation = ActivationKind::relu;
  std::optional<LossKind> loss;  // none: softmax for a label of classes, otherwise logistic
  /// By which rows of `datasets` and of `valid` weigh: every loss and metric of the training is of rows weighted so,
  /// and so are the chances that the model predicts. Not for mse and poisson of one output.
  ClassWeights class_weights;
  OptimizerSettings optimizer;
  bool decay_learning_rate = true;  // linearly to 0 over all epochs; ftrl's stays as it is
  /// Rows to a step at most, since the steps of an epoch are cut even: of each device where towers train, of
  /// all devices together otherwise. See default_batch_size().
  std::uint64_t batch_size = 512;
  std::uint64_t epochs = 1;
  std::uint64_t seed = 1;
  std::uint64_t early_stop = 0;        // epochs without a better validation loss before stopping; 0: never
  std::uint64_t checkpoint_every = 0;  // batches between checkpoints; 0: at the end of each epoch only
  bool resume = false;                 // go on from the checkpoint
  /// Replace a model, or the checkpoint of a training that could go on. Without it, and without `resume`,
  /// either is refused.
  bool overwrite = false;
  bool shuffle = true;

  /// Devices of this process; with those of the other processes of an mpirun they are the world. Every
  /// process needs the dataset under the same path, and resumes from the same model file; the process of rank
  /// 0 writes.
  std::vector<Device> devices{Device{}};
  ParallelSettings parallel;
  /// Bytes a device may take for parameters, gradients and optimizer state; 0: as many as there are.
  std::uint64_t memory_bytes = 0;
  /// Where a trace of what each device did goes (see trace_json); empty: none.
  std::string profile;
  /// Ends the training after the step at hand, the checkpoint written first where `checkpoint_every` asks for
  /// any. Several devices look at it together, every few steps; either all processes give one or none does.
  const StopFlag* stop = nullptr;
};

/// What one device's time went to, over the whole training.
struct DeviceReport {
  int rank = 0;
  std::string device;
  double seconds = 0;
  std::array<double, num_activities> shares{};  // of `seconds`, by Activity; they add up to 1
  std::uint64_t bytes_sent = 0;                 // to other devices
  std::uint64_t bytes_sent_to_other_hosts = 0;  // of these
};

/// The batch size to start from: 512, and without hidden layers the largest power of two up to 16,384 that
/// leaves an epoch 900 steps. Larger batches are faster; below that many steps held-out loss suffers. Of few
/// rows the largest power of two that leaves six steps in all epochs together, of `towers` devices that each
/// take so many rows: the first steps go far, and it takes some more to come back. How they were found:
/// docs/benchmarks.md, "Defaults".
std::uint64_t default_batch_size(std::uint64_t num_rows, bool hidden_layers, std::uint64_t epochs,
                                 std::uint64_t towers = 1) noexcept;

/// Columns that a row of the dataset sets, which the default learning rate and the initial first layer depend
/// on. As active_columns() of its layout; where rows are ragged (exact and multi-valued features), the mean
/// over its first shard stands for them, since a layout cannot tell how many values fall to the hashed tail.
/// At least 1.
std::uint32_t active_columns(const Dataset& dataset);

/// Of the rows of a dataset; 0 where they have none.
struct RowWeights {
  double mean = 0;
  double heaviest = 0;
};
/// Of more than 2^22 rows some, evenly from all shards, stand for all: these are scales, and need not be exact.
/// Throws DataError for a damaged shard.
RowWeights row_weights(const Dataset& dataset);

/// Units in which the targets of `dataset` have mean 0 and deviation 1, by their weights; targets that are
/// all equal keep the scale 1. Of more than 2^22 rows some, evenly from all shards, stand for all. The dataset has
/// targets. Cost: two passes over those that are looked at. Throws DataError for a damaged shard.
TargetUnits target_units(const Dataset& dataset);

/// The mean Poisson deviance (loss.hpp) of the targets from their mean, by their weights: what a model has to be
/// better than. As target_units() is, of one pass.
double constant_poisson_deviance(const Dataset& dataset);

/// The mean of every column over the rows, [num_columns]: how often it is set, or of a number its mean
/// (ModelSource::column_means). Of more than 2^16 rows some, evenly from all shards, stand for all. Cost: a backward
/// pass of one unit over those. Throws DataError for a damaged shard.
std::vector<float> column_means(const Dataset& dataset);

/// Class weights by which all classes weigh the same, and all rows together what they weighed:
///
///     c_k = W / (K W_k)      W_k the weight of the rows of class k, W of all, K classes that have some; others 1
///
/// of the label's classes, or of 0 and 1. The dataset has targets. Cost: a pass over all of them. Throws
/// DataError for a damaged shard.
std::vector<double> balanced_class_weights(const Dataset& dataset);

/// Where the biases of the outputs of a new network start (Architecture::first_output_bias): for each class k
///
///     p_k = (weight of its rows + w) / (weight of all rows + K w)    w the mean weight of rows above 0, K classes
///     q_k = p_k + d sqrt(p_k (1 - p_k)), and not beyond even chances e; from the other side where p_k > e
///     logistic: ln(q_k / (1 - q_k)), e = 1/2, of one output that of 1;    softmax: ln(q_k / e), e = 1/K
///     poisson: ln of the mean target
///
/// so that a rare class need not be learnt by all weights together. d is 0, and 1 for adagrad, which never forgets
/// its first gradients: from p itself its first steps would go where the noise of a batch points, so it starts with
/// an error that all rows share, as large as that noise; from a share of 0.15 to one of 0.85 that is even chances.
/// Figures: docs/benchmarks.md, "Defaults". Empty, which stands for 0, for mse and where no target counts. Of more
/// than 2^22 rows some, evenly from all shards, stand for all. Cost: a pass over the targets that are looked at.
/// Throws DataError for a damaged shard.
std::vector<double> first_output_bias(const Dataset& dataset, const Architecture& architecture,
                                      OptimizerKind optimizer);

struct EpochReport {
  std::uint64_t epoch = 0;  // from 1; 0: the model that it started from, of which there is only `valid`
  double train_loss = 0;    // mean weighted loss over the epoch, each batch before its update
  std::optional<MetricsReport> valid;
  std::uint64_t rows = 0;           // of the whole epoch, on which the loss is
  std::uint64_t rows_this_run = 0;  // fewer in an epoch that was resumed
  double seconds = 0;               // of this run
};

/// Mean and deviation of labels.
struct LabelShift {
  TargetUnits before;
  TargetUnits now;
};

struct TrainReport {
  std::vector<EpochReport> epochs;
  std::optional<MetricsReport>
      start;               // of the model that it started from, where there is `valid`; not of a resumed run
  std::uint64_t rows = 0;  // rows trained on, all epochs
  /// Whose parameters the model holds: with `valid` the best one, perhaps of an earlier run, 0 where none was
  /// judged; otherwise the last.
  std::uint64_t best_epoch = 0;
  /// The figure of judged_by() (metrics.hpp) on `valid`: of that epoch, and of the model that the training
  /// started from, both perhaps judged by an earlier run. Infinity where they were not judged.
  double best_valid_loss = std::numeric_limits<double>::infinity();
  double start_valid_loss = std::numeric_limits<double>::infinity();
  bool stopped_early = false;
  std::uint64_t num_parameters = 0;
  std::uint64_t num_columns = 0;
  /// Loss of an output that knows nothing: of even chances, or of the mean of numbers. Where that of the last epoch is
  /// above it, the training has gone astray; the first steps of few rows may be.
  double loss_of_guessing = 0;
  /// A dataset, or an input of one, whose rows the model was trained on and judged by; "": none is known.
  std::string own_rows = {};
  /// An input that two of the datasets to train on have rows of, which count twice; "": none is known.
  std::string repeated_rows = {};
  /// The target of all rows that weigh anything, where no row has another: there is nothing to learn then.
  std::optional<float> only_target = {};
  /// Where the labels look as if they were in another unit than those of the model that the training started from (loss
  /// mse, one output), dollars there and cents here, or told from another origin.
  std::optional<LabelShift> label_shift = {};
  std::vector<double> class_weights;  // as used; empty where classes are not weighed
  OptimizerSettings optimizer;        // as used, with the steps over which the learning rate fell
  bool kept_state = false;            // whether the optimizer's state was that of the model it started from
  bool is_main = true;                // whether this is the process that writes, and whose report is complete
  std::vector<DeviceReport> devices;  // all of the world, by rank
  /// Share of the devices' time that went to reading and computing: 1 where none ever waited or communicated.
  /// Work that every device repeats counts as computing (docs/parallelism.md).
  double efficiency = 1;
};

/// Trains and writes `options.model`: with `valid` the parameters of the best epoch, otherwise the last.
/// Every row is seen once per epoch, in an order that depends on the seed and the epoch alone; the result is
/// the same for any number of threads, and resuming gives the same numbers as never having stopped; a
/// training by several devices may be resumed by any other number in any way that takes as many rows to a
/// step. Throws ConfigError (another schema, no label, a loss that does not fit the label, a model of other
/// towers to start from, too little memory, a model that is there already), DataError (a damaged shard or
/// model; a loss that is not finite, naming epoch and batch; parameters or states that are not, by the next
/// checkpoint), FileError, CommError (another process failed or is gone), Stopped. The callbacks are called
/// by rank 0 alone, `on_epoch` also before the first epoch where `report.start` is made. While it runs, a
/// second training to the same file is refused (FileLock).
TrainReport train(const TrainOptions& options, const ProgressCallback& progress = {},
                  const std::function<void(const EpochReport&)>& on_epoch = {});

}  // namespace widehash
