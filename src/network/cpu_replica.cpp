#include "chunks.hpp"
#include "gradient_passes.hpp"
#include "update_rules.hpp"

#include <widehash/error.hpp>
#include <widehash/loss.hpp>
#include <widehash/replica.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace widehash {
namespace {

[[noreturn]] void throw_not_finite(std::string_view step, std::string_view what) {
  throw DataError(
      std::string(step), 0,
      fmt::format("{} is not finite; a smaller learning rate or scaled numeric features may help", what));
}

template <class Real>
class CpuReplica final : public Replica<Real> {
 public:
  using typename Replica<Real>::CompleteSums;

  CpuReplica(Network<Real> network, Optimizer<Real> optimizer, const ReplicaShape& shape)
      : Replica<Real>(network.architecture(), optimizer.settings(), shape),
        network_(std::move(network)),
        optimizer_(std::move(optimizer)) {
    bool fits = network_.columns() == shape.columns;
    for (const auto& state : optimizer_.states()) fits = fits && state.columns == shape.updated_columns;
    if (!fits) throw ShapeError("replica: network and optimizer do not hold the columns of its shape");
  }

  // Rows are read where they lie.
  std::shared_ptr<PreparedRows> prepare(const CodeBatchView&) override { return nullptr; }

  void begin_step(const CodeBatchView& rows, std::string_view step, PreparedRows*,
                  const CompleteSums& complete) override {
    if (!complete) {
      loss_ = network_.train_step(rows, optimizer_, step);
      return;
    }
    loss_ = 0;
    const double normaliser = sum_of_weights(rows.weights, rows.num_rows);
    if (normaliser == 0) return;
    compute_gradient(rows, normaliser, step, complete);
    update(step);
  }

  void begin_gradient(const CodeBatchView& rows, double normaliser, std::string_view step,
                      PreparedRows*) override {
    step_name_ = step;
    refusals_ = {};
    compute_gradient(rows, normaliser, step, {});
  }

  void begin_update() override {
    if (refusals_[0] != 0) throw_not_finite(step_name_, "the loss");
    if (refusals_[1] != 0) throw_not_finite(step_name_, "the gradient");
    update(step_name_);
  }

  double finish_step() override { return loss_; }

  void predict(const CodeBatchView& rows, std::span<Real> predictions,
               const CompleteSums& complete) override {
    network_.first_forward(rows, work_);
    if (complete) complete(on_host(work_.first_sums()));
    network_.predict_from_sums(work_, predictions);
  }

  DeviceSpan<Real> first_values(ValueSet set) override {
    return on_host(std::span<Real>(values(set).first_weights));
  }

  void with_tail(ValueSet set, const std::function<void(DeviceSpan<Real>)>& work) override {
    const auto tensors = values(set).tensors();
    scratch_.clear();
    for (std::size_t i = 1; i < tensors.size(); ++i)
      scratch_.insert(scratch_.end(), tensors[i].values.begin(), tensors[i].values.end());
    const bool has_refusals = set == ValueSet::gradient;
    if (has_refusals) scratch_.insert(scratch_.end(), refusals_.begin(), refusals_.end());
    work(on_host(std::span<Real>(scratch_)));
    auto from = scratch_.cbegin();
    for (std::size_t i = 1; i < tensors.size(); ++i) {
      const auto count = static_cast<std::ptrdiff_t>(tensors[i].values.size());
      std::copy(from, from + count, tensors[i].values.begin());
      from += count;
    }
    if (has_refusals) std::copy(from, scratch_.cend(), refusals_.begin());
  }

  void scale(ValueSet set, double factor) override {
    for (const auto& tensor : values(set).tensors()) {
      for (Real& value : tensor.values) value = static_cast<Real>(factor * value);
    }
  }

  void anchor_ftrl() override { optimizer_.anchor_ftrl(network_.parameters()); }

  std::uint64_t step() const noexcept override { return optimizer_.step(); }
  void set_step(std::uint64_t step) noexcept override { optimizer_.set_step(step); }

  std::span<const Real> read(ValueSet set, std::size_t tensor, std::size_t begin, std::size_t count,
                             std::vector<Real>&) const override {
    const Parameters<Real>& from = values(set);
    if (tensor == 0) begin += (this->shape().updated_columns.begin - from.columns.begin) * from.units;
    return std::span<const Real>(from.tensors()[tensor].values).subspan(begin, count);
  }

 private:
  Parameters<Real>& values(ValueSet set) {
    return const_cast<Parameters<Real>&>(std::as_const(*this).values(set));
  }
  const Parameters<Real>& values(ValueSet set) const {
    switch (set) {
      case ValueSet::parameters:
        return network_.parameters();
      case ValueSet::first_state:
        return optimizer_.states().at(0);
      case ValueSet::second_state:
        return optimizer_.states().at(1);
      case ValueSet::gradient:
        break;
    }
    return gradient_;
  }

  bool lists_columns(const CodeBatchView& rows) const noexcept {
    return !this->shape().shares_gradient && !needs_dense_update(optimizer_.settings()) &&
           detail::is_sparse_batch(rows, network_.columns(), gradient_.units);
  }
  const TouchedColumns* touched() const noexcept { return is_listed_ ? &touched_ : nullptr; }

  /// Slices of rows go both ways one after the other, so that what lies in between stays in the caches.
  void compute_gradient(const CodeBatchView& rows, double normaliser, std::string_view step,
                        const CompleteSums& complete) {
    clear_gradient();
    if (lists_columns(rows)) {
      if (touched_.range_size() != network_.columns().size()) touched_ = TouchedColumns(network_.columns());
      is_listed_ = true;
    }
    loss_ = 0;
    for (std::size_t begin = 0; begin < rows.num_rows; begin += detail::rows_per_slice) {
      const CodeBatchView slice = rows.rows(begin, std::min(detail::rows_per_slice, rows.num_rows - begin));
      network_.first_forward(slice, work_);
      if (complete) complete(on_host(work_.first_sums()));
      loss_ += add_gradient(slice, normaliser, step);
    }
  }

  /// From the sums of `rows`; returns their loss sum.
  double add_gradient(const CodeBatchView& rows, double normaliser, std::string_view step) {
    network_.tail_forward(work_);
    const double loss = network_.loss_and_output_gradient(rows, normaliser, work_, step);
    if (!std::isfinite(loss) || !all_finite<Real>(work_.outputs())) throw_not_finite(step, "the loss");
    network_.tail_backward(work_, gradient_);
    network_.first_backward(rows, work_, gradient_, is_listed_ ? &touched_ : nullptr);
    return loss;
  }

  /// Made at the first gradient, since train_step() has one of its own.
  void clear_gradient() {
    if (gradient_.units == 0) {
      gradient_ = network_.make_gradient();
      return;
    }
    detail::clear_gradient(gradient_, touched());
    touched_.clear();
    is_listed_ = false;
  }

  void update(std::string_view step) {
    // Of the gradient, what is used.
    const bool finite = detail::is_tail_finite(gradient_) &&
                        detail::is_first_finite(gradient_, this->shape().updated_columns, touched());
    if (!finite) throw_not_finite(step, "the gradient");
    optimizer_.update(network_.parameters(), gradient_, touched(), this->shape().updated_columns);
  }

  Network<Real> network_;
  Optimizer<Real> optimizer_;
  double loss_ = 0;  // of the last step
  std::string step_name_;
  std::array<Real, num_refusals> refusals_{};  // of others: what is not finite here is thrown at once
  Workspace<Real> work_;
  Parameters<Real> gradient_;
  TouchedColumns touched_;
  bool is_listed_ = false;     // touched_ has all columns where gradient_ is not 0
  std::vector<Real> scratch_;  // the tail as one run
};

}  // namespace

template <class Real>
std::unique_ptr<Replica<Real>> make_cpu_replica(Network<Real> network, Optimizer<Real> optimizer,
                                                const ReplicaShape& shape) {
  return std::make_unique<CpuReplica<Real>>(std::move(network), std::move(optimizer), shape);
}

template std::unique_ptr<Replica<float>> make_cpu_replica(Network<float>, Optimizer<float>,
                                                          const ReplicaShape&);
template std::unique_ptr<Replica<double>> make_cpu_replica(Network<double>, Optimizer<double>,
                                                           const ReplicaShape&);

}  // namespace widehash
