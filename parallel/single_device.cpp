/// \file
/// A world of one device: only the network's own step.

#include "replica_strategy.hpp"
#include "strategies.hpp"

namespace widehash::detail {
namespace {

template <class Real>
class SingleDevice final : public ReplicaStrategy<Real> {
 public:
  SingleDevice(Communicator& communicator, const StartingState<Real>& start)
      : ReplicaStrategy<Real>(communicator,
                              start.replica(communicator.device(), 0, whole_replica(start.architecture))) {}

  RowSlice rows_of_step(std::uint64_t step_rows) const override { return {0, step_rows}; }

  void predict(const CodeBatchView& rows, std::span<Real> predictions) override {
    const ActivityScope scope(this->communicator().clock(), Activity::compute);
    this->replica().predict(rows, predictions);
  }

  std::vector<const Replica<Real>*> parts() const override { return {&this->replica()}; }
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
