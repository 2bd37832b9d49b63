#pragma once

/// \file
/// Deltas and their sums as 64-bit integers. A column's gradient is the sum of dZ[row] over many rows, in the
/// order in which blocks happen to run; integers add up to the same sum in any order. A delta becomes delta *
/// 2^e, with the largest e at which no sum can overflow:
///
///     |sum| <= terms * max|dZ| < 2^t * 2^m,   e = min(62 - t, 51) - m
///
/// where terms, the most deltas that one column can get, is max(rows, ragged entries). A delta is then
/// rounded to 2^-(62 - t) of the largest, 2^-45 for a batch of 65,536 rows: finer than float. Below 2^51, a
/// delta becomes an integer by an addition of doubles, to 1.5 * 2^52, whose last bit is worth 1. Conversions
/// to integers run at a quarter of that rate.

#include "step_status.hpp"

#include <cstdint>

#include <cuda_runtime.h>

namespace widehash::cuda {

inline constexpr std::uint32_t infinity_bits = 0x7F800000u;

class FixedPoint {
 public:
  /// For a step whose largest delta is known; `term_bits` is t.
  __device__ FixedPoint(const StepStatus& status, int term_bits)
      : largest_(status.largest_delta),
        size_bits_(static_cast<int>(largest_ >> 23) - 126),
        exponent_((term_bits < 11 ? 51 : 62 - term_bits) - size_bits_),
        sums_fit_(size_bits_ + term_bits <= 127) {}

  /// Whether all deltas are finite. If not, there are no integers.
  __device__ bool are_deltas_finite() const { return largest_ < infinity_bits; }
  /// Whether every sum is a finite float. False for deltas of about 2^127 / terms and above, whatever they
  /// add up to.
  __device__ bool are_sums_finite() const { return are_deltas_finite() && sums_fit_; }

  /// The factor that a delta is multiplied by.
  __device__ double scale() const { return ldexp(1.0, exponent_); }
  __device__ double inverse_scale() const { return ldexp(1.0, -exponent_); }

  __device__ static long long from_float(float delta, double scale) {
    constexpr double one_and_a_half = 6755399441055744.0;  // * 2^52
    return __double_as_longlong(static_cast<double>(delta) * scale + one_and_a_half) -
           __double_as_longlong(one_and_a_half);
  }
  __device__ static float to_float(unsigned long long sum, double inverse_scale) {
    return static_cast<float>(static_cast<double>(static_cast<long long>(sum)) * inverse_scale);
  }
  /// The value to use in place of a sum if deltas are not finite.
  __device__ float not_finite() const { return __uint_as_float(largest_); }

 private:
  std::uint32_t largest_;
  int size_bits_;  // m
  int exponent_;   // e
  bool sums_fit_;
};

}  // namespace widehash::cuda
