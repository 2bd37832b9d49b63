#pragma once

/// \file
/// Keeps the most extreme effects of a feature's values while all values stream past.

#include <widehash/explain.hpp>
#include <widehash/internal/largest_of.hpp>

#include <cstddef>

namespace widehash {

/// The highest and the lowest effects; among equal ones, the first that were offered.
class ExtremeEffects {
 public:
  explicit ExtremeEffects(std::size_t top) : highest_(top), lowest_(top) {}

  /// make() returns the ValueEffect and is called only if `effect` is among the extremes so far.
  template <class Make>
  void offer(double effect, const Make& make) {
    highest_.offer(effect, make);
    lowest_.offer(-effect, make);
  }
  void give(FeatureEffects& result) {
    result.highest = highest_.take();
    result.lowest = lowest_.take();
  }

 private:
  detail::LargestOf<ValueEffect> highest_;
  detail::LargestOf<ValueEffect> lowest_;
};

}  // namespace widehash
