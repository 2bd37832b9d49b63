#pragma once

/// \file
/// A network with its optimizer as one device holds it: parameters, optimizer state, gradient and what a step
/// needs in between, all in the memory of that device. Strategies compose these operations with collectives
/// and are written once for every kind of device. A step is either one operation, in which other owners of
/// columns may add to the sums of the first layer,
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
/// The lines in parentheses are where several devices meet; a replica knows nothing of them. Either way
/// finish_step() ends the step.

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

/// Sets of numbers of one shape that a replica holds. The gradient is that of the last begin_gradient().
enum class ValueSet { parameters, first_state, second_state, gradient };

/// Numbers behind the tail of a gradient: see Replica::with_tail.
inline constexpr std::size_t num_refusals = 2;

/// The set of optimizer state `index`, 0 or 1.
constexpr ValueSet state_set(int index) noexcept {
  return index == 0 ? ValueSet::first_state : ValueSet::second_state;
}

/// Rows that a replica has begun to bring to its device, or what it has found out about them; see
/// Replica::prepare.
class PreparedRows {
 public:
  explicit PreparedRows(double weight) : weight_(weight) {}
  virtual ~PreparedRows() = default;

  /// sum_of_weights() of the rows, which takes as long as a GPU's step: an addition after the other.
  double weight() const noexcept { return weight_; }

 private:
  double weight_;
};

struct ReplicaShape {
  ColumnRange columns;          // of the first layer: those that forward and backward see
  ColumnRange updated_columns;  // of them: those that the optimizer moves and has states of
  /// It is trained by begin_gradient() and begin_update(): others add to the gradient, so that it must be
  /// whole and not only where this replica's rows touch it.
  bool shares_gradient = false;
  /// Neither memory nor time for training.
  bool predicts_only = false;
  /// Others' parameters and states are added to its own, so that there must be room for what they send.
  bool shares_parameters = false;
};

template <class Real>
class Replica {
 public:
  virtual ~Replica() = default;

  const Architecture& architecture() const noexcept { return architecture_; }
  const OptimizerSettings& optimizer() const noexcept { return optimizer_; }
  const ReplicaShape& shape() const noexcept { return shape_; }

  /// Begins to bring rows to the device, beside the steps that are going on; any number of threads. What it
  /// returns is for one step with the same rows, and must not outlive the replica; null where there is
  /// nothing to gain. Of codes that lie on the device it brings targets and weights; the codes are not looked
  /// at before the step begins. Throws ShapeError as the step would.
  virtual std::shared_ptr<PreparedRows> prepare(const CodeBatchView& rows) = 0;

  // Steps. On a device of its own a step goes on while the host prepares the next, so the host may be
  // steps_ahead() + 1 steps ahead before it looks at the first. Rows may change, and what was prepared of
  // them be given back, when the function that took them returns; `prepared` may be null. Before all are
  // finished nothing else may be asked of the replica but prepare(), and first_values() and with_tail() for
  // collectives, which come behind what is begun.
  //
  // Throw, at the latest in finish_step(), DataError naming `step` where loss or gradient are not finite;
  // ShapeError where the rows are not of this network.

  /// Adds to sums of rows what other owners of columns have for them. How often a step calls it depends on
  /// the number of rows alone.
  using CompleteSums = std::function<void(DeviceSpan<Real>)>;

  /// As Network::train_step. A replica that does not hold all columns needs `complete`, which is called with
  /// [rows x units of the first layer], without the bias, in the order of rows; not where the rows have no
  /// weight. updated_columns() must be columns().
  virtual void begin_step(const CodeBatchView& rows, std::string_view step, PreparedRows* prepared = nullptr,
                          const CompleteSums& complete = {}) = 0;

  /// Overwrites the gradient, which is divided by `normaliser`. The whole step when begin_update() has
  /// followed.
  virtual void begin_gradient(const CodeBatchView& rows, double normaliser, std::string_view step,
                              PreparedRows* prepared = nullptr) = 0;
  /// Of the step begun by begin_gradient().
  virtual void begin_update() = 0;

  /// The weighted loss sum of the first of the steps begun. Where it throws, all that were begun are gone,
  /// and the parameters are as they were before that one.
  virtual double finish_step() = 0;
  /// 0 where steps are done when they are begun.
  virtual std::size_t steps_ahead() const noexcept { return 0; }

  double train_step(const CodeBatchView& rows, std::string_view step, PreparedRows* prepared = nullptr) {
    begin_step(rows, step, prepared);
    return finish_step();
  }

  /// The rows' predictions through the link.
  virtual void predict(const CodeBatchView& rows, std::span<Real> predictions,
                       const CompleteSums& complete = {}) = 0;

  // What several replicas exchange.

  /// The first layer's numbers of a set: of columns() for parameters and gradient, of updated_columns() for
  /// states.
  virtual DeviceSpan<Real> first_values(ValueSet set) = 0;
  /// Calls `work` with all other numbers of a set as one run, and takes over what it left there. Behind those
  /// of a gradient stand num_refusals more: how many replicas found their loss, and how many their gradient,
  /// not to be finite. Added up with it, they let all replicas refuse the same step for the same reason.
  virtual void with_tail(ValueSet set, const std::function<void(DeviceSpan<Real>)>& work) = 0;
  /// set *= factor
  virtual void scale(ValueSet set, double factor) = 0;
  /// Sets ftrl's z to the one whose weight is the weight, under the present n; where that is 0 to the nearest
  /// to z.
  virtual void anchor_ftrl() = 0;

  /// Steps done.
  virtual std::uint64_t step() const noexcept = 0;
  virtual void set_step(std::uint64_t step) noexcept = 0;

  /// Values [begin, begin + count) of tensor `tensor` of Parameters::tensors(), in host memory: either where
  /// they are or in `scratch`. The first tensor is cut to updated_columns().
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

/// A replica on the processor. `network` holds shape.columns and `optimizer` the states of
/// shape.updated_columns. Throws ShapeError where they do not.
template <class Real>
std::unique_ptr<Replica<Real>> make_cpu_replica(Network<Real> network, Optimizer<Real> optimizer,
                                                const ReplicaShape& shape);

/// The same on a CUDA device, to which both are copied. Throws DeviceError where this build or this machine
/// has no such device, or its memory does not suffice: then with the arithmetic. Its calls, and its end, leave
/// `device` as the current one of the thread that calls.
std::unique_ptr<Replica<float>> make_cuda_replica(int device, const Network<float>& network,
                                                  const Optimizer<float>& optimizer,
                                                  const ReplicaShape& shape);

}  // namespace widehash
