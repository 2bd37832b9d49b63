#pragma once

/// \file
/// How much is tried: everything where WIDEHASH_FAULT_FULL is set, otherwise a sample that every change can
/// afford.

#include <cstddef>
#include <cstdlib>

namespace widehash::test {

inline bool tries_everything() { return std::getenv("WIDEHASH_FAULT_FULL") != nullptr; }

/// Every how-many-th of `count` possible harms to try, so that about `affordable` remain.
inline std::size_t step_for(std::size_t count, std::size_t affordable) {
  return tries_everything() || count <= affordable ? 1 : count / affordable + 1;
}

}  // namespace widehash::test
