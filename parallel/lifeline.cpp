#include "lifeline.hpp"

#include <widehash/error.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <random>
#include <span>
#include <sstream>
#include <thread>
#include <utility>
#include <vector>

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace widehash::detail {
namespace {

constexpr int connect_milliseconds = 3000;
constexpr int gather_milliseconds = 60000;
constexpr int poll_milliseconds = 200;

/// A socket or a pipe's end.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int value) : value_(value) {}
  Descriptor(Descriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  ~Descriptor() { reset(); }
  void reset() {
    if (value_ >= 0) ::close(value_);
    value_ = -1;
  }
  int get() const noexcept { return value_; }
  explicit operator bool() const noexcept { return value_ >= 0; }

 private:
  int value_ = -1;
};

/// The other end of a connection: lines come in pieces.
struct Peer {
  Descriptor socket;
  int process = -1;
  std::string name;     // "on host, process 123"
  std::string pending;  // received, without its line end yet
  bool said_goodbye = false;
};

bool wait_for(int descriptor, short events, int milliseconds) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::milliseconds(milliseconds);
  for (;;) {
    pollfd item{descriptor, events, 0};
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
    const int ready = ::poll(&item, 1, static_cast<int>(std::max<std::int64_t>(left, 0)));
    if (ready >= 0) return ready == 1;
    if (errno != EINTR) return false;  // a signal is no timeout
  }
}

void keep_alive(int socket) {
  const auto set = [&](int level, int option, int value) {
    ::setsockopt(socket, level, option, &value, sizeof value);
  };
  // Idle 10 s, then a probe every 5 s; lost after 4 of them.
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, 10);
  set(IPPROTO_TCP, TCP_KEEPINTVL, 5);
  set(IPPROTO_TCP, TCP_KEEPCNT, 4);
  set(IPPROTO_TCP, TCP_USER_TIMEOUT, lost_host_seconds * 1000);
  set(IPPROTO_TCP, TCP_NODELAY, 1);
}

bool send_line(int socket, std::string line) {
  line += '\n';
  for (std::size_t sent = 0; sent < line.size();) {
    const ssize_t count = ::send(socket, line.data() + sent, line.size() - sent, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    sent += static_cast<std::size_t>(count);
  }
  return true;
}

/// Reads what has come. False when the connection is over.
bool receive(Peer& peer) {
  std::array<char, 4096> buffer{};
  const ssize_t count = ::recv(peer.socket.get(), buffer.data(), buffer.size(), 0);
  if (count < 0 && (errno == EINTR || errno == EAGAIN)) return true;
  if (count <= 0) return false;
  peer.pending.append(buffer.data(), static_cast<std::size_t>(count));
  return true;
}

bool take_line(Peer& peer, std::string& line) {
  const std::size_t end = peer.pending.find('\n');
  if (end == std::string::npos) return false;
  line = peer.pending.substr(0, end);
  peer.pending.erase(0, end + 1);
  return true;
}

/// The next line, while connections are being made.
bool read_line(Peer& peer, std::string& line, int milliseconds) {
  while (!take_line(peer, line)) {
    if (!wait_for(peer.socket.get(), POLLIN, milliseconds) || !receive(peer)) return false;
  }
  return true;
}

/// Addresses at which others may find this host; its own loopback last.
std::string own_addresses() {
  std::string found;
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) return "127.0.0.1";
  for (const ifaddrs* item = list; item != nullptr; item = item->ifa_next) {
    if (item->ifa_addr == nullptr || item->ifa_addr->sa_family != AF_INET) continue;
    if ((item->ifa_flags & IFF_LOOPBACK) != 0 || (item->ifa_flags & IFF_UP) == 0) continue;
    std::array<char, INET_ADDRSTRLEN> text{};
    const auto* address = reinterpret_cast<const sockaddr_in*>(item->ifa_addr);
    if (::inet_ntop(AF_INET, &address->sin_addr, text.data(), text.size()) != nullptr)
      found += std::string(text.data()) + " ";
  }
  ::freeifaddrs(list);
  return found + "127.0.0.1";
}

Descriptor connect_to(const std::string& address, std::uint16_t port) {
  Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_port = htons(port);
  if (!socket || ::inet_pton(AF_INET, address.c_str(), &place.sin_addr) != 1) return {};
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&place), sizeof place) != 0) {
    if (errno != EINPROGRESS || !wait_for(socket.get(), POLLOUT, connect_milliseconds)) return {};
    int error = 0;
    socklen_t size = sizeof error;
    if (::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &size) != 0 || error != 0) return {};
  }
  ::fcntl(socket.get(), F_SETFL, ::fcntl(socket.get(), F_GETFL) & ~O_NONBLOCK);
  return socket;
}

std::string own_name() {
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  return fmt::format("{}, pid {}", host.data(), ::getpid());
}

}  // namespace

// Lines: "hello TOKEN PROCESS NAME" and "welcome" at the start; "failed PROCESS REASON" and "goodbye".
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
    for (Peer& peer : peers_) keep_alive(peer.socket.get());
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
    Descriptor listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in place{};
    place.sin_family = AF_INET;
    place.sin_addr.s_addr = htonl(INADDR_ANY);
    socklen_t size = sizeof place;
    if (!listener || ::bind(listener.get(), reinterpret_cast<const sockaddr*>(&place), size) != 0 ||
        ::listen(listener.get(), num_processes) != 0 ||
        ::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&place), &size) != 0) {
      throw CommError(fmt::format("process 0 cannot listen for the others: {}", std::strerror(errno)));
    }
    // So that a stranger who finds the port is not taken for a process of this job.
    std::random_device random;
    const std::string token = fmt::format("{:08x}{:08x}", random(), random());
    std::string text = fmt::format("{} {} {}", token, ntohs(place.sin_port), own_addresses());
    share(text);
    while (peers_.size() + 1 < static_cast<std::size_t>(num_processes)) {
      if (!wait_for(listener.get(), POLLIN, gather_milliseconds)) {
        throw CommError(fmt::format("only {} of {} processes have reached process 0 within {} s",
                                    peers_.size() + 1, num_processes, gather_milliseconds / 1000));
      }
      Peer peer;
      peer.socket = Descriptor(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
      std::string line;
      if (!peer.socket || !read_line(peer, line, connect_milliseconds)) continue;
      std::istringstream words(line);
      std::string hello, given;
      words >> hello >> given >> peer.process >> std::ws;
      std::getline(words, peer.name);
      if (hello != "hello" || given != token || !send_line(peer.socket.get(), "welcome")) continue;
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
      peer.socket = connect_to(address, port);
      std::string line;
      if (!peer.socket ||
          !send_line(peer.socket.get(), fmt::format("hello {} {} {}", token, process_, own_name())) ||
          !read_line(peer, line, gather_milliseconds) || line != "welcome") {
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
      for (const Peer& peer : peers_) items.push_back({peer.socket.get(), POLLIN, 0});
      if (::poll(items.data(), items.size(), poll_milliseconds) <= 0) continue;
      for (std::size_t i = 0; i < items.size(); ++i) {
        if (items[i].revents != 0) listen_to(peers_[i]);
      }
    }
  }

  void listen_to(Peer& peer) {
    const bool is_open = receive(peer);
    for (std::string line; take_line(peer, line);) {
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
      peer.socket.reset();  // poll() passes over a descriptor of -1
    }
    if (peer.said_goodbye) return;
    const std::string reason =
        fmt::format("is gone ({}): it was killed, or its machine or network failed", peer.name);
    if (process_ == 0) announce(process, reason);
    failed_ = true;
    on_failure_(process, reason);
  }

  /// To all but the process that it is about.
  void tell_all(const std::string& line, int about) {
    const std::lock_guard lock(mutex_);
    for (const Peer& peer : peers_) {
      if (peer.socket && peer.process != about) send_line(peer.socket.get(), line);
    }
  }

  int process_;
  std::function<void(int, const std::string&)> on_failure_;
  std::mutex mutex_;  // of what is sent, and of closing
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
