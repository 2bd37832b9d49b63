#pragma once

/// \file
/// TCP over IPv4, as far as a Lifeline needs it.

#include <cstdint>
#include <string>
#include <utility>

namespace widehash::detail {

/// Closed with the object.
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
  /// -1 once it is closed.
  int descriptor() const noexcept { return descriptor_; }
  explicit operator bool() const noexcept { return descriptor_ >= 0; }

 private:
  int descriptor_ = -1;
};

/// Whether one of `events` of poll() is there within the time. A signal does not end the wait.
bool wait_for(const Socket& socket, short events, int milliseconds);

/// A socket that listens on a port of the system's choice, with room for so many who wait. Throws CommError.
Socket listen_anywhere(int num_waiting, std::uint16_t& port);
/// The next who has connected; closed where they are gone. Throws CommError where none can be taken, now or later.
Socket accept_from(const Socket& listener);
/// A closed one where nobody answers within the time.
Socket connect_to(const std::string& address, std::uint16_t port, int milliseconds);

/// Has the kernel ask the other end whether it is there, so that its loss is noticed within so many seconds.
void keep_alive(const Socket& socket, int lost_seconds);

/// Addresses at which others may find this host, with spaces between; its own loopback last.
std::string own_addresses();

}  // namespace widehash::detail
