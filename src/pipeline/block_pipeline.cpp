#include "block_pipeline.hpp"

#include "shared_stop.hpp"

#include <widehash/threads.hpp>

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <limits>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace widehash {
namespace {

/// Of a block in the order of the inputs.
struct Place {
  std::size_t input = 0;
  std::uint64_t block = 0;
  auto operator<=>(const Place&) const = default;
};
constexpr Place behind_all{std::numeric_limits<std::size_t>::max(), 0};

/// An input that is being read, by who has made it busy.
struct Reader {
  std::size_t input = 0;
  bool is_busy = false;
  std::optional<InputBlocks> blocks = {};  // none until it is open
  std::uint64_t num_begun = 0;

  Place next_place() const noexcept { return {input, num_begun}; }
  bool gives_text() const noexcept { return !blocks || !blocks->stay_on_disk(); }
};

/// What one thread works on.
struct Begun {
  InputBlock block;
  Place place;
  bool has_text = false;
};

class BlockPipeline {
 public:
  BlockPipeline(const RunInputs& run, const BlockLimits& limits, const StopFlag* stop, const BlockWork& work,
                const TellBlocks& tell)
      : run_(run),
        limits_(limits),
        stop_(stop),
        work_(work),
        tell_(tell),
        // A stream may give nothing for ever, and a run that fails before it must not wait for it.
        one_at_a_time_(std::any_of(run.inputs.begin(), run.inputs.end(),
                                   [](const Input& input) { return input.is_stream; })) {}

  /// One thread's part; throws nothing.
  void take_part() {
    try {
      Begun begun;
      while (begin_next(begun)) work_on(begun);
    } catch (...) {
      Lock lock(mutex_);
      give_up(std::current_exception());
    }
  }

  void rethrow() const {
    if (problem_) std::rethrow_exception(problem_);
  }

 private:
  using Lock = std::unique_lock<std::mutex>;
  using ReaderPlace = std::list<Reader>::iterator;

  /// False where nothing is left to be begun.
  bool begin_next(Begun& begun) {
    Lock lock(mutex_);
    while (!is_over()) {
      const ReaderPlace reader = find_reader();
      if (reader == readers_.end()) {
        changed_.wait(lock);
      } else if (read(reader, begun, lock)) {
        return true;
      }
    }
    return false;
  }

  bool is_over() const {
    return is_given_up_ || stop_is_asked(stop_) || (readers_.empty() && !has_unopened());
  }
  // All inputs before one with a problem are open.
  bool has_unopened() const { return next_input_ < run_.inputs.size() && !problem_; }

  /// The first input that nobody reads, or the next one to be opened; readers_.end() where nothing may be
  /// begun now.
  ReaderPlace find_reader() {
    const auto free =
        std::find_if(readers_.begin(), readers_.end(), [](const Reader& reader) { return !reader.is_busy; });
    if (free != readers_.end())
      return may_begin(free == readers_.begin(), free->gives_text()) ? free : readers_.end();
    const bool is_first = readers_.empty();
    if (!has_unopened() || !may_begin(is_first, true)) return readers_.end();
    // Blocks of the inputs before may still fail.
    if (one_at_a_time_ && (!is_first || in_flight_ > 0)) return readers_.end();
    return readers_.insert(readers_.end(), {.input = next_input_++});
  }

  bool may_begin(bool is_first, bool gives_text) const {
    return in_flight_ < limits_.in_flight && (!gives_text || in_memory_ < limits_.in_memory) &&
           may_add_to_waiting(is_first);
  }
  bool may_add_to_waiting(bool is_first) const {
    // What everything told waits for is begun next.
    if (limits_.waiting_bytes == nullptr || in_flight_ == 0) return true;
    return *limits_.waiting_bytes < (is_first ? most_behind_one_block : most_waiting_bytes);
  }

  /// False where it comes to no block that is worth to be worked on.
  bool read(ReaderPlace reader, Begun& begun, Lock& lock) {
    begun.place = reader->next_place();
    reader->is_busy = true;
    ++in_flight_;
    begun.has_text = reader->gives_text();
    if (begun.has_text) take_text(begun.block);
    lock.unlock();
    bool is_block = false;
    std::exception_ptr problem;
    try {
      if (!reader->blocks) reader->blocks.emplace(run_, reader->input);
      is_block = reader->blocks->next(begun.block);
    } catch (...) {
      problem = std::current_exception();
    }
    lock.lock();
    if (problem) hold(problem, begun.place);
    // The signal may have ended a program that writes to us too: what was read then is not all that was to
    // come.
    const bool is_moot = is_behind_problem(begun.place) || stop_is_asked(stop_);
    const bool is_begun = is_block && !is_moot;
    if (is_begun) {
      ++reader->num_begun;
      reader->is_busy = false;
      if (reader->blocks->stay_on_disk()) end_text(begun);
    } else {
      const auto end = is_moot ? std::nullopt : reader->blocks->end();
      if (end) ends_.push_back(*end);
      readers_.erase(reader);
      end_text(begun);
      --in_flight_;
      tell_all(lock);
    }
    changed_.notify_all();
    return is_begun;
  }

  void work_on(Begun& begun) {
    std::shared_ptr<void> result;
    std::exception_ptr problem;
    try {
      // What waits in it must not take up another thread's part, which may wait for this one.
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
      tell_all(lock);
    }
    changed_.notify_all();
  }

  /// Whoever finds nobody telling tells all there is; the others go on.
  void tell_all(Lock& lock) {
    if (is_telling_) return;
    is_telling_ = true;
    while (!is_given_up_ && !(results_.empty() && ends_.empty())) {
      const BlockResults results = std::exchange(results_, {});
      const std::vector<InputEnd> ends = std::exchange(ends_, {});
      lock.unlock();
      std::exception_ptr problem;
      try {
        tell_(results, ends);
      } catch (...) {
        problem = std::current_exception();
      }
      lock.lock();
      in_flight_ -= results.size();
      if (problem) give_up(problem);
      changed_.notify_all();
    }
    is_telling_ = false;
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

  bool is_behind_problem(const Place& place) const { return place >= problem_place_; }

  /// Keeps the first problem in order, and leaves what is behind it.
  void hold(std::exception_ptr problem, const Place& place) {
    if (is_behind_problem(place)) return;
    problem_ = std::move(problem);
    problem_place_ = place;
    readers_.remove_if(
        [this](const Reader& reader) { return !reader.is_busy && is_behind_problem(reader.next_place()); });
  }
  void give_up(std::exception_ptr problem) {
    hold(std::move(problem), {});
    is_given_up_ = true;
    changed_.notify_all();
  }

  const RunInputs& run_;
  const BlockLimits& limits_;
  const StopFlag* stop_;
  const BlockWork& work_;
  const TellBlocks& tell_;
  const bool one_at_a_time_;

  std::mutex mutex_;
  std::condition_variable changed_;
  // Under the mutex; a reader that is busy is its thread's but for these two words.
  std::list<Reader> readers_;  // in the order of the inputs
  std::size_t next_input_ = 0;
  std::size_t in_flight_ = 0;
  std::size_t in_memory_ = 0;
  std::vector<std::string> spare_texts_;
  BlockResults results_;  // not told yet
  std::vector<InputEnd> ends_;
  bool is_telling_ = false;
  std::exception_ptr problem_;
  Place problem_place_ = behind_all;
  bool is_given_up_ = false;
};

}  // namespace

void for_each_block(const RunInputs& run, const BlockLimits& limits, const StopFlag* stop,
                    const BlockWork& work, const TellBlocks& tell) {
  BlockPipeline pipeline(run, limits, stop, work, tell);
  parallel_for(current_threads(), [&](std::size_t) { pipeline.take_part(); });
  pipeline.rethrow();
}

void report_each_block(const RunInputs& run, const BlockLimits& limits, const StopFlag* stop,
                       const std::function<BlockReport(InputBlock&)>& work, const TellNews& tell) {
  for_each_block(
      run, limits, stop,
      [&](InputBlock& block) -> std::shared_ptr<void> { return std::make_shared<BlockReport>(work(block)); },
      [&](const BlockResults& results, const std::vector<InputEnd>& ends) {
        RunNews news{{}, ends};
        for (const auto& result : results)
          news.blocks.push_back(std::move(*std::static_pointer_cast<BlockReport>(result)));
        tell(std::move(news));
      });
}

}  // namespace widehash
