#pragma once

/// \file
/// Shared by the strategies: a replica on each device, and as many steps in flight as it supports.

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

  /// A step of this device alone.
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
  /// The result of step() after the replica has begun a step of rows with this weight. Weight 0 means that
  /// this rank does not report the loss of the step.
  LossSum begun(double weight) { return steps_.begun(weight); }
  /// Waits for all steps begun. Their losses are still to be returned.
  void wait_for_steps() { steps_.wait(); }

 private:
  Communicator& communicator_;
  std::unique_ptr<Replica<Real>> replica_;
  StepsInFlight<Real> steps_;
};

}  // namespace widehash::detail
