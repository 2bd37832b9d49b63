#include "host_identity.hpp"
#include "lifeline.hpp"
#include "process_link.hpp"

#include <widehash/error.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <mpi.h>

namespace widehash::detail {
namespace {

using SteadyClock = std::chrono::steady_clock;

// MPI counts in int, so longer messages are sent in pieces.
constexpr std::size_t max_message_bytes = std::size_t{1} << 30;
// After this many polls without success the thread sleeps between polls, to leave the core to computing
// threads.
constexpr int looks_before_sleep = 2000;
constexpr std::chrono::microseconds sleep_between_looks{50};

void require(int result, const char* what) {
  if (result == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(result, text.data(), &length);
  throw CommError(
      fmt::format("MPI: {}: {}", what, std::string(text.data(), static_cast<std::size_t>(length))));
}

/// Calls use(begin, size) for each piece of a message of `num_bytes`.
template <class Use>
void in_pieces_of(std::size_t num_bytes, const Use& use) {
  for (std::size_t at = 0; at < num_bytes; at += max_message_bytes)
    use(at, std::min(max_message_bytes, num_bytes - at));
}

/// Starts MPI unless the program that uses the library has started it, and ends only what it started.
class MpiSession {
 public:
  MpiSession() {
    int running = 0;
    MPI_Initialized(&running);
    // Only one thread at a time uses MPI, but not always the same one.
    int provided = MPI_THREAD_SINGLE;
    if (running == 0) {
      require(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided), "starting");
      owner_ = true;
    } else {
      require(MPI_Query_thread(&provided), "asking for its threads");
    }
    if (provided < MPI_THREAD_SERIALIZED) {
      throw CommError(owner_ ? "MPI: this library does not allow threads at all"
                             : "MPI: the program started it without threads; start it with MPI_Init_thread "
                               "and at least MPI_THREAD_SERIALIZED");
    }
    // A communicator of its own keeps its tags separate from those of a program that uses MPI itself.
    require(MPI_Comm_dup(MPI_COMM_WORLD, &world_), "making a communicator");
    MPI_Comm_set_errhandler(world_, MPI_ERRORS_RETURN);
    MPI_Comm_rank(world_, &process_);
    MPI_Comm_size(world_, &num_processes_);
  }
  void end() {
    if (owner_) MPI_Finalize();
  }

  MPI_Comm world() const noexcept { return world_; }
  int process() const noexcept { return process_; }
  int num_processes() const noexcept { return num_processes_; }

 private:
  bool owner_ = false;
  MPI_Comm world_ = MPI_COMM_NULL;
  int process_ = 0;
  int num_processes_ = 1;
};

class MpiLink final : public ProcessLink {
 public:
  MpiLink()
      : lifeline_(
            session_.process(), session_.num_processes(), [this](std::string& text) { share(text); },
            [this](int process, const std::string& reason) { on_failure(process, reason); }) {}

  ~MpiLink() override {
    // Once a process is gone, MPI_Finalize may wait for it forever.
    if (!lifeline_.end()) return;
    session_.end();
  }

  int process() const noexcept override { return session_.process(); }
  int num_processes() const noexcept override { return session_.num_processes(); }
  std::string host() const override { return host_identity(); }

  void exchange(std::span<const Outgoing> outgoing, std::span<const Incoming> incoming,
                const std::function<void()>& check_caller, double timeout_seconds) override {
    check();
    // Receives of the failed exchange are still open, into memory that has been freed: MPI must not make
    // progress.
    if (std::exchange(is_open_, true))
      throw CommError("MPI: an earlier exchange failed; start new processes");
    std::vector<MPI_Request> requests;
    for (const Incoming& message : incoming) {
      in_pieces_of(message.bytes.size(), [&](std::size_t at, std::size_t size) {
        require(MPI_Irecv(message.bytes.data() + at, static_cast<int>(size), MPI_BYTE, message.process,
                          message.tag, session_.world(), &requests.emplace_back(MPI_REQUEST_NULL)),
                "receiving");
      });
    }
    for (const Outgoing& message : outgoing) {
      in_pieces_of(message.bytes.size(), [&](std::size_t at, std::size_t size) {
        require(MPI_Isend(message.bytes.data() + at, static_cast<int>(size), MPI_BYTE, message.process,
                          message.tag, session_.world(), &requests.emplace_back(MPI_REQUEST_NULL)),
                "sending");
      });
    }
    std::vector<MPI_Status> statuses(requests.size());
    wait_for(requests, statuses, check_caller, timeout_seconds);
    // The receives come first. MPI reports a longer message than expected as an error, but not a shorter one.
    auto status = statuses.begin();
    for (const Incoming& message : incoming) {
      in_pieces_of(message.bytes.size(), [&](std::size_t, std::size_t size) {
        int count = 0;
        require(MPI_Get_count(&*status++, MPI_BYTE, &count), "asking for the length of a message");
        if (static_cast<std::size_t>(count) == size) return;
        throw CommError(
            fmt::format("process {} sent {} bytes, but process {} expected {}: the processes are out of step",
                        message.process, count, process(), size));
      });
    }
    is_open_ = false;
  }

  void announce_failure(const std::string& reason) override {
    if (note_failure(process(), reason)) lifeline_.announce_failure(reason);
  }

  void check() const override {
    const std::lock_guard lock(mutex_);
    if (failed_) throw CommError(fmt::format("process {}: {}", failed_process_, reason_));
  }

  void listen(FailureListener listener) override {
    const std::lock_guard lock(mutex_);
    listener_ = std::move(listener);
    if (failed_ && listener_) listener_(failed_process_, reason_);
  }

 private:
  void wait_for(std::vector<MPI_Request>& requests, std::vector<MPI_Status>& statuses,
                const std::function<void()>& check_caller, double timeout_seconds) {
    const auto start = SteadyClock::now();
    for (int looks = 0;; ++looks) {
      int done = 0;
      require(MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, statuses.data()),
              "exchanging");
      if (done != 0) return;
      if (looks % 64 == 63) {
        const bool failed = has_failed();
        check_caller();  // a caller that was told of a failed process throws, and names its rank
        if (failed) check();
        if (std::chrono::duration<double>(SteadyClock::now() - start).count() > timeout_seconds)
          throw CommError(fmt::format("MPI: a message did not arrive within {} s", timeout_seconds));
      }
      if (looks < looks_before_sleep) {
        std::this_thread::yield();
      } else {
        std::this_thread::sleep_for(sleep_between_looks);
      }
    }
  }

  /// Distributes process 0's text to all, which tells the others where to find it.
  void share(std::string& text) {
    auto size = static_cast<std::uint64_t>(text.size());
    require(MPI_Bcast(&size, 1, MPI_UINT64_T, 0, session_.world()), "sharing addresses");
    text.resize(size);
    require(MPI_Bcast(text.data(), static_cast<int>(size), MPI_BYTE, 0, session_.world()),
            "sharing addresses");
  }

  bool has_failed() const {
    const std::lock_guard lock(mutex_);
    return failed_;
  }

  bool note_failure(int process, const std::string& reason) {
    const std::lock_guard lock(mutex_);
    return note_failure_locked(process, reason);
  }

  bool note_failure_locked(int process, const std::string& reason) {
    if (failed_) return false;
    failed_ = true;
    failed_process_ = process;
    reason_ = reason;
    return true;
  }

  void on_failure(int process, const std::string& reason) {
    // The listener is called under the lock, before any other thread can see the failure here.
    const std::lock_guard lock(mutex_);
    if (note_failure_locked(process, reason) && listener_) listener_(process, reason);
  }

  MpiSession session_;
  bool is_open_ = false;  // an exchange is running or has failed
  mutable std::mutex mutex_;
  bool failed_ = false;
  int failed_process_ = 0;
  std::string reason_;
  FailureListener listener_;
  Lifeline lifeline_;  // last, because its thread uses the members above
};

}  // namespace

ProcessLink* process_link() {
  if (!has_launcher()) return nullptr;
  // Ends with the program, after everything that may use it.
  static MpiLink link;
  return link.num_processes() > 1 ? &link : nullptr;
}

}  // namespace widehash::detail
