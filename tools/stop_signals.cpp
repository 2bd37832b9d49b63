#include "stop_signals.hpp"

#include <widehash/internal/stoppable_progress.hpp>

#include <cerrno>
#include <csignal>

#include <unistd.h>

namespace widehash::tools {
namespace {

StopFlag stop_flag = false;
volatile std::sig_atomic_t signal_that_came = 0;

// The work at hand may take long, or wait for a pipe that nobody reads.
constexpr unsigned patience_seconds = 1;
constexpr char still_working[] =
    "\nwidehash: stopping after the work at hand; a second signal stops at once\n";

extern "C" void report_waiting(int) {
  const int before = errno;
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, still_working, sizeof still_working - 1);
  errno = before;
}

extern "C" void ask_to_stop(int number) {
  signal_that_came = number;
  stop_flag = true;
  ::alarm(patience_seconds);
  // The next signal is not caught: a user who asks twice does not want to wait.
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

void listen_to(int number) {
  struct sigaction action {};
  if (::sigaction(number, nullptr, &action) != 0 || action.sa_handler == SIG_IGN) return;
  action = {};
  action.sa_handler = ask_to_stop;
  // Blocking calls are resumed, so no file operation of this library or of others has to know about the
  // signal.
  action.sa_flags = SA_RESTART;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(number, &action, nullptr);
}

}  // namespace

const StopFlag& stop_on_signals() {
  struct sigaction action {};
  action.sa_handler = report_waiting;
  action.sa_flags = SA_RESTART;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(SIGALRM, &action, nullptr);
  listen_to(SIGINT);
  listen_to(SIGTERM);
  return stop_flag;
}

int stop_signal() noexcept { return signal_that_came; }

ProgressCallback stoppable(ProgressCallback inner, std::string message) {
  return stoppable_progress(&stop_on_signals(), std::move(message), std::move(inner));
}

}  // namespace widehash::tools
