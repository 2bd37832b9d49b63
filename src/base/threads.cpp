#include "cpu_quota.hpp"
#include "thread_count.hpp"

#include <widehash/error.hpp>
#include <widehash/threads.hpp>

#include <algorithm>
#include <latch>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_pipeline.h>
#include <oneapi/tbb/task_arena.h>

namespace widehash {
namespace {

// Work on one thread bypasses oneTBB, which costs time and whose internals the thread sanitizer cannot
// follow.
thread_local bool is_serial = false;

class SerialScope {
 public:
  explicit SerialScope(bool serial) : before_(is_serial) { is_serial = serial; }
  ~SerialScope() { is_serial = before_; }
  SerialScope(const SerialScope&) = delete;
  SerialScope& operator=(const SerialScope&) = delete;

 private:
  bool before_;
};

/// Raises oneTBB's limit for the process, so that all callers of with_threads() together get the threads they
/// ask for, and others keep theirs. The arenas limit each caller.
class ProcessLimit {
 public:
  explicit ProcessLimit(std::size_t count) : count_(static_cast<std::ptrdiff_t>(count)) { change(count_); }
  ~ProcessLimit() { change(-count_); }
  ProcessLimit(const ProcessLimit&) = delete;
  ProcessLimit& operator=(const ProcessLimit&) = delete;

 private:
  using Control = oneapi::tbb::global_control;
  static void change(std::ptrdiff_t by) {
    static std::mutex mutex;
    static std::ptrdiff_t sum = 0;
    static std::unique_ptr<Control> control;
    const std::lock_guard lock(mutex);
    sum += by;
    const std::ptrdiff_t others = oneapi::tbb::info::default_concurrency();
    auto next = sum == 0 ? nullptr
                         : std::make_unique<Control>(Control::max_allowed_parallelism,
                                                     static_cast<std::size_t>(sum + others));
    control.swap(next);
  }

  std::ptrdiff_t count_;
};

/// The limit of the with_threads() that this thread is inside of, which also holds for calls inside it; 0 outside
/// of any.
thread_local std::size_t limit = 0;

std::size_t within_limit(std::size_t count) noexcept { return limit == 0 ? count : std::min(count, limit); }

class LimitedScope {
 public:
  explicit LimitedScope(std::size_t count) : before_(std::exchange(limit, count)) {}
  ~LimitedScope() { limit = before_; }
  LimitedScope(const LimitedScope&) = delete;
  LimitedScope& operator=(const LimitedScope&) = delete;

 private:
  std::size_t before_;
};

/// Throws DeviceError if the system would not give this process `count` threads: oneTBB ends the program
/// when it finds out, perhaps hours later. Each larger count is tried once, with new threads beside the
/// existing ones: about 50 us per thread. Their stacks are twice as large as oneTBB's, so this needs more of
/// `ulimit -v` than oneTBB itself.
void require_threads(std::size_t count) {
  static std::mutex mutex;
  static std::size_t most = 1;
  const std::lock_guard lock(mutex);
  if (count <= most) return;
  std::vector<std::thread> threads;
  std::string refusal;
  {
    // All threads must exist at once, so none may end before the last has started.
    std::latch end(1);
    try {
      threads.reserve(count - most);
      while (threads.size() < count - most) threads.emplace_back([&] { end.wait(); });
    } catch (const std::system_error& error) {
      refusal = error.code().message();
    } catch (const std::bad_alloc&) {
      refusal = "out of memory";
    }
    end.count_down();
    for (std::thread& thread : threads) thread.join();
  }
  if (!refusal.empty()) {
    throw DeviceError(
        fmt::format("cannot start {} threads, the system allows {}: {}; lower --threads, or raise the limit "
                    "on threads (ulimit -u, the container's limit on pids) or on address space (ulimit -v)",
                    count, most + threads.size(), refusal));
  }
  most = count;
}

template <class Partitioner>
void for_all(std::size_t count, const std::function<void(std::size_t)>& body,
             const Partitioner& partitioner) {
  if (current_threads() == 1) {
    for (std::size_t i = 0; i < count; ++i) body(i);
    return;
  }
  oneapi::tbb::parallel_for(
      oneapi::tbb::blocked_range<std::size_t>(0, count, 1),
      [&](const oneapi::tbb::blocked_range<std::size_t>& range) {
        for (std::size_t i = range.begin(); i != range.end(); ++i) body(i);
      },
      partitioner);
}

}  // namespace

std::size_t available_threads() noexcept {
  static const std::size_t count =
      detail::within_quota(static_cast<std::size_t>(oneapi::tbb::info::default_concurrency()));
  return count;
}

std::size_t current_threads() noexcept {
  return is_serial ? 1 : static_cast<std::size_t>(oneapi::tbb::this_task_arena::max_concurrency());
}

void with_threads(std::size_t num_threads, const std::function<void()>& work) {
  require_thread_count(num_threads);
  const std::size_t count = within_limit(num_threads == 0 ? available_threads() : num_threads);
  require_threads(count);
  const SerialScope scope(false);
  // More threads than cores are allowed: tests for races need them.
  std::optional<ProcessLimit> of_process;
  if (limit == 0) of_process.emplace(count);
  const LimitedScope limited(count);
  oneapi::tbb::task_arena arena(static_cast<int>(count));
  arena.execute(work);
}

void with_share_of_threads(std::size_t num_threads, const std::function<void()>& work) {
  const std::size_t count = within_limit(num_threads);
  const SerialScope scope(count <= 1);
  if (count <= 1) return work();
  oneapi::tbb::task_arena arena(static_cast<int>(count));
  arena.execute(work);
}

void run_isolated(const std::function<void()>& work) {
  if (current_threads() == 1) return work();
  oneapi::tbb::this_task_arena::isolate(work);
}

void parallel_for(std::size_t count, const std::function<void(std::size_t)>& body) {
  for_all(count, body, oneapi::tbb::simple_partitioner());
}

void parallel_shares(std::size_t count, const std::function<void(std::size_t)>& body) {
  // The partitioner starts with the calling thread and hands the following indices to the threads after it.
  // The calling thread may differ from one call to the next, so indices are counted from it.
  const auto caller =
      static_cast<std::size_t>(std::max(oneapi::tbb::this_task_arena::current_thread_index(), 0));
  for_all(
      count, [&](std::size_t i) { body((caller + i) % count); }, oneapi::tbb::static_partitioner());
}

void ordered_pipeline(std::size_t most_in_flight, const std::function<std::shared_ptr<void>()>& produce,
                      const std::function<void(void*)>& work, const std::function<void(void*)>& commit) {
  if (current_threads() == 1) {
    while (const std::shared_ptr<void> item = produce()) {
      work(item.get());
      commit(item.get());
    }
    return;
  }
  const std::size_t max_in_flight = std::max<std::size_t>(most_in_flight, 1);
  using oneapi::tbb::filter_mode;
  // The items live here and the pipeline passes only pointers, because a pipeline that an exception cancels
  // forgets what it holds. Items leave in the order they came, at most max_in_flight at a time, so an item's
  // slot is free again when its turn comes.
  std::vector<std::shared_ptr<void>> slots(max_in_flight);
  std::size_t produced = 0;
  using Slot = std::shared_ptr<void>*;
  oneapi::tbb::parallel_pipeline(
      max_in_flight, oneapi::tbb::make_filter<void, Slot>(filter_mode::serial_in_order,
                                                          [&](oneapi::tbb::flow_control& control) -> Slot {
                                                            auto& slot = slots[produced++ % max_in_flight];
                                                            slot = produce();
                                                            if (slot == nullptr) control.stop();
                                                            return &slot;
                                                          }) &
                         oneapi::tbb::make_filter<Slot, Slot>(filter_mode::parallel,
                                                              [&](Slot slot) {
                                                                work(slot->get());
                                                                return slot;
                                                              }) &
                         oneapi::tbb::make_filter<Slot, void>(filter_mode::serial_in_order, [&](Slot slot) {
                           commit(slot->get());
                           slot->reset();
                         }));
}

}  // namespace widehash
