#pragma once

/// \file
/// A callback from long loops over values. It may report progress, or throw to stop the loop.

#include <cstdint>
#include <functional>

namespace widehash::detail {

using Pulse = std::function<void()>;

/// Calls `pulse`, unless it is empty, before every 65,536th value: once every few milliseconds.
inline void pulse_at(std::uint64_t value, const Pulse& pulse) {
  constexpr std::uint64_t values_a_pulse = std::uint64_t{1} << 16;
  if (value % values_a_pulse == 0 && pulse) pulse();
}

}  // namespace widehash::detail
