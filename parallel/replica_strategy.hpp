#pragma once

/// \file
/// What strategies have in common: a replica on each device, and as many steps begun as it can be ahead.

#include "step_pieces.hpp"
#include "steps_in_flight.hpp"

#include <widehash/activity.hpp>
#include <widehash/communicator.hpp>
#include <widehash/strategy.hpp>

#include <memory>
#include <optional>

namespace widehash::detail {

template <class Real>
class ReplicaStrategy : public Strategy<Real> {
 public:
  std::shared_ptr<PreparedRows> prepare(const CodeBatchView& rows) override {
    return replica_->prepare(rows);
  }

  /// A step of this device's own.
  LossSum step(const CodeBatchView& rows, const StepInfo& info) override {
    const ActivityScope scope(communicator_.clock(), Activity::compute);
    return own_step(rows, info, weight_of(rows, info.prepared));
  }

  std::optional<LossSum> settle() override {
    const ActivityScope scope(communicator_.clock(), Activity::compute);
    return steps_.settle();
  }

 protected:
  ReplicaStrategy(Communicator& communicator, std::unique_ptr<Replica<Real>> replica)
      : communicator_(communicator), replica_(std::move(replica)), steps_(*replica_) {}

  Communicator& communicator() const noexcept { return communicator_; }
  Replica<Real>& replica() const noexcept { return *replica_; }

  LossSum own_step(const CodeBatchView& rows, const StepInfo& info, double weight) {
    replica_->begin_step(rows, info.name, info.prepared);
    return begun(weight);
  }
  /// What step() returns when the replica has begun one of rows of so much weight; 0: this rank does not
  /// answer for its loss.
  LossSum begun(double weight) { return steps_.begun(weight); }
  /// Waits for all steps begun; their losses are still to be asked for.
  void wait_for_steps() { steps_.wait(); }

 private:
  Communicator& communicator_;
  std::unique_ptr<Replica<Real>> replica_;
  StepsInFlight<Real> steps_;
};

}  // namespace widehash::detail
