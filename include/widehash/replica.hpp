#pragma once

/// \file
/// A network with its optimizer as one device holds it: parameters, optimizer state, gradient and what lives between the
/// pieces of a step, all in the memory of that device. Strategies compose these operations with collectives and are
/// written once for every kind of device. A step is
///
///     first_forward      first_sums() = X W over columns()
///     (add up the sums of all owners of columns)
///     backward           tail forward, loss, gradient of tail and first layer, overwritten
///     (add up gradients of all slices of the batch)
///     update             one step of the optimizer over updated_columns() and the tail
///
/// The lines in parentheses are where several devices meet; a replica knows nothing of them.

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

/// Sets of numbers of one shape that a replica holds. The gradient is that of the last backward().
enum class ValueSet { parameters, first_state, second_state, gradient };

/// The set of optimizer state `index`, 0 or 1.
constexpr ValueSet state_set(int index) noexcept {
  return index == 0 ? ValueSet::first_state : ValueSet::second_state;
}

/// Rows that a replica has begun to bring to its device; see Replica::prepare.
class PreparedRows {
 public:
  virtual ~PreparedRows() = default;
};

struct ReplicaShape {
  ColumnRange columns;          // of the first layer: those that forward and backward see
  ColumnRange updated_columns;  // of them: those that the optimizer moves and has states of
  /// Others add to the gradient before update(), so that it must be whole and not only where this replica's rows touch it.
  bool shares_gradient = false;
  /// Neither memory nor time for training.
  bool predicts_only = false;
};

template <class Real>
class Replica {
 public:
  virtual ~Replica() = default;

  const Architecture& architecture() const noexcept { return architecture_; }
  const OptimizerSettings& optimizer() const noexcept { return optimizer_; }
  const ReplicaShape& shape() const noexcept { return shape_; }

  /// Begins to bring rows to the device, beside the steps that are going on; any number of threads. What it returns is for
  /// one step with the same rows, and must not outlive the replica; null where there is nothing to gain.
  virtual std::shared_ptr<PreparedRows> prepare(const CodeBatchView& rows) = 0;

  // One device, which holds all columns and updates them. As the functions of Network; `prepared` may be null.

  double train_step(const CodeBatchView& rows, std::string_view step, PreparedRows* prepared = nullptr) {
    begin_step(rows, step, prepared);
    return finish_step();
  }
  /// The two halves of train_step(), which throw between them what it throws: on a device of its own a step goes on while the
  /// host prepares the next, so the host may be steps_ahead() + 1 steps ahead before it looks at the first. Rows may change,
  /// and what was prepared of them be given back, when begin_step() returns. All must be finished before anything
  /// else is asked of the replica but prepare().
  virtual void begin_step(const CodeBatchView& rows, std::string_view step, PreparedRows* prepared) = 0;
  /// The loss of the first of the steps begun. Where it throws, all that were begun are gone, and the parameters are as they
  /// were before that one.
  virtual double finish_step() = 0;
  /// 0 where steps are done when begin_step() returns.
  virtual std::size_t steps_ahead() const noexcept { return 0; }
  virtual void predict(const CodeBatchView& rows, std::span<Real> predictions) = 0;

  // The pieces. `rows` must stay as they are from first_forward() to the end of backward().

  virtual void first_forward(const CodeBatchView& rows, PreparedRows* prepared = nullptr) = 0;
  /// [rows x units of the first layer], without the bias.
  virtual DeviceSpan<Real> first_sums() = 0;
  /// The weighted loss sum of the rows; overwrites the gradient, which is divided by `normaliser`. Throws DataError naming
  /// `step` where loss or outputs are not finite.
  virtual double backward(double normaliser, std::string_view step) = 0;
  /// first_forward() and backward() in one: the same gradient, on the processor bit for bit, and rows may be taken a few at a
  /// time, the next when the last ones have gone both ways. `complete` adds to first_sums() of those rows what other owners of columns have
  /// for them; empty where there are none. How often it is called depends on the number of rows alone.
  virtual double forward_backward(const CodeBatchView& rows, double normaliser, std::string_view step,
                                  PreparedRows* prepared = nullptr,
                                  const std::function<void(DeviceSpan<Real>)>& complete = {}) {
    first_forward(rows, prepared);
    if (complete) complete(first_sums());
    return backward(normaliser, step);
  }
  /// Throws DataError naming `step` where the gradient is not finite; the parameters are then as they were.
  virtual void update(std::string_view step) = 0;
  /// The rows' predictions through the link, from first_sums().
  virtual void predict_from_sums(std::span<Real> predictions) = 0;

  // What several replicas exchange.

  /// The first layer's numbers of a set: of columns() for parameters and gradient, of updated_columns() for states.
  virtual DeviceSpan<Real> first_values(ValueSet set) = 0;
  /// Calls `work` with all other numbers of a set as one run, and takes over what it left there.
  virtual void with_tail(ValueSet set, const std::function<void(DeviceSpan<Real>)>& work) = 0;
  /// set *= factor
  virtual void scale(ValueSet set, double factor) = 0;
  /// Sets ftrl's z to the one whose weight is the weight, under the present n; where that is 0 to the nearest to z.
  virtual void anchor_ftrl() = 0;

  /// Steps done.
  virtual std::uint64_t step() const noexcept = 0;
  virtual void set_step(std::uint64_t step) noexcept = 0;

  /// Values [begin, begin + count) of tensor `tensor` of Parameters::tensors(), in host memory: either where they are or in
  /// `scratch`. The first tensor is cut to updated_columns().
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

/// A replica on the processor. `network` holds shape.columns and `optimizer` the states of shape.updated_columns. Throws
/// ShapeError where they do not.
template <class Real>
std::unique_ptr<Replica<Real>> make_cpu_replica(Network<Real> network, Optimizer<Real> optimizer,
                                                const ReplicaShape& shape);

/// The same on a CUDA device, to which both are copied. Throws DeviceError where this build or this machine has no such
/// device, or its memory does not suffice: then with the arithmetic.
std::unique_ptr<Replica<float>> make_cuda_replica(int device, const Network<float>& network,
                                                  const Optimizer<float>& optimizer,
                                                  const ReplicaShape& shape);

}  // namespace widehash
