#pragma once

/// \file
/// The values of a feature that matter most, kept while all of them go by.

#include <widehash/explain.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace widehash {

/// The best of what is offered, of equal ones the first. Cost: O(log top) for each that is kept.
class BestEffects {
 public:
  /// `sign`: 1 for the highest effects, -1 for the lowest.
  BestEffects(double sign, std::size_t top) : sign_(sign), top_(top) {}

  void offer(const ValueEffect& effect) {
    const Kept offered{sign_ * effect.effect, offered_++, {}};
    if (kept_.size() == top_) {
      if (top_ == 0 || !is_better(offered, kept_.front())) return;
      std::pop_heap(kept_.begin(), kept_.end(), is_better);
      kept_.pop_back();
    }
    kept_.push_back(offered);
    kept_.back().effect = effect;
    std::push_heap(kept_.begin(), kept_.end(), is_better);
  }

  /// Best first.
  std::vector<ValueEffect> take() {
    std::sort(kept_.begin(), kept_.end(), is_better);
    std::vector<ValueEffect> effects;
    effects.reserve(kept_.size());
    for (Kept& kept : kept_) effects.push_back(std::move(kept.effect));
    return effects;
  }

 private:
  struct Kept {
    double goodness;
    std::uint64_t number;  // of the offer
    ValueEffect effect;
  };

  static bool is_better(const Kept& a, const Kept& b) noexcept {
    return a.goodness != b.goodness ? a.goodness > b.goodness : a.number < b.number;
  }

  double sign_;
  std::size_t top_;
  std::uint64_t offered_ = 0;
  std::vector<Kept> kept_;  // a heap, the worst first
};

/// The highest and the lowest of them.
class ExtremeEffects {
 public:
  explicit ExtremeEffects(std::size_t top) : highest_(1, top), lowest_(-1, top) {}

  void offer(const ValueEffect& effect) {
    highest_.offer(effect);
    lowest_.offer(effect);
  }
  void give(FeatureEffects& result) {
    result.highest = highest_.take();
    result.lowest = lowest_.take();
  }

 private:
  BestEffects highest_;
  BestEffects lowest_;
};

}  // namespace widehash
