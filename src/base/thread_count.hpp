#pragma once

/// \file
/// How many threads may be requested.

#include <widehash/error.hpp>
#include <widehash/threads.hpp>

#include <cstddef>

#include <fmt/format.h>

namespace widehash {

/// Throws ConfigError if `count` is more than max_threads.
inline void require_thread_count(std::size_t count) {
  if (count <= max_threads) return;
  throw ConfigError(
      fmt::format("{} threads are too many; use at most {}, or 0 for one per processor", count, max_threads));
}

}  // namespace widehash
