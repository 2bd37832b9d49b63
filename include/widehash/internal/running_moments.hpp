#pragma once

/// \file
/// Mean and squared deviations of a stream of numbers, computed in a numerically stable way, which a sum of
/// squares is not.

#include <cmath>
#include <cstdint>

namespace widehash {

struct RunningMoments {
  std::uint64_t count = 0;
  double mean = 0;
  double squares = 0;  // sum of (x - mean)^2

  /// Adds a number (Welford 1962); a number that is not finite is ignored.
  void add(double x) noexcept {
    if (!std::isfinite(x)) return;
    ++count;
    const double step = x - mean;
    mean += step / static_cast<double>(count);
    squares += step * (x - mean);
  }

  /// Adds all the numbers of `other` (Chan, Golub and LeVeque 1979). The last bits depend on how the numbers
  /// were grouped and on the order of the groups.
  void add(const RunningMoments& other) noexcept {
    if (other.count == 0) return;
    if (count == 0) {
      *this = other;
      return;
    }
    const double step = other.mean - mean;
    const auto mine = static_cast<double>(count);
    const auto others = static_cast<double>(other.count);
    count += other.count;
    mean += step * (others / (mine + others));
    squares += other.squares + step * step * (mine * (others / (mine + others)));
  }
};

}  // namespace widehash
