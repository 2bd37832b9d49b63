#pragma once

/// \file
/// TCP over IPv4, as far as a Lifeline needs it.

#include <cstdint>
#include <string>
#include <utility>

namespace widehash::detail {

/// A socket, closed on destruction.
class Socket {
 public:
  Socket() = default;
  explicit Socket(int descriptor) noexcept : descriptor_(descriptor) {}
  Socket(Socket&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  Socket& operator=(Socket&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~Socket() { close(); }

  void close() noexcept;
  /// -1 if it is closed.
  int descriptor() const noexcept { return descriptor_; }
  explicit operator bool() const noexcept { return descriptor_ >= 0; }

 private:
  int descriptor_ = -1;
};

/// Whether one of poll()'s `events` occurs within the time. A signal does not end the wait.
bool wait_for(const Socket& socket, short events, int milliseconds);

/// A socket that listens on a port chosen by the system, with room for `num_waiting` pending connections.
/// Throws CommError.
Socket listen_anywhere(int num_waiting, std::uint16_t& port);
/// The next connection; a closed socket if the other end is already gone. Throws CommError if no connection
/// can be accepted, now or later.
Socket accept_from(const Socket& listener);
/// A connected socket; a closed one if the address does not answer within the time.
Socket connect_to(const std::string& address, std::uint16_t port, int milliseconds);

/// Has the kernel probe the other end, so that its loss is noticed within `lost_seconds`.
void keep_alive(const Socket& socket, int lost_seconds);

/// Addresses at which others may reach this host, separated by spaces, with the loopback address last.
std::string own_addresses();

}  // namespace widehash::detail
