#pragma once

/// \file
/// Estimates the number of distinct values in a stream in fixed memory, with HyperLogLog (Flajolet et al.
/// 2007) over 64-bit hashes. The estimator is the improved raw estimator of Ertl 2017 (arXiv 1702.01284,
/// algorithm 6), which is unbiased from 0 to 2^60 values without thresholds or correction tables.
///
/// Standard error: 1.04 / sqrt(2^precision). The default precision of 14 takes 16 KiB and has an error of
/// 0.81 %.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace widehash {

class HyperLogLog {
 public:
  /// Uses 2^precision one-byte registers. Throws ConfigError unless `precision` is in 4..18.
  explicit HyperLogLog(int precision = 14);

  /// `hash` must be well mixed, for example XXH64 of the value.
  void add(std::uint64_t hash) noexcept;
  /// Merges `other` into this one, which then estimates the union. Throws ShapeError if the precisions
  /// differ.
  void merge(const HyperLogLog& other);
  double estimate() const noexcept;
  /// Relative standard error of estimate().
  double standard_error() const noexcept;

 private:
  int precision_;
  std::vector<std::uint8_t> registers_;
};

}  // namespace widehash
