// Implements threads.hpp with threads of the standard library, for the thread sanitizer. The distribution's
// oneTBB is not instrumented, so the sanitizer sees neither its locks nor the order they impose. Selected by
// -D WIDEHASH_THREADS=PLAIN (preset tsan). Every call starts new threads, and nested work runs on the thread
// that asks for it: correct, but not fast.
#include "cpu_quota.hpp"
#include "thread_count.hpp"

#include <widehash/threads.hpp>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace widehash {
namespace {

thread_local std::size_t limit = 0;  // 0: no limit is set
thread_local std::size_t allowed =
    0;  // by the with_threads() that this thread is inside of; 0 outside of any
thread_local bool is_worker = false;

/// Sets the limit of this thread for the lifetime of the scope.
class LimitScope {
 public:
  explicit LimitScope(std::size_t count) : limit_before_(limit), was_worker_(is_worker) {
    limit = allowed == 0 ? count : std::min(count, allowed);
    is_worker = false;
  }
  ~LimitScope() {
    limit = limit_before_;
    is_worker = was_worker_;
  }
  LimitScope(const LimitScope&) = delete;
  LimitScope& operator=(const LimitScope&) = delete;

 private:
  std::size_t limit_before_;
  bool was_worker_;
};

/// The first exception that any of several threads throws.
class FirstFailure {
 public:
  void keep() {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::current_exception();
    failed_ = true;
  }
  bool failed() const { return failed_; }
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr failure_;
  std::atomic<bool> failed_{false};
};

/// Runs `work` on `count` threads, including this one.
void run_on_threads(std::size_t count, const std::function<void()>& work) {
  const std::size_t outer_limit = limit;
  const bool was_worker = is_worker;
  std::vector<std::thread> threads;
  try {
    threads.reserve(count - 1);  // nothing thrown after this loses a thread
    for (std::size_t i = 1; i < count; ++i) {
      threads.emplace_back([&] {
        limit = outer_limit;
        is_worker = true;
        work();
      });
    }
  } catch (...) {
    // Memory or threads ran out: the threads that did start do all the work.
  }
  is_worker = true;
  work();
  is_worker = was_worker;
  for (std::thread& thread : threads) thread.join();
}

/// State that the threads of one pipeline share.
class Pipeline {
 public:
  Pipeline(std::size_t max_in_flight, const std::function<std::shared_ptr<void>()>& produce,
           const std::function<void(void*)>& work, const std::function<void(void*)>& commit)
      : max_in_flight_(max_in_flight), produce_(produce), work_(work), commit_(commit) {}

  /// Runs one thread's share of the work; throws nothing.
  void run() {
    try {
      std::uint64_t index = 0;
      while (const std::shared_ptr<void> item = next_item(index)) {
        work_(item.get());
        finish(index, item);
      }
    } catch (...) {
      failure_.keep();
      const std::lock_guard lock(mutex_);
      changed_.notify_all();
    }
  }
  void rethrow() const { failure_.rethrow(); }

 private:
  std::shared_ptr<void> next_item(std::uint64_t& index) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock,
                  [&] { return failure_.failed() || ended_ || produced_ - committed_ < max_in_flight_; });
    if (failure_.failed() || ended_) return nullptr;
    auto item = produce_();
    ended_ = item == nullptr;
    if (ended_) changed_.notify_all();
    index = produced_;
    if (!ended_) ++produced_;
    return item;
  }

  /// The thread that finishes the item whose turn it is commits that item and those waiting behind it.
  void finish(std::uint64_t index, std::shared_ptr<void> item) {
    std::unique_lock lock(mutex_);
    finished_.emplace(index, std::move(item));
    if (committing_) return;
    committing_ = true;
    for (auto turn = finished_.find(committed_); turn != finished_.end() && !failure_.failed();
         turn = finished_.find(committed_)) {
      const std::shared_ptr<void> next = std::move(turn->second);
      finished_.erase(turn);
      lock.unlock();
      commit_(next.get());
      lock.lock();
      ++committed_;
      changed_.notify_all();
    }
    committing_ = false;
  }

  const std::uint64_t max_in_flight_;
  const std::function<std::shared_ptr<void>()>& produce_;
  const std::function<void(void*)>& work_;
  const std::function<void(void*)>& commit_;
  FirstFailure failure_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::uint64_t, std::shared_ptr<void>> finished_;  // finished but not yet committed
  std::uint64_t produced_ = 0;
  std::uint64_t committed_ = 0;
  bool ended_ = false;
  bool committing_ = false;
};

/// Returns the number of threads to start for work requested by this thread.
std::size_t threads_here() noexcept { return is_worker ? 1 : current_threads(); }

}  // namespace

std::size_t available_threads() noexcept {
  static const std::size_t count = detail::within_quota(std::max(1U, std::thread::hardware_concurrency()));
  return count;
}

std::size_t current_threads() noexcept { return limit == 0 ? available_threads() : limit; }

void with_threads(std::size_t num_threads, const std::function<void()>& work) {
  require_thread_count(num_threads);
  const LimitScope scope(num_threads == 0 ? available_threads() : num_threads);
  struct Allowed {
    std::size_t before = std::exchange(allowed, limit);
    ~Allowed() { allowed = before; }
  };
  const Allowed now;
  work();
}

void with_share_of_threads(std::size_t num_threads, const std::function<void()>& work) {
  const LimitScope scope(std::max<std::size_t>(num_threads, 1));
  work();
}

void run_isolated(const std::function<void()>& work) { work(); }

void parallel_for(std::size_t count, const std::function<void(std::size_t)>& body) {
  std::atomic<std::size_t> next{0};
  FirstFailure failure;
  run_on_threads(std::min(threads_here(), std::max<std::size_t>(count, 1)), [&] {
    try {
      for (std::size_t i = next++; i < count && !failure.failed(); i = next++) body(i);
    } catch (...) {
      failure.keep();
    }
  });
  failure.rethrow();
}

void parallel_shares(std::size_t count, const std::function<void(std::size_t)>& body) {
  parallel_for(count, body);
}

void ordered_pipeline(std::size_t most_in_flight, const std::function<std::shared_ptr<void>()>& produce,
                      const std::function<void(void*)>& work, const std::function<void(void*)>& commit) {
  const std::size_t max_in_flight = std::max<std::size_t>(most_in_flight, 1);
  Pipeline pipeline(max_in_flight, produce, work, commit);
  run_on_threads(std::min(threads_here(), max_in_flight), [&] { pipeline.run(); });
  pipeline.rethrow();
}

}  // namespace widehash
