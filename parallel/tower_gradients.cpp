/// \file
/// Towers that mix gradients: replicas, each with a batch of its own, make one step together.
///
///     gradient of the own batch, divided by the weight of all batches
///     all-reduce of all gradients
///     optimizer step                                   each tower the same
///
/// The plain form of synchronous training: a rank sends 2 (P - 1) / P D numbers a step for D parameters, and keeps all of
/// the optimizer's state. data_parallel.cpp gives the same sums with less memory; towers need not meet in the update.

#include "step_pieces.hpp"
#include "strategies.hpp"

#include <widehash/loss.hpp>

namespace widehash::detail {
namespace {

template <class Real>
class TowerGradients final : public Strategy<Real> {
 public:
  TowerGradients(Communicator& communicator, const StartingState<Real>& start, std::uint64_t batch_size)
      : communicator_(communicator),
        batch_size_(batch_size),
        replica_(start.replica(communicator.device(), 0, shape(start.architecture))) {}

  RowSlice rows_of_step(std::uint64_t step_rows) const override {
    return tower_rows(step_rows, batch_size_, communicator_.rank());
  }

  std::shared_ptr<PreparedRows> prepare(const CodeBatchView& rows) override {
    return replica_->prepare(rows);
  }

  LossSum step(const CodeBatchView& rows, const StepInfo& info) override {
    const ActivityScope scope(communicator_.clock(), Activity::compute);
    const double weight = agree_on_weight(communicator_, rows, info.step_rows);
    if (weight == 0) return {};
    const double loss = replica_->forward_backward(rows, weight, info.name, info.prepared);
    communicator_.all_reduce(replica_->first_values(ValueSet::gradient));
    all_reduce_tail(communicator_, *replica_, ValueSet::gradient);
    replica_->update(info.name);
    return {loss, sum_of_weights(rows.weights, rows.num_rows)};
  }

  void predict(const CodeBatchView& rows, std::span<Real> predictions) override {
    predict_in_slices(communicator_, *replica_, rows, predictions);
  }

  std::vector<const Replica<Real>*> parts() const override {
    return {communicator_.rank() == 0 ? replica_.get() : nullptr};
  }

 private:
  static ReplicaShape shape(const Architecture& architecture) {
    ReplicaShape shape = whole_replica(architecture);
    shape.shares_gradient = true;
    return shape;
  }

  Communicator& communicator_;
  std::uint64_t batch_size_;
  std::unique_ptr<Replica<Real>> replica_;
};

}  // namespace

template <class Real>
std::unique_ptr<Strategy<Real>> make_tower_gradients(Communicator& communicator,
                                                     const StartingState<Real>& start,
                                                     std::uint64_t batch_size) {
  return std::make_unique<TowerGradients<Real>>(communicator, start, batch_size);
}

template std::unique_ptr<Strategy<float>> make_tower_gradients(Communicator&, const StartingState<float>&,
                                                               std::uint64_t);
template std::unique_ptr<Strategy<double>> make_tower_gradients(Communicator&, const StartingState<double>&,
                                                                std::uint64_t);

}  // namespace widehash::detail
