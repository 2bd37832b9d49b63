#include "line_peer.hpp"

#include <array>
#include <cerrno>
#include <chrono>

#include <poll.h>
#include <sys/socket.h>

namespace widehash::detail {

bool LinePeer::send(std::string line) const {
  line += '\n';
  for (std::size_t sent = 0; sent < line.size();) {
    const ssize_t count = ::send(socket_.descriptor(), line.data() + sent, line.size() - sent, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    sent += static_cast<std::size_t>(count);
  }
  return true;
}

bool LinePeer::receive() {
  std::array<char, 4096> buffer{};
  const ssize_t count = ::recv(socket_.descriptor(), buffer.data(), buffer.size(), 0);
  if (count < 0 && (errno == EINTR || errno == EAGAIN)) return true;
  if (count <= 0) return false;
  pending_.append(buffer.data(), static_cast<std::size_t>(count));
  return true;
}

bool LinePeer::take_line(std::string& line) {
  const std::size_t end = pending_.find('\n');
  if (end == std::string::npos) return false;
  line = pending_.substr(0, end);
  pending_.erase(0, end + 1);
  return true;
}

bool LinePeer::read_line(std::string& line, int milliseconds) {
  constexpr std::size_t longest = std::size_t{1} << 20;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
  while (!take_line(line)) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0 || pending_.size() > longest) return false;
    if (!wait_for(socket_, POLLIN, static_cast<int>(left.count())) || !receive()) return false;
  }
  return true;
}

}  // namespace widehash::detail
