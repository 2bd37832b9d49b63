#pragma once

/// \file
/// What strategies have in common whose devices make steps of their own: the whole network on each, and as many steps begun as it can
/// be ahead.

#include "steps_in_flight.hpp"

#include <widehash/activity.hpp>
#include <widehash/communicator.hpp>
#include <widehash/strategy.hpp>

#include <memory>
#include <optional>

namespace widehash::detail {

template <class Real>
class OwnSteps : public Strategy<Real> {
 public:
  std::shared_ptr<PreparedRows> prepare(const CodeBatchView& rows) override {
    return replica_->prepare(rows);
  }

  LossSum step(const CodeBatchView& rows, const StepInfo& info) override {
    const ActivityScope scope(communicator_.clock(), Activity::compute);
    return steps_.step(rows, info);
  }

  std::optional<LossSum> settle() override {
    const ActivityScope scope(communicator_.clock(), Activity::compute);
    return steps_.settle();
  }

 protected:
  OwnSteps(Communicator& communicator, std::unique_ptr<Replica<Real>> replica)
      : communicator_(communicator), replica_(std::move(replica)), steps_(*replica_) {}

  Communicator& communicator() const noexcept { return communicator_; }
  Replica<Real>& replica() const noexcept { return *replica_; }
  /// Waits for all steps begun; their losses are still to be asked for.
  void wait_for_steps() { steps_.wait(); }

 private:
  Communicator& communicator_;
  std::unique_ptr<Replica<Real>> replica_;
  StepsInFlight<Real> steps_;
};

}  // namespace widehash::detail
