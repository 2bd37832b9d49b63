/// \file
/// Towers that mix gradients: replicas, each with a batch of its own, make one step together.
///
///     gradient of the own batch, with the divisor of all batches together
///     all-reduce of all gradients
///     optimizer step                                   the same in every tower
///
/// This is the plain form of synchronous training: a rank sends 2 (P - 1) / P D numbers per step for D
/// parameters, and keeps all of the optimizer's state. data_parallel.cpp computes the same sums with less
/// memory; here the towers need not communicate during the update.

#include "replica_strategy.hpp"
#include "step_pieces.hpp"
#include "strategies.hpp"

#include <widehash/loss.hpp>

namespace widehash::detail {
namespace {

template <class Real>
class TowerGradients final : public ReplicaStrategy<Real> {
 public:
  TowerGradients(Communicator& communicator, const StartingState<Real>& start)
      : ReplicaStrategy<Real>(communicator,
                              start.replica(communicator.device(), 0, shape_of(start.architecture))) {}

  RowSlice rows_of_step(std::uint64_t step_rows) const override {
    return even_rows(step_rows, this->communicator());
  }

  LossSum step(const CodeBatchView& rows, const StepInfo& info) override {
    const ActivityScope scope(this->communicator().clock(), Activity::compute);
    const double own_weight = weight_of(rows, info.prepared);
    const double weight = agree_on_weight(this->communicator(), rows, own_weight, info.step_rows);
    if (weight == 0) return {};
    replica().begin_gradient(rows, gradient_normaliser(replica().optimizer(), weight, info.step_rows),
                             info.name, info.prepared);
    this->communicator().all_reduce(replica().first_values(ValueSet::gradient));
    all_reduce_tail(this->communicator(), replica(), ValueSet::gradient);
    replica().begin_update();
    return this->begun(own_weight);
  }

  void predict(const CodeBatchView& rows, std::span<Real> predictions) override {
    predict_in_slices(this->communicator(), replica(), rows, predictions);
  }

  std::vector<const Replica<Real>*> parts() const override {
    return {this->communicator().rank() == 0 ? &replica() : nullptr};
  }

 private:
  using ReplicaStrategy<Real>::replica;

  static ReplicaShape shape_of(const Architecture& architecture) {
    ReplicaShape shape = whole_replica(architecture);
    shape.shares_gradient = true;
    return shape;
  }
};

}  // namespace

template <class Real>
std::unique_ptr<Strategy<Real>> make_tower_gradients(Communicator& communicator,
                                                     const StartingState<Real>& start) {
  return std::make_unique<TowerGradients<Real>>(communicator, start);
}

template std::unique_ptr<Strategy<float>> make_tower_gradients(Communicator&, const StartingState<float>&);
template std::unique_ptr<Strategy<double>> make_tower_gradients(Communicator&, const StartingState<double>&);

}  // namespace widehash::detail
