#pragma once

/// \file
/// One device's part in a training by several. Every rank makes a strategy of the same settings and calls its
/// functions in the same order; all of them are collective. The strategies compose the pieces of replica.hpp
/// with the collectives of communicator.hpp: the replica knows no ranks, the communicators know no layers,
/// and neither does a strategy know what kind of device it is on.
///
/// Each is a file of parallel/: single_device, data_parallel, model_parallel, tower_gradients,
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

/// What a rank answers for: the sums over all ranks are those of the step.
struct LossSum {
  double loss = 0;    // weighted sum
  double weight = 0;  // sum of weights
};

template <class Real>
class Strategy {
 public:
  virtual ~Strategy() = default;

  /// The rows of a step that this rank reads; together the ranks read each row at least once, and only model
  /// parallelism reads it more than once. May be empty: the rank takes part all the same.
  virtual RowSlice rows_of_step(std::uint64_t step_rows) const = 0;

  /// As Replica::prepare, for rows of a step to come. Not collective.
  virtual std::shared_ptr<PreparedRows> prepare(const CodeBatchView& rows) = 0;

  /// Trains on those rows. A step without weight moves nothing. A device may still be at it on return: the
  /// result is of the first step not yet accounted for, or nothing where none is done. Throws DataError
  /// naming the step where loss or gradient are not finite, on at least one rank, CommError on the others; so
  /// may the calls after it.
  virtual LossSum step(const CodeBatchView& rows, const StepInfo& info) = 0;

  /// The next of the steps not yet accounted for, in order; none when all are. To be asked until then before
  /// predict(), parts() and what is made of them. Not collective.
  virtual std::optional<LossSum> settle() { return std::nullopt; }

  /// Predictions through the link for `rows`, which are the same on every rank; so is the result.
  virtual void predict(const CodeBatchView& rows, std::span<Real> predictions) = 0;

  /// Whether the parts of the ranks are one state now: a tower between two means is not.
  virtual bool is_whole() const noexcept { return true; }

  /// What this rank answers for of each tower: some columns with their states, and the whole tail; null:
  /// nothing. There is one tower, but for Mix::predictions.
  virtual std::vector<const Replica<Real>*> parts() const = 0;
};

/// Where a training starts: fresh, or from a model file that any strategy on any number of devices wrote. The
/// optimizer is that of the settings; states and steps are those of the file where that is of the same kind,
/// else fresh ones for its parameters. Throws ConfigError where the number of towers is another: independent
/// towers cannot become one, nor more.
template <class Real>
struct StartingState {
  Architecture architecture;
  OptimizerSettings optimizer;
  const ModelFile<Real>* file = nullptr;  // null: fresh
  /// Columns at which model parallelism had best cut the first layer (slot_borders); empty: anywhere.
  std::vector<std::uint64_t> borders = {};

  /// Throws DeviceError where the device cannot take it, ConfigError for double on a GPU.
  std::unique_ptr<Replica<Real>> replica(const Device& device, std::size_t tower,
                                         const ReplicaShape& shape) const;
};

/// The strategy of `settings` for this rank. A world of one device needs no
/// communication and is always the same strategy. Throws ConfigError.
template <class Real>
std::unique_ptr<Strategy<Real>> make_strategy(const ParallelSettings& settings, Communicator& communicator,
                                              const StartingState<Real>& start);

/// Writes the model that the ranks hold together. Rank 0 writes, a piece at a time, so that no rank needs
/// memory for the whole. `header.steps` is filled in here. Collective. Throws what ModelWriter throws, on
/// rank 0.
template <class Real>
void save_model(const std::string& path, Communicator& communicator, const Strategy<Real>& strategy,
                ModelHeader header);

}  // namespace widehash
