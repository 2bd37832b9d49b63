#pragma once

/// \file
/// The other end of a connection on which lines go to and fro.

#include "socket.hpp"

#include <string>
#include <utility>

namespace widehash::detail {

class LinePeer {
 public:
  LinePeer() = default;
  explicit LinePeer(Socket socket) noexcept : socket_(std::move(socket)) {}

  bool is_open() const noexcept { return static_cast<bool>(socket_); }
  /// For poll(), which passes over the -1 of a closed one.
  int descriptor() const noexcept { return socket_.descriptor(); }
  const Socket& socket() const noexcept { return socket_; }
  void close() noexcept { socket_.close(); }

  /// False when the connection is over. `line` has no line end.
  bool send(std::string line) const;
  /// Reads what has come, which may be a piece of a line. False when the connection is over.
  bool receive();
  /// The first line that has come whole, which is then gone; false where there is none.
  bool take_line(std::string& line);
  /// The next line; false where it does not come in this time, or is longer than any of ours.
  bool read_line(std::string& line, int milliseconds);

 private:
  Socket socket_;
  std::string pending_;  // received, without its line end yet
};

}  // namespace widehash::detail
