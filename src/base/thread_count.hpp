#pragma once

/// \file
/// How many threads may be asked for.

#include <widehash/error.hpp>

#include <cstddef>

#include <fmt/format.h>

namespace widehash {

/// More than any machine has processors. A slip of the hand is not to take all threads that the system has before it
/// is told.
inline constexpr std::size_t most_threads = 8192;

/// Throws ConfigError for more.
inline void require_thread_count(std::size_t count) {
  if (count <= most_threads) return;
  throw ConfigError(fmt::format("{} threads: at most {} are taken; 0 is as many as there are processors",
                                count, most_threads));
}

}  // namespace widehash
