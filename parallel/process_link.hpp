#pragma once

/// \file
/// The processes of a job and the messages between them. One implementation over MPI; where the build has
/// none, a source that says so.

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

/// Told of a process that failed: its number, and why.
using FailureListener = std::function<void(int process, const std::string& reason)>;

class ProcessLink {
 public:
  virtual ~ProcessLink() = default;

  virtual int process() const noexcept = 0;
  virtual int num_processes() const noexcept = 0;
  /// The name of the machine that this process runs on, by which processes see whether they share one.
  virtual std::string host() const = 0;

  /// Sends and receives all, and returns when they are done. Messages of one pair and tag come in the order
  /// in which they were sent; one thread at a time. Calls `check` again and again while waiting, which may
  /// throw to give up. Throws CommError after `timeout_seconds`.
  virtual void exchange(std::span<const Outgoing> outgoing, std::span<const Incoming> incoming,
                        const std::function<void()>& check, double timeout_seconds) = 0;

  /// Tells all other processes that this one gives up, and why. The first reason counts.
  virtual void announce_failure(const std::string& reason) = 0;
  /// Throws CommError where a process failed.
  virtual void check() const = 0;
  /// Called, on another thread, when a process fails or is gone; at once where one already did. One listener
  /// at a time; empty to end.
  virtual void listen(FailureListener listener) = 0;
};

/// The link to the other processes of this job; null where this process was not started with others. The same
/// object for the life of the process. Throws ConfigError where it was started by mpirun and the build has no
/// MPI; CommError where the processes cannot reach each other, or where the program has started MPI without
/// threads.
ProcessLink* process_link();

/// Whether a launcher started this process, as one of several or alone.
bool has_launcher() noexcept;

}  // namespace widehash::detail
