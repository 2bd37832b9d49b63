#include "lifeline.hpp"

#include "line_peer.hpp"

#include <widehash/error.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <random>
#include <sstream>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

namespace widehash::detail {
namespace {

constexpr int connect_milliseconds = 3000;
constexpr int gather_milliseconds = 60000;
constexpr int poll_milliseconds = 200;

/// The process at the other end of a connection.
struct Peer {
  LinePeer lines;
  int process = -1;
  std::string name;  // "on host, process 123"
  bool said_goodbye = false;
};

std::string own_name() {
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  return fmt::format("{}, pid {}", host.data(), ::getpid());
}

}  // namespace

// Lines of the protocol: "hello TOKEN PROCESS NAME" and "welcome" at the start; later "failed PROCESS REASON"
// and "goodbye".
class Lifeline::Impl {
 public:
  Impl(int process, int num_processes, const std::function<void(std::string&)>& share,
       std::function<void(int, const std::string&)> on_failure)
      : process_(process), on_failure_(std::move(on_failure)) {
    if (process == 0) {
      accept_all(num_processes, share);
    } else {
      join(share);
    }
    for (const Peer& peer : peers_) keep_alive(peer.lines.socket(), lost_host_seconds);
    thread_ = std::thread([this] { watch(); });
  }

  ~Impl() {
    stop_ = true;
    if (thread_.joinable()) thread_.join();
  }

  void announce(int process, const std::string& reason) {
    std::string line = reason;
    for (char& c : line) c = c == '\n' ? ' ' : c;
    tell_all(fmt::format("failed {} {}", process, line), process);
    failed_ = true;
  }

  void announce_own(const std::string& reason) { announce(process_, reason); }

  bool end() {
    if (!failed_) tell_all("goodbye", process_);
    stop_ = true;
    if (thread_.joinable()) thread_.join();
    return !failed_;
  }

 private:
  void accept_all(int num_processes, const std::function<void(std::string&)>& share) {
    std::uint16_t port = 0;
    const Socket listener = listen_anywhere(num_processes, port);
    // The token keeps a stranger who finds the port from being taken for a process of this job.
    std::random_device random;
    const std::string token = fmt::format("{:08x}{:08x}", random(), random());
    std::string text = fmt::format("{} {} {}", token, port, own_addresses());
    share(text);
    while (peers_.size() + 1 < static_cast<std::size_t>(num_processes)) {
      if (!wait_for(listener, POLLIN, gather_milliseconds)) {
        throw CommError(fmt::format("only {} of {} processes reached process 0 within {} s",
                                    peers_.size() + 1, num_processes, gather_milliseconds / 1000));
      }
      Peer peer;
      peer.lines = LinePeer(accept_from(listener));
      std::string line;
      if (!peer.lines.is_open() || !peer.lines.read_line(line, connect_milliseconds)) continue;
      std::istringstream words(line);
      std::string hello, given;
      words >> hello >> given >> peer.process >> std::ws;
      std::getline(words, peer.name);
      if (hello != "hello" || given != token || peer.process < 1 || peer.process >= num_processes) continue;
      if (!peer.lines.send("welcome")) continue;
      // A process that did not receive the welcome in time connects again, through another address.
      std::erase_if(peers_, [&](const Peer& earlier) { return earlier.process == peer.process; });
      peers_.push_back(std::move(peer));
    }
  }

  void join(const std::function<void(std::string&)>& share) {
    std::string text;
    share(text);
    std::istringstream words(text);
    std::string token, address, tried;
    std::uint16_t port = 0;
    words >> token >> port;
    while (words >> address) {
      tried += " " + address;
      Peer peer;
      peer.process = 0;
      peer.name = "of process 0";
      peer.lines = LinePeer(connect_to(address, port, connect_milliseconds));
      std::string line;
      if (!peer.lines.is_open() ||
          !peer.lines.send(fmt::format("hello {} {} {}", token, process_, own_name())) ||
          !peer.lines.read_line(line, gather_milliseconds) || line != "welcome") {
        continue;
      }
      peers_.push_back(std::move(peer));
      return;
    }
    throw CommError(
        fmt::format("process {} cannot reach process 0 on any of its addresses:{} (port {}); the machines of "
                    "a job must reach each "
                    "other over IPv4",
                    process_, tried, port));
  }

  void watch() {
    while (!stop_) {
      std::vector<pollfd> items;
      for (const Peer& peer : peers_) items.push_back({peer.lines.descriptor(), POLLIN, 0});
      if (::poll(items.data(), items.size(), poll_milliseconds) <= 0) continue;
      for (std::size_t i = 0; i < items.size(); ++i) {
        if (items[i].revents != 0) listen_to(peers_[i]);
      }
    }
  }

  void listen_to(Peer& peer) {
    const bool is_open = peer.lines.receive();
    for (std::string line; peer.lines.take_line(line);) {
      if (line == "goodbye") {
        peer.said_goodbye = true;
      } else if (line.starts_with("failed ")) {
        std::istringstream words(line.substr(7));
        int process = -1;
        words >> process >> std::ws;
        std::string reason;
        std::getline(words, reason);
        if (process_ == 0) announce(process, reason);
        failed_ = true;
        on_failure_(process, reason);
      }
    }
    if (is_open) return;
    const int process = peer.process;
    {
      const std::lock_guard lock(mutex_);
      peer.lines.close();
    }
    if (peer.said_goodbye) return;
    const std::string reason =
        fmt::format("is gone ({}): it was killed, or its machine or network failed", peer.name);
    if (process_ == 0) announce(process, reason);
    failed_ = true;
    on_failure_(process, reason);
  }

  /// Sends the line to every process except `about`, the one that it concerns.
  void tell_all(const std::string& line, int about) {
    const std::lock_guard lock(mutex_);
    for (const Peer& peer : peers_) {
      if (peer.lines.is_open() && peer.process != about) peer.lines.send(line);
    }
  }

  int process_;
  std::function<void(int, const std::string&)> on_failure_;
  std::mutex mutex_;  // guards sending and closing
  std::vector<Peer> peers_;
  std::atomic<bool> failed_{false};
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

Lifeline::Lifeline(int process, int num_processes, const std::function<void(std::string&)>& share,
                   std::function<void(int, const std::string&)> on_failure)
    : impl_(std::make_unique<Impl>(process, num_processes, share, std::move(on_failure))) {}
Lifeline::~Lifeline() = default;
void Lifeline::announce_failure(const std::string& reason) { impl_->announce_own(reason); }
bool Lifeline::end() { return impl_->end(); }

}  // namespace widehash::detail
