#pragma once

/// \file
/// Predictions such as those of a binary model, with the targets and weights of their rows.

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

namespace widehash {

struct ScoredRows {
  std::vector<float> predictions;
  std::vector<float> targets;
  std::vector<float> weights;
};

/// Probabilities (some of them tied), labels drawn from them, and weights.
inline ScoredRows random_rows(std::size_t count, std::uint64_t seed, int levels) {
  std::mt19937_64 random(seed);
  const auto fraction = [&] { return static_cast<float>(random() >> 40) * 0x1p-24f; };
  ScoredRows rows;
  for (std::size_t i = 0; i < count; ++i) {
    const float p = std::floor(fraction() * static_cast<float>(levels)) / static_cast<float>(levels);
    rows.predictions.push_back(p);
    rows.targets.push_back(fraction() < p ? 1.0f : 0.0f);
    rows.weights.push_back(0.5f + fraction());
  }
  return rows;
}

}  // namespace widehash
