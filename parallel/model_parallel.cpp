/// \file
/// Model parallelism: the first layer's columns and their optimizer state are divided; the tail is on every
/// device.
///
///     partial sums of all rows over the own columns
///     all-reduce of the sums [rows x units]             the only collective, per 4,096 rows; on GPUs, for all rows
///     tail forward and backward                         same bits on all devices of a kind: no agreement needed
///     gradient and optimizer step of the own columns
///
/// A border between ranges is moved to a column that cuts no slot, if one is near: a cut slot costs a check
/// at every code. A rank sends 2 (P - 1) / P B U numbers per step for B rows and U units of the first layer,
/// whatever the number of columns.

#include "replica_strategy.hpp"
#include "step_pieces.hpp"
#include "strategies.hpp"

#include <widehash/loss.hpp>

namespace widehash::detail {
namespace {

template <class Real>
class ModelParallel final : public ReplicaStrategy<Real> {
 public:
  ModelParallel(Communicator& communicator, const StartingState<Real>& start)
      : ReplicaStrategy<Real>(communicator,
                              start.replica(communicator.device(), 0, shape_of(start, communicator))) {}

  RowSlice rows_of_step(std::uint64_t step_rows) const override { return {0, step_rows}; }

  LossSum step(const CodeBatchView& rows, const StepInfo& info) override {
    const ActivityScope scope(this->communicator().clock(), Activity::compute);
    replica().begin_step(rows, info.name, info.prepared, sums_of_all());
    // Every rank has the whole loss, so only rank 0 reports it.
    return this->begun(this->communicator().rank() == 0 ? weight_of(rows, info.prepared) : 0);
  }

  void predict(const CodeBatchView& rows, std::span<Real> predictions) override {
    const ActivityScope scope(this->communicator().clock(), Activity::compute);
    replica().predict(rows, predictions, sums_of_all());
  }

  std::vector<const Replica<Real>*> parts() const override { return {&replica()}; }

 private:
  using ReplicaStrategy<Real>::replica;

  static ReplicaShape shape_of(const StartingState<Real>& start, const Communicator& communicator) {
    const ColumnRange own = columns_of(column_offsets(start.architecture, communicator.size(), start.borders),
                                       communicator.rank());
    return {own, own};
  }

  typename Replica<Real>::CompleteSums sums_of_all() const {
    return [this](DeviceSpan<Real> sums) { this->communicator().all_reduce(sums); };
  }
};

}  // namespace

template <class Real>
std::unique_ptr<Strategy<Real>> make_model_parallel(Communicator& communicator,
                                                    const StartingState<Real>& start) {
  return std::make_unique<ModelParallel<Real>>(communicator, start);
}

template std::unique_ptr<Strategy<float>> make_model_parallel(Communicator&, const StartingState<float>&);
template std::unique_ptr<Strategy<double>> make_model_parallel(Communicator&, const StartingState<double>&);

}  // namespace widehash::detail
