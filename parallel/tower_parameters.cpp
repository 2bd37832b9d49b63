/// \file
/// Towers that mix parameters: each makes steps of its own, and every K steps all take the mean.
///
///     K steps on own batches
///     mean of parameters and optimizer states, weighted by the weight of the rows seen since the last mean
///
/// Weighted, because a last batch may be short or empty: then K = 1 with sgd is exactly the step on all batches together.
/// A rank sends 2 (P - 1) / P (1 + S) D / K numbers a step for D parameters and S states.
///
/// FTRL's weight is a function of its state (z, n), so the mean of weights is given the z whose weight it is, under the
/// mean n: otherwise the next step would throw the mean away.

#include "step_pieces.hpp"
#include "strategies.hpp"

#include <widehash/loss.hpp>

#include <algorithm>
#include <cmath>

namespace widehash::detail {
namespace {

/// z whose FTRL weight is `weight`; where that is 0, the z nearest to the given one.
template <class Real>
Real ftrl_z(const OptimizerSettings& settings, bool is_bias, Real weight, Real n, Real z) {
  const double l1 = is_bias ? 0 : settings.l1;
  const double l2 = is_bias ? 0 : settings.l2;
  if (weight == 0) return static_cast<Real>(std::clamp(static_cast<double>(z), -l1, l1));
  const double slope = (settings.beta + std::sqrt(static_cast<double>(n))) / settings.learning_rate + l2;
  return static_cast<Real>(-slope * weight - std::copysign(l1, static_cast<double>(weight)));
}

template <class Real>
class TowerParameters final : public Strategy<Real> {
 public:
  TowerParameters(Communicator& communicator, const StartingState<Real>& start, std::uint64_t batch_size,
                  std::uint64_t mix_every)
      : communicator_(communicator),
        batch_size_(batch_size),
        mix_every_(mix_every),
        network_(start.network(0, all_columns(start.architecture))),
        optimizer_(start.make_optimizer(0, network_.parameters())) {}

  RowSlice rows_of_step(std::uint64_t step_rows) const override {
    return tower_rows(step_rows, batch_size_, communicator_.rank());
  }

  LossSum step(const CodeBatchView& rows, const StepInfo& info) override {
    const ActivityScope scope(communicator_.clock(), Activity::compute);
    const double weight = sum_of_weights(rows.weights, rows.num_rows);
    const double loss = network_.train_step(rows, optimizer_, info.name);
    round_weight_ += weight;
    is_whole_ = info.ends_epoch || (info.index + 1) % mix_every_ == 0;
    if (is_whole_) mix();
    return {loss, weight};
  }

  void predict(const CodeBatchView& rows, std::span<Real> predictions) override {
    predict_in_slices(communicator_, network_, rows, work_, predictions);
  }

  bool is_whole() const noexcept override { return is_whole_; }

  std::vector<TowerPart<Real>> parts() const override {
    if (communicator_.rank() != 0) return {{}};
    return {{&network_.parameters(), &optimizer_}};
  }

 private:
  void mix() {
    double total = round_weight_;
    communicator_.all_reduce(std::span(&total, 1));
    const double share = total > 0 ? round_weight_ / total : 0;
    round_weight_ = 0;
    if (total == 0) return;
    mix(network_.parameters(), share);
    for (auto& state : optimizer_.states()) mix(state, share);
    agree_on_step();
    if (optimizer_.settings().kind == OptimizerKind::ftrl) anchor_ftrl();
  }

  void mix(Parameters<Real>& values, double share) {
    for (const auto& tensor : values.tensors()) {
      for (Real& value : tensor.values) value = static_cast<Real>(share * value);
    }
    communicator_.all_reduce(std::span<Real>(values.first_weights));
    all_reduce_tail(communicator_, values, scratch_);
  }

  /// A tower whose last batch was empty is a step behind, and rate and corrections depend on the step.
  void agree_on_step() {
    const auto size = static_cast<std::size_t>(communicator_.size());
    std::vector<std::uint64_t> steps(size);
    const std::uint64_t own = optimizer_.step();
    communicator_.all_gather<std::uint64_t>(std::span(&own, 1), even_offsets(size, size), steps);
    optimizer_.set_step(*std::max_element(steps.begin(), steps.end()));
  }

  void anchor_ftrl() {
    const auto weights = network_.parameters().tensors();
    const auto z = optimizer_.states()[0].tensors();
    const auto n = optimizer_.states()[1].tensors();
    for (std::size_t i = 0; i < weights.size(); ++i) {
      for (std::size_t j = 0; j < weights[i].values.size(); ++j) {
        z[i].values[j] = ftrl_z(optimizer_.settings(), weights[i].is_bias, weights[i].values[j],
                                n[i].values[j], z[i].values[j]);
      }
    }
  }

  Communicator& communicator_;
  std::uint64_t batch_size_;
  std::uint64_t mix_every_;
  Network<Real> network_;
  Optimizer<Real> optimizer_;
  double round_weight_ = 0;  // of the rows seen since the last mean
  bool is_whole_ = true;
  Workspace<Real> work_;
  std::vector<Real> scratch_;
};

}  // namespace

template <class Real>
std::unique_ptr<Strategy<Real>> make_tower_parameters(Communicator& communicator,
                                                      const StartingState<Real>& start,
                                                      std::uint64_t batch_size, std::uint64_t mix_every) {
  return std::make_unique<TowerParameters<Real>>(communicator, start, batch_size, mix_every);
}

template std::unique_ptr<Strategy<float>> make_tower_parameters(Communicator&, const StartingState<float>&,
                                                                std::uint64_t, std::uint64_t);
template std::unique_ptr<Strategy<double>> make_tower_parameters(Communicator&, const StartingState<double>&,
                                                                 std::uint64_t, std::uint64_t);

}  // namespace widehash::detail
