/// \file
/// Towers that mix predictions: trained apart, each from a seed and on rows of its own; the model is all of them, and its
/// prediction their mean. No bytes are sent while training.

#include "steps_in_flight.hpp"
#include "strategies.hpp"

namespace widehash::detail {
namespace {

template <class Real>
class TowerPredictions final : public Strategy<Real> {
 public:
  TowerPredictions(Communicator& communicator, const StartingState<Real>& start, std::uint64_t batch_size)
      : communicator_(communicator),
        batch_size_(batch_size),
        replica_(start.replica(communicator.device(), tower(), whole_replica(start.architecture))),
        steps_(*replica_) {}

  RowSlice rows_of_step(std::uint64_t step_rows) const override {
    return tower_rows(step_rows, batch_size_, communicator_.rank());
  }

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
    communicator_.all_reduce(predictions);
    const Real count = static_cast<Real>(communicator_.size());
    for (Real& value : predictions) value /= count;
  }

  std::vector<const Replica<Real>*> parts() const override {
    std::vector<const Replica<Real>*> parts(static_cast<std::size_t>(communicator_.size()));
    parts[tower()] = replica_.get();
    return parts;
  }

 private:
  std::size_t tower() const noexcept { return static_cast<std::size_t>(communicator_.rank()); }

  Communicator& communicator_;
  std::uint64_t batch_size_;
  std::unique_ptr<Replica<Real>> replica_;
  StepsInFlight<Real> steps_;
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
