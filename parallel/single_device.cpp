/// \file
/// A world of one device: the network's own step.

#include "steps_in_flight.hpp"
#include "strategies.hpp"

namespace widehash::detail {
namespace {

template <class Real>
class SingleDevice final : public Strategy<Real> {
 public:
  SingleDevice(Communicator& communicator, const StartingState<Real>& start)
      : communicator_(communicator),
        replica_(start.replica(communicator.device(), 0, whole_replica(start.architecture))),
        steps_(*replica_) {}

  RowSlice rows_of_step(std::uint64_t step_rows) const override { return {0, step_rows}; }

  std::shared_ptr<PreparedRows> prepare(const CodeBatchView& rows) override {
    return replica_->prepare(rows);
  }

  LossSum step(const CodeBatchView& rows, const StepInfo& info) override {
    const ActivityScope scope(communicator_.clock(), Activity::compute);
    return steps_.step(rows, info);
  }

  std::optional<LossSum> settle() override {
    const ActivityScope scope(communicator_.clock(), Activity::compute);
    return steps_.settle();
  }

  void predict(const CodeBatchView& rows, std::span<Real> predictions) override {
    const ActivityScope scope(communicator_.clock(), Activity::compute);
    replica_->predict(rows, predictions);
  }

  std::vector<const Replica<Real>*> parts() const override { return {replica_.get()}; }

 private:
  Communicator& communicator_;
  std::unique_ptr<Replica<Real>> replica_;
  StepsInFlight<Real> steps_;
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
