#include "news_exchange.hpp"

#include <widehash/internal/shared_stop.hpp>
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
// What ranks send each other begins with two characters.
constexpr std::size_t head_chars = 2;
constexpr char working = 'w';
constexpr char ended = 'e';
constexpr char is_to_stop = 's';
constexpr char is_to_go_on = 'g';

std::string head_of(bool has_ended, bool stops) {
  return {has_ended ? ended : working, stops ? is_to_stop : is_to_go_on};
}

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

  /// Waits briefly for reports. Returns those received so far, preceded by whether more will come and whether
  /// `stop` asks. Throws what `work` threw.
  std::string collect(const StopFlag* stop) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, between_rounds, [&] { return !text_.empty() || ended_; });
    if (problem_) std::rethrow_exception(problem_);
    return head_of(ended_, stop_is_asked(stop)) + std::exchange(text_, {});
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string text_;
  bool ended_ = false;
  bool stopped_ = false;
  std::exception_ptr problem_;
};

/// Runs `work`, which reports to `outbox`, on its own thread until the end of the scope.
class Worker {
 public:
  Worker(Outbox& outbox, const ReportingWork& work, const StopFlag& stop)
      : outbox_(outbox), thread_([&outbox, &work, &stop, threads = current_threads()] {
          std::exception_ptr problem;
          try {
            with_share_of_threads(threads,
                                  [&] { work([&](const RunNews& news) { outbox.report(news); }, &stop); });
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

void exchange_news(Communicator& communicator, const StopFlag* stop, const ReportingWork& work,
                   const std::function<void(RunNews)>& take) {
  if (communicator.size() == 1) return work(take, stop);
  Outbox outbox;
  StopFlag stop_all = false;
  const Worker worker(outbox, work, stop_all);
  std::string answer = head_of(false, false);
  while (answer[0] == working) {
    const std::vector<std::string> texts = gather_texts(communicator, outbox.collect(stop));
    for (const std::string& text : texts) take(parse_news(std::string_view(text).substr(head_chars)));
    answer =
        head_of(std::ranges::all_of(texts, [](const std::string& text) { return text[0] == ended; }),
                std::ranges::any_of(texts, [](const std::string& text) { return text[1] == is_to_stop; }));
    share_text(communicator, answer);
    if (answer[1] == is_to_stop) stop_all = true;
  }
}

}  // namespace widehash
