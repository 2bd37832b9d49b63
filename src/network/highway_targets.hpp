#pragma once

/// \file
/// The instruction sets that the kernels are compiled for. Left out are those between the baseline and AVX2,
/// which hardly any machine has as its best, and those whose vectors have no fixed size, since accumulators
/// are kept in arrays.

#define HWY_DISABLED_TARGETS \
  (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
