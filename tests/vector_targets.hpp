#pragma once

/// \file
/// Runs tests of vector kernels for one instruction set after another: all that the kernels were compiled for
/// and this machine has. A test of a source that enables more of them (HWY_WANT_AVX3_DL) must do the same
/// before including this header.

#include <cstdint>

#include <gtest/gtest.h>
#include <hwy/targets.h>

namespace widehash {

/// Runs `check` once for each instruction set.
template <class Check>
void for_each_vector_target(Check&& check) {
  for (const auto target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    check();
  }
  hwy::SetSupportedTargetsForTest(0);
}

/// A test for each instruction set: WIDEHASH_FOR_VECTOR_TARGETS(Name)
/// instantiates a suite, TEST_P(Name, ...) defines its tests.
class VectorTargetTest : public testing::TestWithParam<std::int64_t> {
 protected:
  void SetUp() override { hwy::SetSupportedTargetsForTest(GetParam()); }
  void TearDown() override { hwy::SetSupportedTargetsForTest(0); }
};

#define WIDEHASH_FOR_VECTOR_TARGETS(Suite)                                                  \
  class Suite : public VectorTargetTest {};                                                 \
  INSTANTIATE_TEST_SUITE_P(, Suite, testing::ValuesIn(hwy::SupportedAndGeneratedTargets()), \
                           [](const auto& target) { return hwy::TargetName(target.param); })

}  // namespace widehash
