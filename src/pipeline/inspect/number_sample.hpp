#pragma once

/// \file
/// A sample of the numbers of a column, in bounded memory, which shows their distribution and where to cut
/// them.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace widehash {

/// A sample of a sequence of numbers that depends only on their positions: the same numbers in the same order
/// always give the same sample, however they were divided between calls.
class NumberSample {
 public:
  /// The maximum number of numbers kept; of a longer sequence at least half as many are kept.
  static constexpr std::size_t capacity = 4096;

  void add(double number) {
    // Multiples of the golden ratio, as 64-bit fractions. They are evenly spread over every part of the
    // sequence and over every period in it, whereas every k-th number would always meet the same phase of
    // what repeats every k rows.
    const std::uint64_t place = ++count_ * golden_ratio;
    if (place <= last_place_) keep(place, number);
  }

  /// Ascending numbers of the sample at which at most `intervals` intervals with about equally many rows
  /// begin. The first interval lies below the first number, and the last begins at the last number. A number
  /// so frequent that it fills an interval leaves the other intervals to the rest. Empty where the sample has
  /// only one distinct number. Cost: a sort of the sample.
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
