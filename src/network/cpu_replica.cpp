#include "gradient_passes.hpp"
#include "not_finite.hpp"

#include <widehash/error.hpp>
#include <widehash/loss.hpp>
#include <widehash/replica.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace widehash {
namespace {

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

  // Rows are read in place. Only the sum of their weights is worth computing ahead.
  std::shared_ptr<PreparedRows> prepare(const CodeBatchView& rows) override {
    if (rows.weights.empty()) return nullptr;
    return std::make_shared<PreparedRows>(sum_of_weights(rows.weights, rows.num_rows));
  }

  void begin_step(const CodeBatchView& rows, std::string_view step, PreparedRows*,
                  const CompleteSums& complete) override {
    loss_ = network_.train_step(rows, optimizer_, step, on_span(complete));
  }

  void begin_gradient(const CodeBatchView& rows, double normaliser, std::string_view step,
                      PreparedRows*) override {
    step_name_ = step;
    refusals_ = {};
    // Created at the first use: train_step() has a gradient of its own.
    if (gradient_.units == 0) {
      gradient_ = network_.make_gradient();
    } else {
      detail::clear_gradient<Real>(gradient_, nullptr);
    }
    loss_ = network_.add_gradient(rows, normaliser, step, work_, gradient_, nullptr).loss;
  }

  void begin_update() override {
    if (refusals_[0] != 0) throw detail::not_finite(step_name_, "the loss");
    // Checks only the part of the gradient that is used.
    const ColumnRange columns = this->shape().updated_columns;
    if (refusals_[1] != 0 || !detail::is_tail_finite(gradient_) ||
        !detail::is_first_finite(gradient_, columns, nullptr)) {
      throw detail::not_finite(step_name_, "the gradient");
    }
    optimizer_.update(network_.parameters(), gradient_, nullptr, columns);
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

  static typename Network<Real>::CompleteSums on_span(const CompleteSums& complete) {
    if (!complete) return {};
    return [&complete](std::span<Real> sums) { complete(on_host(sums)); };
  }

  Network<Real> network_;
  Optimizer<Real> optimizer_;
  double loss_ = 0;  // of the last step
  std::string step_name_;
  std::array<Real, num_refusals> refusals_{};  // of other replicas: what is not finite here is thrown at once
  Workspace<Real> work_;
  Parameters<Real> gradient_;
  std::vector<Real> scratch_;  // the tail as one contiguous run
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
