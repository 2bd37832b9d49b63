/// \file
/// Towers that mix predictions: trained apart, each from a seed and on rows of its own; the model is all of them, and its
/// prediction their mean. No bytes are sent while training.

#include "replica_strategy.hpp"
#include "strategies.hpp"

namespace widehash::detail {
namespace {

template <class Real>
class TowerPredictions final : public ReplicaStrategy<Real> {
 public:
  TowerPredictions(Communicator& communicator, const StartingState<Real>& start, std::uint64_t batch_size)
      : ReplicaStrategy<Real>(communicator, start.replica(communicator.device(), tower_of(communicator),
                                                          whole_replica(start.architecture))),
        batch_size_(batch_size) {}

  RowSlice rows_of_step(std::uint64_t step_rows) const override {
    return tower_rows(step_rows, batch_size_, this->communicator().rank());
  }

  void predict(const CodeBatchView& rows, std::span<Real> predictions) override {
    const ActivityScope scope(this->communicator().clock(), Activity::compute);
    this->replica().predict(rows, predictions);
    this->communicator().all_reduce(predictions);
    const Real count = static_cast<Real>(this->communicator().size());
    for (Real& value : predictions) value /= count;
  }

  std::vector<const Replica<Real>*> parts() const override {
    std::vector<const Replica<Real>*> parts(static_cast<std::size_t>(this->communicator().size()));
    parts[tower_of(this->communicator())] = &this->replica();
    return parts;
  }

 private:
  static std::size_t tower_of(const Communicator& communicator) noexcept {
    return static_cast<std::size_t>(communicator.rank());
  }

  std::uint64_t batch_size_;
};

}  // namespace

template <class Real>
std::unique_ptr<Strategy<Real>> make_tower_predictions(Communicator& communicator,
                                                       const StartingState<Real>& start,
                                                       std::uint64_t batch_size) {
  return std::make_unique<TowerPredictions<Real>>(communicator, start, batch_size);
}

template std::unique_ptr<Strategy<float>> make_tower_predictions(Communicator&, const StartingState<float>&,
                                                                 std::uint64_t);
template std::unique_ptr<Strategy<double>> make_tower_predictions(Communicator&, const StartingState<double>&,
                                                                  std::uint64_t);

}  // namespace widehash::detail
