#pragma once

/// \file
/// One device's part in a training run on several devices. Every rank makes a strategy with the same settings
/// and calls its functions in the same order; all of them are collective unless stated otherwise. Strategies
/// combine the operations of replica.hpp with the collectives of communicator.hpp: the replica knows nothing
/// about ranks, the communicators know nothing about layers, and a strategy does not know what kind of device
/// it runs on.
///
/// Each strategy is a file of parallel/: single_device, data_parallel, model_parallel, tower_gradients,
/// tower_parameters, tower_predictions.

#include <widehash/communicator.hpp>
#include <widehash/model.hpp>
#include <widehash/parallel_settings.hpp>
#include <widehash/replica.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace widehash {

/// Rows [begin, begin + count) of a step.
struct RowSlice {
  std::uint64_t begin = 0;
  std::uint64_t count = 0;
};

struct StepInfo {
  std::uint64_t step_rows = 0;  // of all ranks together
  std::uint64_t index = 0;      // within the epoch
  bool ends_epoch = false;
  std::string_view name;             // for error messages
  PreparedRows* prepared = nullptr;  // what prepare() made of the rows; may be null
};

/// A rank's contribution to a step; summed over all ranks it gives the sums of the step.
struct LossSum {
  double loss = 0;    // weighted sum
  double weight = 0;  // sum of weights
};

template <class Real>
class Strategy {
 public:
  virtual ~Strategy() = default;

  /// The rows of a step that this rank reads. Together the ranks read each row at least once; only model
  /// parallelism reads a row more than once. May be empty; the rank still takes part.
  virtual RowSlice rows_of_step(std::uint64_t step_rows) const = 0;

  /// Like Replica::prepare, for the rows of a later step. Not collective.
  virtual std::shared_ptr<PreparedRows> prepare(const CodeBatchView& rows) = 0;

  /// Trains on these rows. A step without weight changes nothing. The device may still be running it on
  /// return: the result is that of the oldest step not yet accounted for, or zeros if none is done. Throws
  /// DataError naming the step where the loss or the gradient is not finite; at least one rank throws it, and
  /// the others throw CommError. Later calls may also throw for this step.
  virtual LossSum step(const CodeBatchView& rows, const StepInfo& info) = 0;

  /// Returns the result of the next step not yet accounted for, in order; empty once all are. Must be called
  /// until then before predict(), parts() and anything made of the parts. Not collective.
  virtual std::optional<LossSum> settle() { return std::nullopt; }

  /// Computes predictions through the link for `rows`, which must be the same on every rank; so is the
  /// result.
  virtual void predict(const CodeBatchView& rows, std::span<Real> predictions) = 0;

  /// Whether the parts of the ranks currently form one state. A tower between two means does not.
  virtual bool is_whole() const noexcept { return true; }

  /// This rank's share of each tower: some columns with their states, and the whole tail; null for nothing.
  /// There is one tower, except for Mix::predictions.
  virtual std::vector<const Replica<Real>*> parts() const = 0;
};

/// Where a training run starts: fresh, or from a model file, which may have been written by any strategy on
/// any number of devices. The settings determine the optimizer. Its states and steps come from the file if
/// the file's optimizer is of the same kind; otherwise the file's parameters start with fresh ones. Throws
/// ConfigError if the number of towers differs: independent towers can become neither one tower nor more
/// towers.
template <class Real>
struct StartingState {
  Architecture architecture;
  OptimizerSettings optimizer;
  const ModelFile<Real>* file = nullptr;  // null: fresh
  /// Columns at which model parallelism should preferably cut the first layer (slot_borders); empty:
  /// anywhere.
  std::vector<std::uint64_t> borders = {};

  /// Throws DeviceError if the device cannot hold it, and ConfigError for double on a GPU.
  std::unique_ptr<Replica<Real>> replica(const Device& device, std::size_t tower,
                                         const ReplicaShape& shape) const;
};

/// Returns the strategy of `settings` for this rank. A single device needs no communication and always gets
/// the same strategy. Throws ConfigError.
template <class Real>
std::unique_ptr<Strategy<Real>> make_strategy(const ParallelSettings& settings, Communicator& communicator,
                                              const StartingState<Real>& start);

/// Writes the model that the ranks hold together. Rank 0 writes it piece by piece, so that no rank needs
/// memory for the whole model. Sets `header.steps`; reads `header.source` on rank 0 only. Collective. Throws on rank 0
/// what ModelWriter throws.
template <class Real>
void save_model(const std::string& path, Communicator& communicator, const Strategy<Real>& strategy,
                ModelHeader& header);

}  // namespace widehash
