#pragma once

#include <cstddef>

namespace widehash::detail {

inline constexpr std::size_t cache_line_bytes = 64;

/// Prefetches the cache lines of `bytes` bytes, at least one, for reading, or for writing if `for_writing`.
/// Forced inline: a call from code compiled for another instruction set saves every vector register, which
/// made a gather take 1.4 times as long.
template <bool for_writing = false>
[[gnu::always_inline]] inline void fetch_lines(const void* begin, std::size_t bytes) noexcept {
  const auto* const first = static_cast<const std::byte*>(begin);
  for (std::size_t at = 0; at < bytes; at += cache_line_bytes) __builtin_prefetch(first + at, for_writing);
  __builtin_prefetch(first + bytes - 1, for_writing);
}

}  // namespace widehash::detail
