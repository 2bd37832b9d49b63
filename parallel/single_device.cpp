/// \file
/// A world of one device: the network's own step.

#include "strategies.hpp"

#include <widehash/loss.hpp>

namespace widehash::detail {
namespace {

template <class Real>
class SingleDevice final : public Strategy<Real> {
 public:
  SingleDevice(Communicator& communicator, const StartingState<Real>& start)
      : communicator_(communicator),
        network_(start.network(0, all_columns(start.architecture))),
        optimizer_(start.make_optimizer(0, network_.parameters())) {}

  RowSlice rows_of_step(std::uint64_t step_rows) const override { return {0, step_rows}; }

  LossSum step(const CodeBatchView& rows, const StepInfo& info) override {
    const ActivityScope scope(communicator_.clock(), Activity::compute);
    const double weight = sum_of_weights(rows.weights, rows.num_rows);
    return {network_.train_step(rows, optimizer_, info.name), weight};
  }

  void predict(const CodeBatchView& rows, std::span<Real> predictions) override {
    const ActivityScope scope(communicator_.clock(), Activity::compute);
    network_.predict(rows, work_, predictions);
  }

  std::vector<TowerPart<Real>> parts() const override { return {{&network_.parameters(), &optimizer_}}; }

 private:
  Communicator& communicator_;
  Network<Real> network_;
  Optimizer<Real> optimizer_;
  Workspace<Real> work_;
};

}  // namespace

template <class Real>
std::unique_ptr<Strategy<Real>> make_single_device(Communicator& communicator,
                                                   const StartingState<Real>& start) {
  return std::make_unique<SingleDevice<Real>>(communicator, start);
}

template std::unique_ptr<Strategy<float>> make_single_device(Communicator&, const StartingState<float>&);
template std::unique_ptr<Strategy<double>> make_single_device(Communicator&, const StartingState<double>&);

}  // namespace widehash::detail
