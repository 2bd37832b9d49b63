#pragma once

/// \file
/// The instruction set that vector kernels run on, chosen by a byte of the input.

#include <cstdint>

#include <hwy/targets.h>

namespace widehash::fuzz {

inline void choose_vector_target(std::uint8_t choice) {
  static const auto targets = hwy::SupportedAndGeneratedTargets();
  hwy::SetSupportedTargetsForTest(targets[choice % targets.size()]);
}

}  // namespace widehash::fuzz
