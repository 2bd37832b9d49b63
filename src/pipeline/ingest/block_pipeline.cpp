#include "block_pipeline.hpp"

#include "first_problem.hpp"
#include "open_inputs.hpp"

#include <widehash/internal/shared_stop.hpp>
#include <widehash/threads.hpp>

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace widehash {
namespace {

/// A block that one thread works on.
struct Begun {
  InputBlock block;
  BlockPlace place;
  bool has_text = false;
};

class BlockPipeline {
 public:
  BlockPipeline(const RunInputs& run, const BlockLimits& limits, const BlockWork& work,
                const BlocksCallback& report)
      : run_(run),
        limits_(limits),
        work_(work),
        report_(report),
        // A stream may block forever, and a run that fails before it must not wait for it.
        one_at_a_time_(std::any_of(run.inputs.begin(), run.inputs.end(),
                                   [](const Input& input) { return input.is_stream; })),
        inputs_(run.inputs.size()) {}

  /// The part of one thread; does not throw.
  void take_part() {
    try {
      Begun begun;
      while (begin_next(begun)) work_on(begun);
    } catch (...) {
      Lock lock(mutex_);
      give_up(std::current_exception());
    }
  }

  void rethrow() const { problem_.rethrow(); }

 private:
  using Lock = std::unique_lock<std::mutex>;

  /// Returns false where nothing is left to begin.
  bool begin_next(Begun& begun) {
    Lock lock(mutex_);
    while (!is_over()) {
      const OpenInputs::Handle input = find_input();
      if (input == inputs_.none()) {
        changed_.wait(lock);
      } else if (read(input, begun, lock)) {
        return true;
      }
    }
    return false;
  }

  bool is_over() const {
    return is_given_up_ || stop_is_asked(run_.stop) || (inputs_.empty() && !inputs_.has_unopened());
  }

  /// The first open input that no thread reads, or the next one to open; none() where nothing may begin now.
  OpenInputs::Handle find_input() {
    const auto free = inputs_.first_free();
    if (free != inputs_.none())
      return may_begin(inputs_.is_first(free), free->gives_text()) ? free : inputs_.none();
    const bool is_first = inputs_.empty();
    if (!inputs_.has_unopened() || !may_begin(is_first, true)) return inputs_.none();
    // Blocks of earlier inputs may still fail.
    if (one_at_a_time_ && (!is_first || in_flight_ > 0)) return inputs_.none();
    return inputs_.open_next();
  }

  bool may_begin(bool is_first, bool gives_text) const {
    return in_flight_ < limits_.in_flight && (!gives_text || in_memory_ < limits_.in_memory) &&
           may_add_to_waiting(is_first);
  }
  bool may_add_to_waiting(bool is_first) const {
    // The block that all waiting results wait for begins next.
    if (limits_.waiting_bytes == nullptr || in_flight_ == 0) return true;
    return *limits_.waiting_bytes < (is_first ? most_behind_one_block : most_waiting_bytes);
  }

  /// Returns false where it finds no block that is worth working on.
  bool read(OpenInputs::Handle input, Begun& begun, Lock& lock) {
    begun.place = input->next_place();
    input->is_busy = true;
    ++in_flight_;
    begun.has_text = input->gives_text();
    if (begun.has_text) take_text(begun.block);
    lock.unlock();
    bool is_block = false;
    std::exception_ptr problem;
    try {
      if (!input->blocks) input->blocks.emplace(run_, input->index);
      is_block = input->blocks->next(begun.block);
    } catch (...) {
      problem = std::current_exception();
    }
    lock.lock();
    // The signal that stopped the run may also have ended a program that writes to us; what was read is then
    // not the whole input, and a problem may be that it was cut off.
    const bool is_stopped = stop_is_asked(run_.stop);
    if (problem && !is_stopped) hold(problem, begun.place);
    const bool is_moot = is_stopped || problem_.is_behind(begun.place);
    const bool is_begun = is_block && !is_moot;
    if (is_begun) {
      ++input->num_begun;
      input->is_busy = false;
      if (input->blocks->stay_on_disk()) end_text(begun);
    } else {
      const auto end = is_moot ? std::nullopt : input->blocks->end();
      if (end) ends_.push_back(*end);
      inputs_.close(input);
      end_text(begun);
      --in_flight_;
      report_all(lock);
    }
    changed_.notify_all();
    return is_begun;
  }

  void work_on(Begun& begun) {
    std::shared_ptr<void> result;
    std::exception_ptr problem;
    try {
      // While waiting inside, it must not run another thread's part, which may wait for this one.
      run_isolated([&] { result = work_(begun.block); });
    } catch (...) {
      problem = std::current_exception();
    }
    Lock lock(mutex_);
    end_text(begun);
    if (problem) {
      --in_flight_;
      hold(problem, begun.place);
    } else {
      results_.push_back(std::move(result));
      report_all(lock);
    }
    changed_.notify_all();
  }

  /// A thread that finds no other thread reporting reports everything there is; the others go on.
  void report_all(Lock& lock) {
    if (is_reporting_) return;
    is_reporting_ = true;
    while (!is_given_up_ && !(results_.empty() && ends_.empty())) {
      const BlockResults results = std::exchange(results_, {});
      const std::vector<InputEnd> ends = std::exchange(ends_, {});
      lock.unlock();
      std::exception_ptr problem;
      try {
        // As above: a part that waits for this very call would never end.
        run_isolated([&] { report_(results, ends); });
      } catch (...) {
        problem = std::current_exception();
      }
      lock.lock();
      in_flight_ -= results.size();
      if (problem) give_up(problem);
      changed_.notify_all();
    }
    is_reporting_ = false;
  }

  void take_text(InputBlock& block) {
    ++in_memory_;
    if (spare_texts_.empty()) return;
    block.block.bytes = std::move(spare_texts_.back());
    spare_texts_.pop_back();
  }
  void end_text(Begun& begun) {
    if (!std::exchange(begun.has_text, false)) return;
    --in_memory_;
    spare_texts_.push_back(std::exchange(begun.block.block.bytes, {}));
  }

  /// All inputs before one with a problem are open, so no further input is opened.
  void hold(std::exception_ptr problem, const BlockPlace& place) {
    problem_.hold(std::move(problem), place);
    inputs_.leave_behind(problem_);
  }
  void give_up(std::exception_ptr problem) {
    hold(std::move(problem), {});
    is_given_up_ = true;
    changed_.notify_all();
  }

  const RunInputs& run_;
  const BlockLimits& limits_;
  const BlockWork& work_;
  const BlocksCallback& report_;
  const bool one_at_a_time_;

  std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by the mutex; for busy inputs see open_inputs.hpp.
  OpenInputs inputs_;
  std::size_t in_flight_ = 0;
  std::size_t in_memory_ = 0;
  std::vector<std::string> spare_texts_;
  BlockResults results_;  // not reported yet
  std::vector<InputEnd> ends_;
  bool is_reporting_ = false;
  FirstProblem problem_;
  bool is_given_up_ = false;
};

}  // namespace

void for_each_block(const RunInputs& run, const BlockLimits& limits, const BlockWork& work,
                    const BlocksCallback& report) {
  BlockPipeline pipeline(run, limits, work, report);
  parallel_for(current_threads(), [&](std::size_t) { pipeline.take_part(); });
  pipeline.rethrow();
}

void report_each_block(const RunInputs& run, const BlockLimits& limits,
                       const std::function<BlockReport(InputBlock&)>& work, const NewsCallback& report) {
  for_each_block(
      run, limits,
      [&](InputBlock& block) -> std::shared_ptr<void> { return std::make_shared<BlockReport>(work(block)); },
      [&](const BlockResults& results, const std::vector<InputEnd>& ends) {
        RunNews news{{}, ends};
        for (const auto& result : results)
          news.blocks.push_back(std::move(*std::static_pointer_cast<BlockReport>(result)));
        report(std::move(news));
      });
}

}  // namespace widehash
