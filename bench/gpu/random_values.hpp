#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace widehash::bench {

inline std::vector<std::uint32_t> random_numbers(std::size_t count) {
  std::mt19937 random(1);
  std::vector<std::uint32_t> numbers(count);
  for (std::uint32_t& number : numbers) number = static_cast<std::uint32_t>(random());
  return numbers;
}

/// Small values of both signs.
inline std::vector<float> random_floats(std::size_t count) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> uniform(-1e-3f, 1e-3f);
  std::vector<float> values(count);
  for (float& value : values) value = uniform(random);
  return values;
}

}  // namespace widehash::bench
