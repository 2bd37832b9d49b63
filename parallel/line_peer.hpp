#pragma once

/// \file
/// The other end of a connection that carries lines in both directions.

#include "socket.hpp"

#include <string>
#include <utility>

namespace widehash::detail {

class LinePeer {
 public:
  LinePeer() = default;
  explicit LinePeer(Socket socket) noexcept : socket_(std::move(socket)) {}

  bool is_open() const noexcept { return static_cast<bool>(socket_); }
  /// For poll(), which ignores the -1 of a closed connection.
  int descriptor() const noexcept { return socket_.descriptor(); }
  const Socket& socket() const noexcept { return socket_; }
  void close() noexcept { socket_.close(); }

  /// Sends `line`, which must not contain a line end, and adds one. Returns false if the connection is over.
  bool send(std::string line) const;
  /// Reads what has arrived, which may be part of a line. Returns false if the connection is over.
  bool receive();
  /// Moves the first complete line that has arrived into `line`. Returns false if there is none.
  bool take_line(std::string& line);
  /// Waits for the next line. Returns false if it does not arrive in time, or is longer than any line of the
  /// protocol.
  bool read_line(std::string& line, int milliseconds);

 private:
  Socket socket_;
  std::string pending_;  // received bytes that are not yet taken as lines
};

}  // namespace widehash::detail
