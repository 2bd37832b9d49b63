#pragma once

/// \file
/// Random numbers that are the same on every machine, unlike those of the standard library's distributions.

#include <cstdint>

namespace widehash {

/// How far the generator's state moves from one number to the next.
inline constexpr std::uint64_t splitmix64_step = 0x9E3779B97F4A7C15;

/// One round of SplitMix64 (Steele, Lea, Flood 2014): the number that follows state `x`.
constexpr std::uint64_t splitmix64(std::uint64_t x) noexcept {
  x += splitmix64_step;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

}  // namespace widehash
