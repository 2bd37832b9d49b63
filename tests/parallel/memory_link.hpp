#pragma once

/// \file
/// The link of RankGroup without MPI: the processes of a job are threads of one process.

#include "process_link.hpp"

#include <widehash/error.hpp>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

namespace widehash::detail {

/// What lies between the processes: messages that were sent but not yet received.
class MemoryJob {
 public:
  /// hosts[p] is the host that process p reports; all processes are on one host if `hosts` is empty.
  explicit MemoryJob(int num_processes, std::vector<std::string> hosts = {}) : hosts_(std::move(hosts)) {
    hosts_.resize(static_cast<std::size_t>(num_processes), "here");
    for (int p = 0; p < num_processes; ++p) links_.push_back(std::make_unique<Link>(*this, p));
  }

  int num_processes() const noexcept { return static_cast<int>(links_.size()); }
  ProcessLink& link(int process) { return *links_.at(static_cast<std::size_t>(process)); }
  /// Acts as if `process` had been killed: notifies all others.
  void lose(int process, const std::string& reason) {
    for (auto& link : links_) {
      if (link->process() != process) link->note_failure(process, reason);
    }
  }

  /// Calls body(process) for every process, each on a thread of its own.
  template <class Body>
  void run(const Body& body) {
    std::vector<std::thread> threads;
    for (int p = 0; p < num_processes(); ++p) threads.emplace_back(body, p);
    for (std::thread& thread : threads) thread.join();
  }

 private:
  class Link final : public ProcessLink {
   public:
    Link(MemoryJob& job, int process) : job_(job), process_(process) {}

    int process() const noexcept override { return process_; }
    int num_processes() const noexcept override { return job_.num_processes(); }
    std::string host() const override { return job_.hosts_[static_cast<std::size_t>(process_)]; }

    void exchange(std::span<const Outgoing> outgoing, std::span<const Incoming> incoming,
                  const std::function<void()>& check_caller, double timeout_seconds) override {
      for (const Outgoing& message : outgoing)
        job_.send({process_, message.process, message.tag}, message.bytes);
      for (const Incoming& message : incoming) {
        const auto give_up = [&] {
          check_caller();
          check();
        };
        job_.receive({message.process, process_, message.tag}, message.bytes, give_up, timeout_seconds);
      }
    }

    void announce_failure(const std::string& reason) override { job_.lose(process_, reason); }

    void check() const override {
      const std::lock_guard lock(mutex_);
      if (!reason_.empty()) throw CommError(reason_);
    }

    void listen(FailureListener listener) override {
      const std::lock_guard lock(mutex_);
      listener_ = std::move(listener);
      if (listener_ && !reason_.empty()) listener_(failed_process_, reason_);
    }

    void note_failure(int process, const std::string& reason) {
      const std::lock_guard lock(mutex_);
      if (!reason_.empty()) return;
      failed_process_ = process;
      reason_ = reason;
      if (listener_) listener_(process, reason);
    }

   private:
    MemoryJob& job_;
    int process_;
    mutable std::mutex mutex_;
    int failed_process_ = 0;
    std::string reason_;
    FailureListener listener_;
  };

  using Way = std::tuple<int, int, int>;  // from, to, tag

  void send(const Way& way, std::span<const std::byte> bytes) {
    const std::lock_guard lock(mutex_);
    messages_[way].emplace_back(bytes.begin(), bytes.end());
    changed_.notify_all();
  }

  template <class Check>
  void receive(const Way& way, std::span<std::byte> bytes, const Check& give_up, double timeout_seconds) {
    const auto start = std::chrono::steady_clock::now();
    std::unique_lock lock(mutex_);
    while (!changed_.wait_for(lock, std::chrono::milliseconds(1), [&] { return !messages_[way].empty(); })) {
      give_up();
      if (std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() > timeout_seconds)
        throw CommError("a message did not arrive");
    }
    const std::vector<std::byte> message = std::move(messages_[way].front());
    messages_[way].pop_front();
    if (message.size() != bytes.size()) throw CommError("a message of another size has come");
    std::copy(message.begin(), message.end(), bytes.begin());
  }

  std::vector<std::string> hosts_;
  std::vector<std::unique_ptr<Link>> links_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<Way, std::deque<std::vector<std::byte>>> messages_;
};

}  // namespace widehash::detail
