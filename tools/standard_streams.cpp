#include "standard_streams.hpp"

#include <fcntl.h>
#include <unistd.h>

namespace widehash::tools {

void keep_standard_descriptors() noexcept {
  // In ascending order, because open() returns the lowest free descriptor.
  constexpr int modes[] = {O_WRONLY, O_RDONLY,
                           O_WRONLY};  // the first two the wrong way round, so that any use of them fails
  for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; ++descriptor) {
    if (::fcntl(descriptor, F_GETFD) < 0)
      ::open("/dev/null", modes[descriptor]);  // NOLINT: stays open on purpose
  }
}

}  // namespace widehash::tools
