#pragma once

/// \file
/// Steps of one device that have begun and whose loss is not known yet: as many as the replica can be ahead.

#include <widehash/loss.hpp>
#include <widehash/replica.hpp>
#include <widehash/strategy.hpp>

#include <deque>
#include <optional>

namespace widehash::detail {

template <class Real>
class StepsInFlight {
 public:
  explicit StepsInFlight(Replica<Real>& replica) : replica_(replica) {}

  /// Records that the replica has begun a step of rows with this weight. Weight 0 means that the step's loss
  /// is not reported. Returns what Strategy::step returns.
  LossSum begun(double weight) {
    weights_.push_back(weight);
    if (weights_.size() > replica_.steps_ahead()) finish_first();
    return done_.empty() ? LossSum{} : take();
  }

  /// As Strategy::settle.
  std::optional<LossSum> settle() {
    if (done_.empty() && weights_.empty()) return std::nullopt;
    if (done_.empty()) finish_first();
    return take();
  }

  /// Waits for all steps. Their losses are still to be returned.
  void wait() {
    while (!weights_.empty()) finish_first();
  }

 private:
  void finish_first() {
    try {
      const double loss = replica_.finish_step();
      const double weight = weights_.front();
      done_.push_back(weight == 0 ? LossSum{} : LossSum{loss, weight});
      weights_.pop_front();
    } catch (...) {
      weights_.clear();  // the replica has dropped all its steps
      throw;
    }
  }
  LossSum take() {
    const LossSum sum = done_.front();
    done_.pop_front();
    return sum;
  }

  Replica<Real>& replica_;
  std::deque<double> weights_;  // weights of the rows of steps begun
  std::deque<LossSum> done_;
};

}  // namespace widehash::detail
