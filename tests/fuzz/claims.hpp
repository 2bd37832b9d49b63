#pragma once

/// \file
/// What a target requires of the library. A claim that does not hold ends the process, which a fuzzer notices.

#include <cstdio>
#include <cstdlib>

namespace widehash::fuzz {

/// Builtins that g++ and clang share give the place: clang 14 cannot use std::source_location of libstdc++ 12.
inline void require(bool holds, const char* claim, const char* file = __builtin_FILE(),
                    int line = __builtin_LINE()) {
  if (holds) return;
  std::fprintf(stderr, "%s:%d: it does not hold that %s\n", file, line, claim);
  std::abort();
}

}  // namespace widehash::fuzz
