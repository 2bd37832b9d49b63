#include "memory_limit.hpp"

#include <widehash/internal/usable_memory.hpp>

#include <unistd.h>

namespace widehash {

std::uint64_t usable_memory_bytes() noexcept {
  const auto bytes = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                     static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  try {
    const std::optional<double> limit = detail::memory_limit();
    if (limit && *limit < static_cast<double>(bytes)) return static_cast<std::uint64_t>(*limit);
  } catch (...) {
    // Groups that cannot be read set no limit.
  }
  return bytes;
}

}  // namespace widehash
