#pragma once

/// \file
/// The inputs of a run that are open, in their order, and which of them a thread is reading.

#include "first_problem.hpp"
#include "input_blocks.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>

namespace widehash {

/// While an input is busy, everything but `index` and `is_busy` belongs to the thread that reads it.
struct OpenInput {
  std::size_t index = 0;  // in the list of inputs
  bool is_busy = false;
  std::optional<InputBlocks> blocks = {};  // none until the first thread that reads it has opened it
  std::uint64_t num_begun = 0;

  BlockPlace next_place() const noexcept { return {index, num_begun}; }
  bool gives_text() const noexcept { return !blocks || !blocks->stay_on_disk(); }
};

/// Not thread-safe.
class OpenInputs {
 public:
  using Handle = std::list<OpenInput>::iterator;

  explicit OpenInputs(std::size_t num_inputs) : num_inputs_(num_inputs) {}

  bool empty() const noexcept { return open_.empty(); }
  bool has_unopened() const noexcept { return next_ < num_inputs_; }
  /// Whether no block of an earlier input may still come.
  bool is_first(Handle input) const noexcept { return input->index == open_.front().index; }

  /// The first input that no thread reads; none() where there is none.
  Handle first_free() {
    return std::find_if(open_.begin(), open_.end(), [](const OpenInput& input) { return !input.is_busy; });
  }
  Handle none() noexcept { return open_.end(); }
  Handle open_next() { return open_.insert(open_.end(), {.index = next_++}); }
  void close(Handle input) { open_.erase(input); }
  /// Drops what is behind a problem: open inputs that no thread reads, and inputs that are not open yet.
  void leave_behind(const FirstProblem& problem) {
    next_ = num_inputs_;
    open_.remove_if(
        [&](const OpenInput& input) { return !input.is_busy && problem.is_behind(input.next_place()); });
  }

 private:
  std::size_t num_inputs_;
  std::size_t next_ = 0;
  std::list<OpenInput> open_;
};

}  // namespace widehash
