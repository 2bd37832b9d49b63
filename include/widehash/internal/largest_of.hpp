#pragma once

/// \file
/// Keeps the items with the largest measures out of a stream.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace widehash::detail {

/// The items with the largest measures; the first ones among equals. Cost: O(log most) per item that is kept.
template <class Item>
class LargestOf {
 public:
  explicit LargestOf(std::size_t most) : most_(most) {}

  /// make() returns the item and is called only if the measure is among the largest so far. NaN is no measure.
  template <class Make>
  void offer(double measure, const Make& make) {
    const std::uint64_t number = offered_++;
    if (std::isnan(measure)) return;
    if (kept_.size() == most_) {
      if (most_ == 0 || !(measure > kept_.front().measure)) return;
      std::pop_heap(kept_.begin(), kept_.end(), is_before);
      kept_.pop_back();
    }
    kept_.push_back({measure, number, make()});
    std::push_heap(kept_.begin(), kept_.end(), is_before);
  }

  /// Returns the items, the largest first.
  std::vector<Item> take() {
    std::sort(kept_.begin(), kept_.end(), is_before);
    std::vector<Item> items;
    items.reserve(kept_.size());
    for (Kept& kept : kept_) items.push_back(std::move(kept.item));
    kept_.clear();
    return items;
  }

 private:
  struct Kept {
    double measure;
    std::uint64_t number;  // position of the offer
    Item item;
  };

  static bool is_before(const Kept& a, const Kept& b) noexcept {
    return a.measure != b.measure ? a.measure > b.measure : a.number < b.number;
  }

  std::size_t most_;
  std::uint64_t offered_ = 0;
  std::vector<Kept> kept_;  // a heap with the smallest at the front
};

}  // namespace widehash::detail
