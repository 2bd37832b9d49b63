#pragma once

/// \file
/// A sign of life from long loops over values: whoever is called may show how far they are, or throw to stop
/// them.

#include <cstdint>
#include <functional>

namespace widehash::detail {

using Pulse = std::function<void()>;

/// Calls `pulse`, where there is one, before every 65,536th value: some milliseconds of work.
inline void pulse_at(std::uint64_t value, const Pulse& pulse) {
  constexpr std::uint64_t values_a_pulse = std::uint64_t{1} << 16;
  if (value % values_a_pulse == 0 && pulse) pulse();
}

}  // namespace widehash::detail
