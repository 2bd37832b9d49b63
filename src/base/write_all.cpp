#include <widehash/internal/write_all.hpp>

#include <algorithm>
#include <cerrno>

#include <poll.h>
#include <unistd.h>

namespace widehash {
namespace {

// One write call moves at most about 2 GiB on Linux; smaller writes keep the wait for a signal short.
constexpr std::size_t max_write_bytes = std::size_t{64} << 20;

}  // namespace

int write_all(int descriptor, std::span<const std::byte> bytes) noexcept {
  while (!bytes.empty()) {
    const auto written = ::write(descriptor, bytes.data(), std::min(bytes.size(), max_write_bytes));
    if (written < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      // Another process that shares standard output may have made it non-blocking.
      pollfd waiting{.fd = descriptor, .events = POLLOUT, .revents = 0};
      ::poll(&waiting, 1, -1);
      continue;
    }
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return 0;
}

}  // namespace widehash
