#pragma once

/// \file
/// Long work on a thread of its own, while the thread of Python that asked for it waits and stays awake for
/// Ctrl-C.

#include <widehash/progress.hpp>
#include <widehash/stop.hpp>

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>

#include <pybind11/pybind11.h>

namespace widehash::python {

namespace py = pybind11;

/// What the work and the thread that waits for it have in common. The work touches nothing of Python.
class Job {
 public:
  /// Set once the caller has had an exception and waits for nothing but the end.
  const StopFlag& stop() const noexcept { return stop_; }
  /// Notes how far the work is, for the waiting thread to tell.
  ProgressCallback progress();
  /// The same for work without a StopFlag, which it ends by Stopped with this text.
  ProgressCallback stoppable_progress(std::string text);
  /// Has `call` made by the waiting thread, which holds the interpreter's lock, and returns when that is
  /// done; at once where the work is to stop.
  void on_caller(const std::function<void()>& call);

  // For the waiting thread.
  /// Waits for the end; calls `tell` (rows, bytes_done, bytes_total) about 20 times a second where there is
  /// news. Throws what a signal handler or a call raised, and has asked the work to stop then, before that
  /// call is over for it. Requires the interpreter's lock.
  void watch(const py::object& tell);
  void ask_to_stop();
  /// For the work's thread: that there is nothing more to come.
  void finish();

 private:
  void note(const Progress& progress);
  /// Waits for news and passes them on. Returns whether the work has ended.
  bool serve(const py::object& tell);
  /// At its end the call that serve() took is over, however it ended.
  class TakenCall {
   public:
    explicit TakenCall(Job& job) : job_(job) {}
    ~TakenCall();
    TakenCall(const TakenCall&) = delete;
    TakenCall& operator=(const TakenCall&) = delete;

   private:
    Job& job_;
  };

  std::mutex mutex_;
  std::condition_variable news_;      // for the waiting thread
  std::condition_variable answered_;  // for the work
  Progress latest_;
  bool has_progress_ = false;
  const std::function<void()>* call_ = nullptr;
  bool is_taken_ = false;  // by the waiting thread, which is about to make it, or makes it
  bool is_finished_ = false;
  StopFlag stop_ = false;
};

/// Runs `work` by at most `threads` threads (0: all). Where `tell` (a callable, or None), a call of the
/// work's or a handler of a signal raises, the work is asked to stop and waited for, and the exception is
/// thrown, with that of the work as its context. Otherwise throws what the work throws. Requires the
/// interpreter's lock, and gives it up while it waits.
void run_job(std::size_t threads, const py::object& tell, const std::function<void(Job&)>& work);

}  // namespace widehash::python
