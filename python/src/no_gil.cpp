#include "no_gil.hpp"

#include <chrono>
#include <thread>

#include <pthread.h>

namespace widehash::python {
namespace {

// Both are accessed only with the interpreter's lock held.
int num_living = 0;
bool is_ending = false;

// A forked process has the numbers but not the threads. The thread that forks holds the lock.
void forget_in_forked_processes() {
  static const int registered = ::pthread_atfork(nullptr, nullptr, [] {
    num_living = 0;
    is_ending = false;
  });
  (void)registered;
}

}  // namespace

NoGil::NoGil() {
  if (is_ending) return;
  forget_in_forked_processes();
  ++num_living;
  state_ = PyEval_SaveThread();
}

NoGil::~NoGil() {
  if (state_ == nullptr) return;
  PyEval_RestoreThread(state_);
  --num_living;
}

void NoGil::end_all() {
  is_ending = true;
  while (num_living > 0) {
    const py::gil_scoped_release release;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace widehash::python
