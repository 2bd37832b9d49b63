#pragma once

/// \file
/// Long work on a thread of its own, while the Python thread that asked for it waits and still responds to
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

/// What the work and the thread that waits for it share. The work must not touch anything of Python.
class Job {
 public:
  /// Set once the caller has an exception and waits only for the work to end.
  const StopFlag& stop() const noexcept { return stop_; }
  /// Returns a callback that records progress for the waiting thread to report.
  ProgressCallback progress();
  /// The same for work without a StopFlag: the callback throws Stopped with `text` once the work is to stop.
  ProgressCallback stoppable_progress(std::string text);
  /// Makes the waiting thread, which holds the interpreter's lock, run `call`. Returns when that is done, or
  /// at once if the work is to stop.
  void on_caller(const std::function<void()>& call);

  // For the waiting thread.
  /// Waits for the end of the work. Calls `tell` (rows, bytes_done, bytes_total) about 20 times a second if
  /// there is news. Throws what a signal handler or a call raised; it has then asked the work to stop, before
  /// the work sees that call as finished. Requires the interpreter's lock.
  void watch(const py::object& tell);
  void ask_to_stop();
  /// For the work's thread: says that nothing more will come.
  void finish();

 private:
  void note(const Progress& progress);
  /// Waits for news and passes it on. Returns whether the work has ended.
  bool serve(const py::object& tell);
  /// When destroyed, marks the call that serve() took as finished, however it ended.
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
  bool is_taken_ = false;  // by the waiting thread, which is about to run the call or is running it
  bool is_finished_ = false;
  StopFlag stop_ = false;
};

/// Runs `work` on at most `threads` threads (0: all). If `tell` (a callable, or None), a call for the work,
/// or a signal handler raises, asks the work to stop, waits for it, and throws that exception with the one of
/// the work as its context. Otherwise throws what the work throws. Requires the interpreter's lock, and
/// releases it while it waits.
void run_job(std::size_t threads, const py::object& tell, const std::function<void(Job&)>& work);

}  // namespace widehash::python
