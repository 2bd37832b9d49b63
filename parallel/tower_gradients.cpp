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

namespace widehash::detail {
namespace {

template <class Real>
class TowerGradients final : public Strategy<Real> {
 public:
  TowerGradients(Communicator& communicator, const StartingState<Real>& start, std::uint64_t batch_size)
      : communicator_(communicator),
        batch_size_(batch_size),
        network_(start.network(0, all_columns(start.architecture))),
        optimizer_(start.make_optimizer(0, network_.parameters())),
        gradient_(network_.make_gradient()) {}

  RowSlice rows_of_step(std::uint64_t step_rows) const override {
    return tower_rows(step_rows, batch_size_, communicator_.rank());
  }

  LossSum step(const CodeBatchView& rows, const StepInfo& info) override {
    const ActivityScope scope(communicator_.clock(), Activity::compute);
    const double weight = agree_on_weight(communicator_, rows, info.step_rows);
    if (weight == 0) return {};
    const double loss = loss_and_gradient(network_, rows, weight, info.name, work_, gradient_);
    communicator_.all_reduce(std::span<Real>(gradient_.first_weights));
    all_reduce_tail(communicator_, gradient_, scratch_);
    require_finite(gradient_, info.name);
    optimizer_.update(network_.parameters(), gradient_, nullptr);
    return {loss, sum_of_weights(rows.weights, rows.num_rows)};
  }

  void predict(const CodeBatchView& rows, std::span<Real> predictions) override {
    predict_in_slices(communicator_, network_, rows, work_, predictions);
  }

  std::vector<TowerPart<Real>> parts() const override {
    if (communicator_.rank() != 0) return {{}};
    return {{&network_.parameters(), &optimizer_}};
  }

 private:
  Communicator& communicator_;
  std::uint64_t batch_size_;
  Network<Real> network_;
  Optimizer<Real> optimizer_;
  Parameters<Real> gradient_;
  Workspace<Real> work_;
  std::vector<Real> scratch_;
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
