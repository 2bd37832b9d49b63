/// \file
/// Model parallelism: the first layer's columns and their optimizer state are divided, the tail is on every device.
///
///     partial sums of all rows over the own columns
///     all-reduce of the sums [rows x units]             the one meeting of a step
///     tail forward and backward                         the same bits on every device: nothing to agree on
///     gradient and optimizer step of the own columns
///
/// Ranges meet where no slot is cut, if such a column is near: a cut slot costs a check at every code.
/// A rank sends 2 (P - 1) / P B U numbers a step for B rows and U units of the first layer, whatever the number of columns.

#include "step_pieces.hpp"
#include "strategies.hpp"

#include <widehash/loss.hpp>

namespace widehash::detail {
namespace {

template <class Real>
class ModelParallel final : public Strategy<Real> {
 public:
  ModelParallel(Communicator& communicator, const StartingState<Real>& start)
      : communicator_(communicator),
        replica_(start.replica(communicator.device(), 0, own_shape(start, communicator))) {}

  RowSlice rows_of_step(std::uint64_t step_rows) const override { return {0, step_rows}; }

  std::shared_ptr<PreparedRows> prepare(const CodeBatchView& rows) override {
    return replica_->prepare(rows);
  }

  LossSum step(const CodeBatchView& rows, const StepInfo& info) override {
    const ActivityScope scope(communicator_.clock(), Activity::compute);
    const double weight = sum_of_weights(rows.weights, rows.num_rows);
    if (weight == 0) return {};
    const double loss =
        replica_->forward_backward(rows, weight, info.name, info.prepared,
                                   [&](DeviceSpan<Real> sums) { communicator_.all_reduce(sums); });
    replica_->update(info.name);
    // Every rank has the whole loss; one answers for it.
    return communicator_.rank() == 0 ? LossSum{loss, weight} : LossSum{};
  }

  void predict(const CodeBatchView& rows, std::span<Real> predictions) override {
    const ActivityScope scope(communicator_.clock(), Activity::compute);
    replica_->first_forward(rows);
    communicator_.all_reduce(replica_->first_sums());
    replica_->predict_from_sums(predictions);
  }

  std::vector<const Replica<Real>*> parts() const override { return {replica_.get()}; }

 private:
  static ReplicaShape own_shape(const StartingState<Real>& start, const Communicator& communicator) {
    const ColumnRange own = columns_of(column_offsets(start.architecture, communicator.size(), start.borders),
                                       communicator.rank());
    return {own, own};
  }

  Communicator& communicator_;
  std::unique_ptr<Replica<Real>> replica_;  // of this rank's columns
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
