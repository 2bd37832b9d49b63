#pragma once

#include <cstdint>
#include <fstream>

#include <sys/resource.h>

namespace widehash::test {

/// Limits this process to `more_bytes` of address space beyond what it already uses. For death tests; not for
/// builds with sanitizers, which need the whole address space.
inline void limit_addresses(std::uint64_t more_bytes) {
  std::uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  rlimit room{};
  room.rlim_cur = pages * 4096 + more_bytes;
  room.rlim_max = RLIM_INFINITY;
  ::setrlimit(RLIMIT_AS, &room);
}

}  // namespace widehash::test
