/// \file
/// Data parallelism: one batch divided into slices, one set of parameters.
///
///     gradient of the slice, with the divisor of the whole batch          each device, all columns
///     reduce-scatter of the first layer's, all-reduce of the tail's        each device gets the sum of its columns
///     optimizer step                                                       each device, its columns and the tail
///     all-gather of the first layer                                        the parameters are the same everywhere
///
/// Optimizer state and update are divided among the devices. With D parameters in the first layer, a rank
/// sends 2 (P - 1) / P D numbers per step, as an all-reduce of the gradient would, updates D / P parameters,
/// and keeps D / P of each state. The sum for its columns overwrites its own gradient for them.

#include "replica_strategy.hpp"
#include "step_pieces.hpp"
#include "strategies.hpp"

#include <widehash/loss.hpp>

namespace widehash::detail {
namespace {

template <class Real>
class DataParallel final : public ReplicaStrategy<Real> {
 public:
  DataParallel(Communicator& communicator, const StartingState<Real>& start)
      : ReplicaStrategy<Real>(communicator,
                              start.replica(communicator.device(), 0, shape_of(start, communicator))),
        values_(column_offsets(start.architecture, communicator.size())) {
    for (std::size_t& offset : values_) offset *= start.architecture.first_units();
  }

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

    const DeviceSpan<Real> gradient = replica().first_values(ValueSet::gradient);
    this->communicator().template reduce_scatter<Real>(gradient, values_, own_part(gradient));
    all_reduce_tail(this->communicator(), replica(), ValueSet::gradient);
    replica().begin_update();

    const DeviceSpan<Real> weights = replica().first_values(ValueSet::parameters);
    this->communicator().template all_gather<Real>(own_part(weights), values_, weights);
    return this->begun(own_weight);
  }

  void predict(const CodeBatchView& rows, std::span<Real> predictions) override {
    predict_in_slices(this->communicator(), replica(), rows, predictions);
  }

  std::vector<const Replica<Real>*> parts() const override { return {&replica()}; }

 private:
  using ReplicaStrategy<Real>::replica;

  static ReplicaShape shape_of(const StartingState<Real>& start, const Communicator& communicator) {
    const auto columns = column_offsets(start.architecture, communicator.size());
    return {{0, start.architecture.num_columns}, columns_of(columns, communicator.rank()), true};
  }

  DeviceSpan<Real> own_part(DeviceSpan<Real> values) const noexcept {
    const auto rank = static_cast<std::size_t>(this->communicator().rank());
    return values.part(values_[rank], values_[rank + 1] - values_[rank]);
  }

  std::vector<std::size_t> values_;  // where each rank's numbers of the first layer begin
};

}  // namespace

template <class Real>
std::unique_ptr<Strategy<Real>> make_data_parallel(Communicator& communicator,
                                                   const StartingState<Real>& start) {
  return std::make_unique<DataParallel<Real>>(communicator, start);
}

template std::unique_ptr<Strategy<float>> make_data_parallel(Communicator&, const StartingState<float>&);
template std::unique_ptr<Strategy<double>> make_data_parallel(Communicator&, const StartingState<double>&);

}  // namespace widehash::detail
