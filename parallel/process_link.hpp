#pragma once

/// \file
/// The processes of a job and the messages between them. Implemented over MPI; in a build without MPI, by a
/// source that reports its absence.

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>

namespace widehash::detail {

struct Outgoing {
  int process = 0;
  int tag = 0;
  std::span<const std::byte> bytes;
};
struct Incoming {
  int process = 0;
  int tag = 0;
  std::span<std::byte> bytes;
};

/// Receives the number of a failed process and the reason.
using FailureListener = std::function<void(int process, const std::string& reason)>;

class ProcessLink {
 public:
  virtual ~ProcessLink() = default;

  virtual int process() const noexcept = 0;
  virtual int num_processes() const noexcept = 0;
  /// Identifies this process's machine: processes that return the same text share a machine.
  virtual std::string host() const = 0;
  /// Sends and receives all messages, and returns when they are done. Messages of one pair and tag arrive in
  /// the order in which they were sent. Only one thread may call this at a time. While waiting it calls
  /// `check` repeatedly, which may throw to give up. Throws CommError after `timeout_seconds`.
  virtual void exchange(std::span<const Outgoing> outgoing, std::span<const Incoming> incoming,
                        const std::function<void()>& check, double timeout_seconds) = 0;

  /// Tells all other processes that this one gives up, and why. Only the first reason counts.
  virtual void announce_failure(const std::string& reason) = 0;
  /// Throws CommError if a process has failed.
  virtual void check() const = 0;
  /// Calls `listener` on another thread when a process fails or is gone; if one already has failed or gone, on
  /// this thread before returning. There is one listener at a time; an empty one stops listening.
  virtual void listen(FailureListener listener) = 0;
};

/// The link to the other processes of this job; null if this process was started alone. Returns the same
/// object for the life of the process. Throws ConfigError if mpirun started the process and the build has no
/// MPI; CommError if the processes cannot reach each other, or if the program has started MPI without support
/// for threads.
ProcessLink* process_link();

/// Whether a launcher started this process, alone or with others.
bool has_launcher() noexcept;

}  // namespace widehash::detail
