#pragma once

#include <cuda_runtime.h>

namespace widehash::cuda {

__device__ inline bool is_finite(float value) {
  return (__float_as_uint(value) & 0x7F800000u) != 0x7F800000u;
}
__device__ inline bool is_finite(double value) {
  constexpr long long exponent = 0x7FF0000000000000;
  return (__double_as_longlong(value) & exponent) != exponent;
}

}  // namespace widehash::cuda
