#include "socket.hpp"

#include <widehash/error.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>

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

void Socket::close() noexcept {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
}

bool wait_for(const Socket& socket, short events, int milliseconds) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::milliseconds(milliseconds);
  for (;;) {
    pollfd item{socket.descriptor(), events, 0};
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
    const int ready = ::poll(&item, 1, static_cast<int>(std::max<std::int64_t>(left, 0)));
    if (ready >= 0) return ready == 1;
    if (errno != EINTR) return false;
  }
}

Socket listen_anywhere(int num_waiting, std::uint16_t& port) {
  Socket listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_addr.s_addr = htonl(INADDR_ANY);
  socklen_t size = sizeof place;
  if (!listener || ::bind(listener.descriptor(), reinterpret_cast<const sockaddr*>(&place), size) != 0 ||
      ::listen(listener.descriptor(), num_waiting) != 0 ||
      ::getsockname(listener.descriptor(), reinterpret_cast<sockaddr*>(&place), &size) != 0) {
    throw CommError(fmt::format("process 0 cannot listen for the others: {}", std::strerror(errno)));
  }
  port = ntohs(place.sin_port);
  return listener;
}

Socket accept_from(const Socket& listener) {
  Socket accepted(::accept4(listener.descriptor(), nullptr, nullptr, SOCK_CLOEXEC));
  const bool is_lasting = errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM;
  if (!accepted && is_lasting)
    throw CommError(fmt::format("process 0 cannot accept a connection: {}", std::strerror(errno)));
  return accepted;
}

Socket connect_to(const std::string& address, std::uint16_t port, int milliseconds) {
  Socket socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_port = htons(port);
  if (!socket || ::inet_pton(AF_INET, address.c_str(), &place.sin_addr) != 1) return {};
  const int descriptor = socket.descriptor();
  if (::connect(descriptor, reinterpret_cast<const sockaddr*>(&place), sizeof place) != 0) {
    if (errno != EINPROGRESS || !wait_for(socket, POLLOUT, milliseconds)) return {};
    int error = 0;
    socklen_t size = sizeof error;
    if (::getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size) != 0 || error != 0) return {};
  }
  ::fcntl(descriptor, F_SETFL, ::fcntl(descriptor, F_GETFL) & ~O_NONBLOCK);
  return socket;
}

void keep_alive(const Socket& socket, int lost_seconds) {
  const auto set = [&](int level, int option, int value) {
    ::setsockopt(socket.descriptor(), level, option, &value, sizeof value);
  };
  // The first probe follows after a third of the time; after four unanswered probes the connection is lost.
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, lost_seconds / 3);
  set(IPPROTO_TCP, TCP_KEEPINTVL, lost_seconds / 6);
  set(IPPROTO_TCP, TCP_KEEPCNT, 4);
  set(IPPROTO_TCP, TCP_USER_TIMEOUT, lost_seconds * 1000);
  set(IPPROTO_TCP, TCP_NODELAY, 1);
}

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

}  // namespace widehash::detail
