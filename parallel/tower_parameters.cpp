/// \file
/// Towers that mix parameters: each tower makes its own steps, and every K steps all of them take the mean.
///
///     K steps on own batches
///     mean of parameters and optimizer states, weighted by the sum of the divisors of the gradients since the last
///     mean: rows, or their weights if the mean weight is not known (gradient_normaliser)
///
/// The mean is weighted because a batch may be shorter than others or empty. With this weighting, K = 1 with
/// sgd is exactly the step on all batches together. The exceptions are l1, towers whose rows weigh more than
/// heaviest_step, and, if weights decay (l2), towers whose rows weigh nothing: each tower applies the move
/// towards 0, the bounds and the decay in its own step. A rank sends 2 (P - 1) / P (1 + S) D / K numbers per
/// step for D parameters and S states.
///
/// FTRL's weight is a function of its state (z, n). The mean of the weights is therefore given the z that
/// yields it under the mean n; otherwise the next step would discard the mean.

#include "replica_strategy.hpp"
#include "step_pieces.hpp"
#include "strategies.hpp"

#include <widehash/loss.hpp>

#include <algorithm>

namespace widehash::detail {
namespace {

template <class Real>
class TowerParameters final : public ReplicaStrategy<Real> {
 public:
  TowerParameters(Communicator& communicator, const StartingState<Real>& start, std::uint64_t mix_every)
      : ReplicaStrategy<Real>(communicator,
                              start.replica(communicator.device(), 0, shape_of(start.architecture))),
        mix_every_(mix_every) {}

  RowSlice rows_of_step(std::uint64_t step_rows) const override {
    return even_rows(step_rows, this->communicator());
  }

  LossSum step(const CodeBatchView& rows, const StepInfo& info) override {
    const ActivityScope scope(this->communicator().clock(), Activity::compute);
    const double weight = weight_of(rows, info.prepared);
    round_divisor_ += divisor_of(weight, rows.num_rows);
    const LossSum sum = this->own_step(rows, info, weight);
    is_whole_ = info.ends_epoch || (info.index + 1) % mix_every_ == 0;
    if (is_whole_) {
      this->wait_for_steps();
      mix();
    }
    return sum;
  }

  void predict(const CodeBatchView& rows, std::span<Real> predictions) override {
    predict_in_slices(this->communicator(), replica(), rows, predictions);
  }

  bool is_whole() const noexcept override { return is_whole_; }

  std::vector<const Replica<Real>*> parts() const override {
    return {this->communicator().rank() == 0 ? &replica() : nullptr};
  }

 private:
  using ReplicaStrategy<Real>::replica;

  static ReplicaShape shape_of(const Architecture& architecture) {
    ReplicaShape shape = whole_replica(architecture);
    shape.shares_parameters = true;
    return shape;
  }

  /// Counts rows without weight too, because they are part of the divisor of mixed gradients.
  double divisor_of(double weight, std::uint64_t num_rows) const noexcept {
    const OptimizerSettings& settings = replica().optimizer();
    return weight == 0 ? settings.mean_weight * static_cast<double>(num_rows)
                       : gradient_normaliser(settings, weight, num_rows);
  }

  void mix() {
    double total = round_divisor_;
    this->communicator().all_reduce(std::span(&total, 1));
    const double share = total > 0 ? round_divisor_ / total : 0;
    round_divisor_ = 0;
    if (total == 0) return;
    const OptimizerKind kind = replica().optimizer().kind;
    mix(ValueSet::parameters, share);
    for (int state = 0; state < num_states(kind); ++state) mix(state_set(state), share);
    agree_on_step();
    // FTRL's weight is a function of its states.
    if (kind == OptimizerKind::ftrl) replica().anchor_ftrl();
  }

  void mix(ValueSet set, double share) {
    replica().scale(set, share);
    this->communicator().all_reduce(replica().first_values(set));
    all_reduce_tail(this->communicator(), replica(), set);
  }

  /// A tower whose last batch was empty is a step behind, and learning rate and corrections depend on the
  /// step.
  void agree_on_step() {
    Communicator& communicator = this->communicator();
    const auto size = static_cast<std::size_t>(communicator.size());
    std::vector<std::uint64_t> steps(size);
    const std::uint64_t own = replica().step();
    communicator.all_gather<std::uint64_t>(std::span(&own, 1), even_offsets(size, size), steps);
    replica().set_step(*std::max_element(steps.begin(), steps.end()));
  }

  std::uint64_t mix_every_;
  double round_divisor_ = 0;  // sum of the divisors of the gradients since the last mean
  bool is_whole_ = true;
};

}  // namespace

template <class Real>
std::unique_ptr<Strategy<Real>> make_tower_parameters(Communicator& communicator,
                                                      const StartingState<Real>& start,
                                                      std::uint64_t mix_every) {
  return std::make_unique<TowerParameters<Real>>(communicator, start, mix_every);
}

template std::unique_ptr<Strategy<float>> make_tower_parameters(Communicator&, const StartingState<float>&,
                                                                std::uint64_t);
template std::unique_ptr<Strategy<double>> make_tower_parameters(Communicator&, const StartingState<double>&,
                                                                 std::uint64_t);

}  // namespace widehash::detail
