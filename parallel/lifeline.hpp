#pragma once

/// \file
/// How the processes of a job notice that one of them is gone. MPI does not say: a message from a dead
/// process simply never comes. So each process holds a TCP connection to process 0 for as long as it works,
/// and the kernel closes it when the process dies, whatever it died of. Process 0 tells the others.
///
///     a process dies                  noticed at once
///     its machine or network is lost  within lost_host_seconds, by TCP keep-alive
///
/// Connections are IPv4. Process 0 listens on a port that the system chooses and shares its addresses through
/// MPI.

#include <functional>
#include <memory>
#include <string>

namespace widehash::detail {

inline constexpr int lost_host_seconds = 30;

class Lifeline {
 public:
  /// Connects all processes. `share` brings process 0's text to all. `on_failure` is called on another
  /// thread, with the process that failed and why; possibly several times. Throws CommError where process 0
  /// cannot be reached.
  Lifeline(int process, int num_processes, const std::function<void(std::string&)>& share,
           std::function<void(int process, const std::string& reason)> on_failure);
  ~Lifeline();
  Lifeline(const Lifeline&) = delete;
  Lifeline& operator=(const Lifeline&) = delete;

  void announce_failure(const std::string& reason);
  /// Says goodbye. False where some process failed before: then nothing that needs all of them can be done
  /// any more.
  bool end();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace widehash::detail
