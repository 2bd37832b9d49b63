#pragma once

/// \file
/// Detects that a process of a job is gone. MPI does not report this: a message from a dead process simply
/// never comes. Each process therefore holds a TCP connection to process 0 for as long as it works, and the
/// kernel closes the connection when the process dies, for whatever reason. Process 0 tells the others.
///
///     a process dies                  noticed immediately
///     its machine or network is lost  within lost_host_seconds, by TCP keep-alive
///
/// Connections use IPv4. Process 0 listens on a port that the system chooses, and shares its addresses
/// through MPI.

#include <functional>
#include <memory>
#include <string>

namespace widehash::detail {

inline constexpr int lost_host_seconds = 30;

class Lifeline {
 public:
  /// Connects all processes. `share` distributes process 0's text to all. `on_failure` is called on another
  /// thread, possibly several times, with the process that failed and the reason. Throws CommError if process
  /// 0 cannot be reached.
  Lifeline(int process, int num_processes, const std::function<void(std::string&)>& share,
           std::function<void(int process, const std::string& reason)> on_failure);
  ~Lifeline();
  Lifeline(const Lifeline&) = delete;
  Lifeline& operator=(const Lifeline&) = delete;

  void announce_failure(const std::string& reason);
  /// Says goodbye to the other processes. Returns false if some process has failed: then nothing that needs
  /// all of them can be done any more.
  bool end();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace widehash::detail
