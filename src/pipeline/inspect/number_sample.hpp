#pragma once

/// \file
/// Numbers of a column kept to tell how they are spread, in bounded memory, and where to cut them.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace widehash {

/// A sample of a sequence of numbers that depends on their places alone: the same numbers in the same order are
/// always the same sample, however they came in parts.
class NumberSample {
 public:
  /// No more are kept than this; of a longer sequence half as many at least.
  static constexpr std::size_t capacity = 4096;

  void add(double number) {
    // Multiples of the golden ratio, as 64 bits of fraction: they spread evenly over every part of the sequence
    // and along every period of it, where every k-th number would follow what repeats every k rows.
    const std::uint64_t place = ++count_ * golden_ratio;
    if (place <= last_place_) keep(place, number);
  }

  /// Ascending numbers of the sample where at most `intervals` begin that have about as many rows each; a number
  /// below the first, and from the last on, is in an interval as well. One that is so frequent that it has an
  /// interval of its own leaves the others for the rest. Empty where the sample holds a single number. Cost: a
  /// sort of the sample.
  std::vector<double> boundaries(std::size_t intervals) const;

 private:
  static constexpr std::uint64_t golden_ratio = 0x9E3779B97F4A7C15;

  struct Kept {
    std::uint64_t place;
    double number;
  };

  void keep(std::uint64_t place, double number);

  std::uint64_t count_ = 0;
  std::uint64_t last_place_ = ~std::uint64_t{0};
  std::vector<Kept> kept_;
};

}  // namespace widehash
