#pragma once

/// \file
/// A network and its optimizer as one device holds them: parameters, optimizer state, gradient and the
/// intermediate results of a step, all in the memory of that device. Strategies combine these operations with
/// collectives and are written once for all kinds of device. A step is either one operation, in which other
/// owners of columns may add to the sums of the first layer,
///
///     begin_step         sums = X W over columns()
///                        (complete: add up the sums of all owners of columns)
///                        tail forward, loss, gradient, one step of the optimizer
///
/// or two, between which others add to the gradient:
///
///     begin_gradient     gradient of these rows
///                        (add up gradients of all slices of the batch)
///     begin_update       one step of the optimizer over updated_columns() and the tail
///
/// The lines in parentheses are where several devices meet; a replica knows nothing about them. In both
/// cases, finish_step() ends the step.

#include <widehash/code_batch.hpp>
#include <widehash/device_span.hpp>
#include <widehash/network.hpp>
#include <widehash/optimizer.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace widehash {

/// Sets of numbers of the same shape that a replica holds. The gradient is that of the last begin_gradient().
enum class ValueSet { parameters, first_state, second_state, gradient };

/// Numbers that follow the tail of a gradient: see Replica::with_tail.
inline constexpr std::size_t num_refusals = 2;

/// The set of optimizer state number `index`, 0 or 1.
constexpr ValueSet state_set(int index) noexcept {
  return index == 0 ? ValueSet::first_state : ValueSet::second_state;
}

/// Rows that a replica has begun to transfer to its device, or what it has computed about them; see
/// Replica::prepare.
class PreparedRows {
 public:
  explicit PreparedRows(double weight) : weight_(weight) {}
  virtual ~PreparedRows() = default;

  /// sum_of_weights() of the rows. Computing it takes as long as a step on a GPU, because it is a chain of
  /// additions.
  double weight() const noexcept { return weight_; }

 private:
  double weight_;
};

struct ReplicaShape {
  ColumnRange columns;          // columns of the first layer that forward and backward passes see
  ColumnRange updated_columns;  // those that the optimizer updates and has states for
  /// The replica is trained by begin_gradient() and begin_update(). Others add to its gradient, which
  /// therefore must be complete and not only where this replica's rows touch it.
  bool shares_gradient = false;
  /// Spends no memory or time on training.
  bool predicts_only = false;
  /// Parameters and states of others are added to its own, so it needs room for what they send.
  bool shares_parameters = false;
};

template <class Real>
class Replica {
 public:
  virtual ~Replica() = default;

  const Architecture& architecture() const noexcept { return architecture_; }
  const OptimizerSettings& optimizer() const noexcept { return optimizer_; }
  const ReplicaShape& shape() const noexcept { return shape_; }

  /// Begins to transfer rows to the device while earlier steps are running. May be called by any number of
  /// threads. The result is for one step with the same rows and must not outlive the replica; it is null if
  /// preparing gains nothing. For codes that are already on the device, it transfers targets and weights; the
  /// codes are not read before the step begins. Throws ShapeError as the step would.
  virtual std::shared_ptr<PreparedRows> prepare(const CodeBatchView& rows) = 0;

  // Steps. On a separate device, a step runs while the host prepares the next one, so the host may begin up
  // to steps_ahead() + 1 steps before it finishes the first. When the function that took the rows returns,
  // the rows may change and their prepared form may be released; `prepared` may be null. Until all steps are
  // finished, the only calls allowed are prepare(), and first_values() and with_tail() for collectives, which
  // run after what has begun.
  //
  // They throw, in finish_step() at the latest: DataError naming `step` where the loss or the gradient is not
  // finite; ShapeError where the rows do not belong to this network.

  /// Adds to the sums of rows what other owners of columns have for them. How often a step calls it depends
  /// only on the number of rows.
  using CompleteSums = std::function<void(DeviceSpan<Real>)>;

  /// Like Network::train_step. A replica that does not hold all columns needs `complete`, which is called
  /// with [rows x units of the first layer], without the bias, in the order of rows; it is not called if the
  /// rows have no weight. updated_columns() must equal columns().
  virtual void begin_step(const CodeBatchView& rows, std::string_view step, PreparedRows* prepared = nullptr,
                          const CompleteSums& complete = {}) = 0;

  /// Overwrites the gradient, which is divided by `normaliser`. begin_update() must follow to make the step
  /// complete.
  virtual void begin_gradient(const CodeBatchView& rows, double normaliser, std::string_view step,
                              PreparedRows* prepared = nullptr) = 0;
  /// Updates the parameters in the step begun by begin_gradient().
  virtual void begin_update() = 0;

  /// Returns the weighted loss sum of the oldest step begun. If it throws, all steps begun are discarded, and
  /// the parameters are as they were before that step.
  virtual double finish_step() = 0;
  /// 0 if steps are complete as soon as they are begun.
  virtual std::size_t steps_ahead() const noexcept { return 0; }

  double train_step(const CodeBatchView& rows, std::string_view step, PreparedRows* prepared = nullptr) {
    begin_step(rows, step, prepared);
    return finish_step();
  }

  /// Computes the rows' predictions through the link.
  virtual void predict(const CodeBatchView& rows, std::span<Real> predictions,
                       const CompleteSums& complete = {}) = 0;

  // What several replicas exchange.

  /// The first layer's numbers of a set: over columns() for parameters and gradient, over updated_columns()
  /// for states.
  virtual DeviceSpan<Real> first_values(ValueSet set) = 0;
  /// Calls `work` with all other numbers of a set as one contiguous run and stores what it leaves there. A
  /// gradient is followed by num_refusals more numbers: how many replicas found that their loss, and how many
  /// that their gradient, is not finite. Summed with the gradient, they let all replicas refuse the same step
  /// for the same reason.
  virtual void with_tail(ValueSet set, const std::function<void(DeviceSpan<Real>)>& work) = 0;
  /// set *= factor
  virtual void scale(ValueSet set, double factor) = 0;
  /// Sets FTRL's z to the one that yields the current weight under the current n; where the weight is 0, to
  /// the one nearest to the current z.
  virtual void anchor_ftrl() = 0;

  /// Number of steps done.
  virtual std::uint64_t step() const noexcept = 0;
  virtual void set_step(std::uint64_t step) noexcept = 0;

  /// Returns values [begin, begin + count) of tensor number `tensor` of Parameters::tensors(), in host
  /// memory: either in place or in `scratch`. The first tensor is cut to updated_columns().
  virtual std::span<const Real> read(ValueSet set, std::size_t tensor, std::size_t begin, std::size_t count,
                                     std::vector<Real>& scratch) const = 0;

 protected:
  Replica(Architecture architecture, const OptimizerSettings& optimizer, const ReplicaShape& shape)
      : architecture_(std::move(architecture)), optimizer_(optimizer), shape_(shape) {}

 private:
  Architecture architecture_;
  OptimizerSettings optimizer_;
  ReplicaShape shape_;
};

/// A replica on the processor. `network` must hold shape.columns and `optimizer` the states of
/// shape.updated_columns; throws ShapeError otherwise.
template <class Real>
std::unique_ptr<Replica<Real>> make_cpu_replica(Network<Real> network, Optimizer<Real> optimizer,
                                                const ReplicaShape& shape);

/// The same on a CUDA device, to which network and optimizer are copied. Throws DeviceError where this build
/// or this machine has no such device, or where its memory does not suffice; the message then shows the
/// arithmetic. Its calls and its destructor leave `device` as the current device of the calling thread.
std::unique_ptr<Replica<float>> make_cuda_replica(int device, const Network<float>& network,
                                                  const Optimizer<float>& optimizer,
                                                  const ReplicaShape& shape);

}  // namespace widehash
