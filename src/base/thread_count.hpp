#pragma once

/// \file
/// How many threads may be requested.

#include <widehash/error.hpp>

#include <cstddef>

#include <fmt/format.h>

namespace widehash {

/// More than any machine has processors. The limit keeps a mistyped number from taking all threads of the
/// system before it is reported.
inline constexpr std::size_t most_threads = 8192;

/// Throws ConfigError if `count` is more than most_threads.
inline void require_thread_count(std::size_t count) {
  if (count <= most_threads) return;
  throw ConfigError(fmt::format("{} threads are too many; use at most {}, or 0 for one per processor", count,
                                most_threads));
}

}  // namespace widehash
