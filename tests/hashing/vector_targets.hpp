#pragma once

#include <gtest/gtest.h>
#include <hwy/targets.h>

namespace widehash {

/// Runs `check` once for each instruction set that the kernels were compiled for and this machine has.
template <class Check>
void for_each_vector_target(Check&& check) {
  for (const auto target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    check();
  }
  hwy::SetSupportedTargetsForTest(0);
}

}  // namespace widehash
