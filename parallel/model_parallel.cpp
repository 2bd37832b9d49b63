/// \file
/// Model parallelism: the first layer's columns and their optimizer state are divided, the tail is on every device.
///
///     partial sums of all rows over the own columns
///     all-reduce of the sums [rows x units]             the one meeting of a step
///     tail forward and backward                         the same bits on every device: nothing to agree on
///     gradient and optimizer step of the own columns
///
/// A rank sends 2 (P - 1) / P B U numbers a step for B rows and U units of the first layer, whatever the number of columns.

#include "step_pieces.hpp"
#include "strategies.hpp"

#include <widehash/loss.hpp>

#include <algorithm>
#include <cmath>

namespace widehash::detail {
namespace {

template <class Real>
class ModelParallel final : public Strategy<Real> {
 public:
  ModelParallel(Communicator& communicator, const StartingState<Real>& start)
      : communicator_(communicator),
        network_(start.network(
            0, columns_of(column_offsets(start.architecture, communicator.size()), communicator.rank()))),
        optimizer_(start.make_optimizer(0, network_.parameters())),
        gradient_(network_.make_gradient()) {}

  RowSlice rows_of_step(std::uint64_t step_rows) const override { return {0, step_rows}; }

  LossSum step(const CodeBatchView& rows, const StepInfo& info) override {
    const ActivityScope scope(communicator_.clock(), Activity::compute);
    const double weight = sum_of_weights(rows.weights, rows.num_rows);
    if (weight == 0) return {};
    forward(rows);
    const double loss = network_.loss_and_output_gradient(rows, weight, work_, info.name);
    if (!std::isfinite(loss) || !all_finite<Real>(work_.outputs())) throw_not_finite(info.name, "the loss");
    network_.tail_backward(work_, gradient_);

    const std::uint64_t own_columns = network_.columns().size();
    const bool lists_columns =
        !needs_dense_update(optimizer_.settings()) && is_sparse_batch(rows, own_columns);
    if (lists_columns && touched_.range_size() != own_columns) touched_ = TouchedColumns(network_.columns());
    TouchedColumns* touched = lists_columns ? &touched_ : nullptr;
    network_.first_backward(rows, work_, gradient_, touched);
    require_finite(gradient_, info.name);
    optimizer_.update(network_.parameters(), gradient_, touched);
    clear_gradient(touched);
    // Every rank has the whole loss; one answers for it.
    return communicator_.rank() == 0 ? LossSum{loss, weight} : LossSum{};
  }

  void predict(const CodeBatchView& rows, std::span<Real> predictions) override {
    const ActivityScope scope(communicator_.clock(), Activity::compute);
    forward(rows);
    const auto outputs = work_.outputs();
    std::copy(outputs.begin(), outputs.end(), predictions.begin());
    apply_link<Real>(network_.architecture().loss, network_.architecture().outputs, predictions);
  }

  std::vector<TowerPart<Real>> parts() const override { return {{&network_.parameters(), &optimizer_}}; }

 private:
  void forward(const CodeBatchView& rows) {
    network_.first_forward(rows, work_);
    communicator_.all_reduce(work_.first_sums());
    network_.tail_forward(work_);
  }

  void clear_gradient(TouchedColumns* touched) {
    if (touched == nullptr) return fill_zero(gradient_);
    const std::size_t units = gradient_.units;
    for (const std::uint32_t position : touched->positions()) {
      const auto row = gradient_.first_weights.begin() + static_cast<std::ptrdiff_t>(position * units);
      std::fill(row, row + static_cast<std::ptrdiff_t>(units), Real{0});
    }
    const auto tensors = gradient_.tensors();
    for (std::size_t i = 1; i < tensors.size(); ++i)
      std::fill(tensors[i].values.begin(), tensors[i].values.end(), Real{0});
    touched->clear();
  }

  Communicator& communicator_;
  Network<Real> network_;  // this rank's columns
  Optimizer<Real> optimizer_;
  Parameters<Real> gradient_;  // zero between steps
  TouchedColumns touched_;
  Workspace<Real> work_;
};

}  // namespace

template <class Real>
std::unique_ptr<Strategy<Real>> make_model_parallel(Communicator& communicator,
                                                    const StartingState<Real>& start) {
  return std::make_unique<ModelParallel<Real>>(communicator, start);
}

template std::unique_ptr<Strategy<float>> make_model_parallel(Communicator&, const StartingState<float>&);
template std::unique_ptr<Strategy<double>> make_model_parallel(Communicator&, const StartingState<double>&);

}  // namespace widehash::detail
