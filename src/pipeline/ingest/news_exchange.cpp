#include "news_exchange.hpp"

#include <widehash/internal/shared_text.hpp>
#include <widehash/threads.hpp>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

namespace widehash {
namespace {

constexpr std::chrono::milliseconds between_rounds{50};
constexpr char working = 'w';
constexpr char ended = 'e';

struct Abandoned {};

/// Passes reports from the thread that works to the one that communicates.
class Outbox {
 public:
  void report(const RunNews& news) {
    std::string text = to_text(news);
    const std::lock_guard lock(mutex_);
    if (stopped_) throw Abandoned();
    text_ += text;
    changed_.notify_one();
  }
  void end(std::exception_ptr problem) {
    const std::lock_guard lock(mutex_);
    problem_ = std::move(problem);
    ended_ = true;
    changed_.notify_one();
  }
  /// From now on report() throws.
  void stop() {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }

  /// Waits briefly for reports. Returns those received so far, preceded by a character that says whether more
  /// will come. Throws what `work` threw.
  std::string collect() {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, between_rounds, [&] { return !text_.empty() || ended_; });
    if (problem_) std::rethrow_exception(problem_);
    return (ended_ ? ended : working) + std::exchange(text_, {});
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string text_;
  bool ended_ = false;
  bool stopped_ = false;
  std::exception_ptr problem_;
};

/// Runs work(report), which reports to `outbox`, on its own thread until the end of the scope.
class Worker {
 public:
  Worker(Outbox& outbox, const std::function<void(const NewsCallback&)>& work)
      : outbox_(outbox), thread_([&outbox, &work, threads = current_threads()] {
          std::exception_ptr problem;
          try {
            with_share_of_threads(threads, [&] { work([&](const RunNews& news) { outbox.report(news); }); });
          } catch (...) {
            problem = std::current_exception();
          }
          outbox.end(std::move(problem));
        }) {}
  ~Worker() {
    outbox_.stop();
    thread_.join();
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

 private:
  Outbox& outbox_;
  std::thread thread_;
};

}  // namespace

void exchange_news(Communicator& communicator, const std::function<void(const NewsCallback&)>& work,
                   const std::function<void(RunNews)>& take) {
  if (communicator.size() == 1) return work(take);
  Outbox outbox;
  const Worker worker(outbox, work);
  std::string go_on(1, working);
  while (go_on.front() == working) {
    const std::vector<std::string> texts = gather_texts(communicator, outbox.collect());
    for (const std::string& text : texts) take(parse_news(std::string_view(text).substr(1)));
    const bool all_ended = std::all_of(texts.begin(), texts.end(),
                                       [](const std::string& text) { return text.front() == ended; });
    go_on.front() = all_ended ? ended : working;
    share_text(communicator, go_on);
  }
}

}  // namespace widehash
