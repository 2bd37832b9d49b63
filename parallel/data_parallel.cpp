/// \file
/// Data parallelism: one batch cut in slices, one set of parameters.
///
///     gradient of the slice, divided by the weight of the whole batch      each device, all columns
///     reduce-scatter of the first layer's, all-reduce of the tail's        each device gets the sum of its columns
///     optimizer step                                                       each device, its columns and the tail
///     all-gather of the first layer                                        the parameters are one again
///
/// Optimizer state and update are divided among the devices: with D parameters in the first layer, a rank sends
/// 2 (P - 1) / P D numbers a step, as an all-reduce of the gradient would, updates D / P, and keeps D / P of each state.

#include "step_pieces.hpp"
#include "strategies.hpp"

namespace widehash::detail {
namespace {

template <class Real>
class DataParallel final : public Strategy<Real> {
 public:
  DataParallel(Communicator& communicator, const StartingState<Real>& start)
      : communicator_(communicator),
        columns_(column_offsets(start.architecture, communicator.size())),
        network_(start.network(0, all_columns(start.architecture))),
        own_(start.network(0, columns_of(columns_, communicator.rank())).parameters()),
        optimizer_(start.make_optimizer(0, own_)),
        gradient_(network_.make_gradient()),
        own_gradient_(make_zero_parameters<Real>(start.architecture, own_.columns)) {
    values_ = columns_;
    for (std::size_t& offset : values_) offset *= own_.units;
  }

  RowSlice rows_of_step(std::uint64_t step_rows) const override {
    const auto offsets = even_offsets(step_rows, static_cast<std::size_t>(communicator_.size()));
    const auto rank = static_cast<std::size_t>(communicator_.rank());
    return {offsets[rank], offsets[rank + 1] - offsets[rank]};
  }

  LossSum step(const CodeBatchView& rows, const StepInfo& info) override {
    const ActivityScope scope(communicator_.clock(), Activity::compute);
    const double weight = agree_on_weight(communicator_, rows, info.step_rows);
    if (weight == 0) return {};
    const double loss = loss_and_gradient(network_, rows, weight, info.name, work_, gradient_);

    communicator_.reduce_scatter(std::span<const Real>(gradient_.first_weights), values_,
                                 std::span<Real>(own_gradient_.first_weights));
    copy_tail(gradient_, own_gradient_);
    all_reduce_tail(communicator_, own_gradient_, scratch_);
    require_finite(own_gradient_, info.name);
    optimizer_.update(own_, own_gradient_, nullptr);

    communicator_.template all_gather<Real>(own_.first_weights, values_, network_.parameters().first_weights);
    copy_tail(own_, network_.parameters());
    return {loss, sum_of_weights(rows.weights, rows.num_rows)};
  }

  void predict(const CodeBatchView& rows, std::span<Real> predictions) override {
    predict_in_slices(communicator_, network_, rows, work_, predictions);
  }

  std::vector<TowerPart<Real>> parts() const override { return {{&own_, &optimizer_}}; }

 private:
  Communicator& communicator_;
  std::vector<std::size_t> columns_;  // where the ranks' columns begin
  std::vector<std::size_t> values_;   // the same in weights
  Network<Real> network_;
  Parameters<Real> own_;  // this rank's columns and the tail
  Optimizer<Real> optimizer_;
  Parameters<Real> gradient_;
  Parameters<Real> own_gradient_;
  Workspace<Real> work_;
  std::vector<Real> scratch_;
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
