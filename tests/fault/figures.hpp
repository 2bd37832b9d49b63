#pragma once

/// \file
/// How much is tried: everything if WIDEHASH_FAULT_FULL is set, otherwise a sample small enough for every change.

#include <cstddef>
#include <cstdlib>

namespace widehash::test {

inline bool tries_everything() { return std::getenv("WIDEHASH_FAULT_FULL") != nullptr; }

/// The step through `count` possible damages with which about `affordable` of them are tried.
inline std::size_t step_for(std::size_t count, std::size_t affordable) {
  return tries_everything() || count <= affordable ? 1 : count / affordable + 1;
}

}  // namespace widehash::test
