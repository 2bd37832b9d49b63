#pragma once

/// \file
/// Steps that are queued on a device and whose outcome the host has not looked at yet. Each has a place of
/// its own in pinned memory, which the last kernel of the step writes.

#include "cuda/cuda_stream.hpp"
#include "cuda/pinned_buffer.hpp"
#include "step_status.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <utility>

namespace widehash::cuda {

class BegunSteps {
 public:
  /// As many as may be begun at once.
  static constexpr std::size_t most = 4;

  struct Outcome {
    StepStatus status;
    std::string name;
  };

  BegunSteps() : statuses_(most) {}

  bool empty() const noexcept { return count_ == 0; }
  bool full() const noexcept { return count_ == most; }
  /// Of those begun, the ones that have been queued.
  std::size_t num_queued() const noexcept { return num_queued_; }

  /// Where the next step that is queued puts its status; device code writes it.
  StepStatus* next_status() const noexcept { return statuses_.data() + (first_ + count_) % most; }
  /// Behind the work of the step, which is queued.
  void add(std::string name, const Stream& stream) {
    const std::size_t place = (first_ + count_) % most;
    stream.record(steps_[place].done);
    steps_[place].name = std::move(name);
    steps_[place].is_queued = true;
    ++num_queued_;
    ++count_;
  }
  /// A step without rows, of which there is nothing to wait for.
  void add_empty() {
    Step& step = steps_[(first_ + count_) % most];
    step.name.clear();
    step.is_queued = false;
    ++count_;
  }

  /// Waits for the first of them.
  Outcome take() {
    Step& step = steps_[first_];
    Outcome outcome;
    outcome.name = std::move(step.name);
    if (step.is_queued) {
      step.done.wait();
      outcome.status = statuses_.data()[first_];
      --num_queued_;
    }
    first_ = (first_ + 1) % most;
    --count_;
    return outcome;
  }
  /// They are known to be done, and nobody asks for them.
  void forget() noexcept { first_ = count_ = num_queued_ = 0; }

 private:
  struct Step {
    Event done;
    std::string name;
    bool is_queued = false;
  };

  std::array<Step, most> steps_;
  PinnedBuffer<StepStatus> statuses_;
  std::size_t first_ = 0;
  std::size_t count_ = 0;
  std::size_t num_queued_ = 0;
};

}  // namespace widehash::cuda
