#pragma once

/// \file
/// Steps that are queued on a device and whose outcome the host has not looked at yet. Each step has its own
/// place in pinned memory, which the last kernel of the step writes.

#include "cuda/cuda_stream.hpp"
#include "cuda/pinned_buffer.hpp"
#include "step_status.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <utility>

namespace widehash::cuda {

/// A first-in, first-out queue of begun steps.
class BegunSteps {
 public:
  /// The number of steps that may be begun at once.
  static constexpr std::size_t most = 4;

  struct Outcome {
    StepStatus status;
    std::string name;
  };

  BegunSteps() : statuses_(most) {}

  bool empty() const noexcept { return count_ == 0; }
  bool full() const noexcept { return count_ == most; }
  /// The number of begun steps that have work queued on the device, without those of add_empty().
  std::size_t num_queued() const noexcept { return num_queued_; }

  /// Where the next queued step puts its status. Device code writes it.
  StepStatus* next_status() const noexcept { return statuses_.data() + (first_ + count_) % most; }
  /// Adds a step whose work is already queued on `stream`. Requires that the queue is not full.
  void add(std::string name, const Stream& stream) {
    const std::size_t place = (first_ + count_) % most;
    stream.record(steps_[place].done);
    steps_[place].name = std::move(name);
    steps_[place].is_queued = true;
    ++num_queued_;
    ++count_;
  }
  /// Adds a step without work, for which there is nothing to wait. Requires that the queue is not full.
  void add_empty() {
    Step& step = steps_[(first_ + count_) % most];
    step.name.clear();
    step.is_queued = false;
    ++count_;
  }

  /// Waits for the oldest step, removes it and returns its outcome. Requires that the queue is not empty.
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
  /// Drops all steps. They must be done already.
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
