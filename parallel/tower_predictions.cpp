/// \file
/// Towers that mix predictions: each tower is trained separately, from a seed and on rows of its own. The
/// model is all of them, and its prediction is their mean. No bytes are sent while training.

#include "replica_strategy.hpp"
#include "strategies.hpp"

namespace widehash::detail {
namespace {

template <class Real>
class TowerPredictions final : public ReplicaStrategy<Real> {
 public:
  TowerPredictions(Communicator& communicator, const StartingState<Real>& start)
      : ReplicaStrategy<Real>(communicator, start.replica(communicator.device(), tower_of(communicator),
                                                          whole_replica(start.architecture))) {}

  RowSlice rows_of_step(std::uint64_t step_rows) const override {
    return even_rows(step_rows, this->communicator());
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
};

}  // namespace

template <class Real>
std::unique_ptr<Strategy<Real>> make_tower_predictions(Communicator& communicator,
                                                       const StartingState<Real>& start) {
  return std::make_unique<TowerPredictions<Real>>(communicator, start);
}

template std::unique_ptr<Strategy<float>> make_tower_predictions(Communicator&, const StartingState<float>&);
template std::unique_ptr<Strategy<double>> make_tower_predictions(Communicator&,
                                                                  const StartingState<double>&);

}  // namespace widehash::detail
