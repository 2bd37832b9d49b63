#pragma once

/// \file
/// What a target asks of the library: a claim that does not hold ends the process, which is what a fuzzer
/// notices.

#include <cstdio>
#include <cstdlib>

namespace widehash::fuzz {

/// The place is told by builtins that g++ and clang share: std::source_location of libstdc++ 12 is closed to
/// clang 14.
inline void require(bool holds, const char* claim, const char* file = __builtin_FILE(),
                    int line = __builtin_LINE()) {
  if (holds) return;
  std::fprintf(stderr, "%s:%d: it does not hold that %s\n", file, line, claim);
  std::abort();
}

}  // namespace widehash::fuzz
