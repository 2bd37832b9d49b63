#include "job.hpp"

#include "bindings.hpp"
#include "no_gil.hpp"

#include <widehash/error.hpp>
#include <widehash/internal/stoppable_progress.hpp>
#include <widehash/threads.hpp>

#include <algorithm>
#include <chrono>
#include <exception>
#include <map>
#include <optional>
#include <thread>

#include <unistd.h>

namespace widehash::python {
namespace {

constexpr std::chrono::milliseconds look_every{50};

/// The jobs that are being waited for. An interpreter that ends while daemon threads run first ends their
/// jobs; otherwise a C++ thread would keep working in a process that is being torn down.
class RunningJobs {
 public:
  class Entry {
   public:
    /// Raises Stopped in Python if another thread is ending the interpreter.
    explicit Entry(Job& job) : job_(job) {
      std::unique_lock lock(all().mutex_);
      if (all().ended_by_ && all().ended_by_ != std::this_thread::get_id()) {
        lock.unlock();
        refuse_late();
      }
      all().jobs_.emplace(&job_, ::getpid());
    }
    ~Entry() {
      const std::lock_guard lock(all().mutex_);
      all().jobs_.erase(&job_);
      all().ended_.notify_all();
    }
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;

   private:
    Job& job_;
  };

  /// Asks all jobs to stop and waits until they have. From then on, only this thread may start jobs.
  static void end_all() {
    // For refuse_late(), which must not run Python code. Never released: a daemon thread may still need it.
    stopped_type() = py::object(py::module_::import("widehash.errors").attr("Stopped")).release().ptr();
    const py::gil_scoped_release release;
    std::unique_lock lock(all().mutex_);
    all().ended_by_ = std::this_thread::get_id();
    const auto is_ours = [](const auto& entry) { return entry.second == ::getpid(); };
    for (const auto& entry : all().jobs_)
      if (is_ours(entry)) entry.first->ask_to_stop();
    all().ended_.wait(lock, [&] { return std::ranges::none_of(all().jobs_, is_ours); });
  }

 private:
  static PyObject*& stopped_type() {
    static PyObject* type = nullptr;
    return type;
  }

  /// A daemon thread is ended when it takes the interpreter's lock while the interpreter is being torn down.
  /// That must happen here, where C++ frames can be unwound, and not below a noexcept function or while an
  /// exception is handled, as would be the case where Python code makes the error.
  [[noreturn]] static void refuse_late() {
    PyThreadState* const state = PyEval_SaveThread();
    std::this_thread::sleep_for(look_every);  // a thread that keeps retrying blocks the others
    PyEval_RestoreThread(state);
    PyErr_SetString(stopped_type(), "the interpreter is shutting down: no new job can be started");
    throw py::error_already_set();
  }

  // Never destroyed: a daemon thread may arrive late.
  static RunningJobs& all() {
    static auto* const jobs = new RunningJobs;
    return *jobs;
  }

  std::mutex mutex_;
  std::condition_variable ended_;
  std::optional<std::thread::id> ended_by_;
  std::map<Job*, pid_t> jobs_;  // with the process of each: a fork has the entries but not the threads
};

void join(std::thread& thread) {
  const py::gil_scoped_release release;
  thread.join();
}

/// Sets the error for `work_ended` as the context of `error`, because it may say how to go on.
void add_context(const py::error_already_set& error, const std::exception_ptr& work_ended) {
  if (!work_ended) return;
  const py::object present = py::reinterpret_steal<py::object>(PyException_GetContext(error.value().ptr()));
  if (present) return;
  try {
    set_python_error(work_ended);
  } catch (...) {
    return;  // not an exception of the library
  }
  const py::error_already_set context;
  PyException_SetContext(error.value().ptr(), context.value().inc_ref().ptr());
}

}  // namespace

void Job::note(const Progress& progress) {
  const std::lock_guard lock(mutex_);
  latest_ = progress;
  has_progress_ = true;
}

ProgressCallback Job::progress() {
  return [this](const Progress& progress) { note(progress); };
}

ProgressCallback Job::stoppable_progress(std::string text) {
  return widehash::stoppable_progress(&stop_, std::move(text), progress());
}

void Job::on_caller(const std::function<void()>& call) {
  std::unique_lock lock(mutex_);
  if (stop_) return;
  call_ = &call;
  news_.notify_all();
  // Waits for a call that is being made, because the call uses what the work holds.
  answered_.wait(lock, [&] { return call_ == nullptr || (stop_ && !is_taken_); });
  call_ = nullptr;
}

Job::TakenCall::~TakenCall() {
  const std::lock_guard lock(job_.mutex_);
  if (!job_.is_taken_) return;
  job_.is_taken_ = false;
  job_.call_ = nullptr;
  job_.answered_.notify_all();
}

void Job::watch(const py::object& tell) {
  bool is_finished = false;
  while (!is_finished) {
    const TakenCall taken(*this);
    try {
      is_finished = serve(tell);
    } catch (...) {
      // While the call still counts as taken: once it is over, the work goes on, and must know by then that
      // it is to stop.
      ask_to_stop();
      throw;
    }
  }
}

bool Job::serve(const py::object& tell) {
  bool is_finished = false;
  const std::function<void()>* call = nullptr;
  bool has_progress = false;
  Progress progress;
  {
    // Released first and retaken last, so that no thread waits for the interpreter while it holds the mutex.
    const py::gil_scoped_release release;
    std::unique_lock lock(mutex_);
    news_.wait_for(lock, look_every, [&] { return is_finished_ || call_ != nullptr; });
    is_finished = is_finished_;
    call = call_;
    is_taken_ = call != nullptr;
    has_progress = has_progress_;
    has_progress_ = false;
    progress = latest_;
  }
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  if (has_progress && !tell.is_none()) tell(progress.rows, progress.bytes_done, progress.bytes_total);
  if (call != nullptr) (*call)();
  return is_finished;
}

void Job::ask_to_stop() {
  const std::lock_guard lock(mutex_);
  stop_ = true;
  answered_.notify_all();
}

void Job::finish() {
  const std::lock_guard lock(mutex_);
  is_finished_ = true;
  news_.notify_all();
}

void bind_jobs(py::module_&) {
  const py::object at_exit = py::module_::import("atexit").attr("register");
  at_exit(py::cpp_function(&NoGil::end_all));
  at_exit(py::cpp_function(&RunningJobs::end_all));
}

void run_job(std::size_t threads, const py::object& tell, const std::function<void(Job&)>& work) {
  Job job;
  const RunningJobs::Entry entry(job);
  std::exception_ptr work_ended;
  std::thread thread([&] {
    try {
      with_threads(threads, [&] { work(job); });
    } catch (...) {
      work_ended = std::current_exception();
    }
    job.finish();
  });
  try {
    job.watch(tell);
  } catch (const py::error_already_set& error) {
    join(thread);
    add_context(error, work_ended);
    throw;
  } catch (...) {
    join(thread);
    throw;
  }
  join(thread);
  if (!work_ended) return;
  // Converted to a Python error while the entry exists: that runs Python code, during which another thread
  // may end the interpreter.
  set_python_error(work_ended);
  throw py::error_already_set();
}

}  // namespace widehash::python
