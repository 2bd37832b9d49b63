#pragma once

/// \file
/// How much processor time a container grants its processes. The system shows all processors whatever the
/// quota, and threads beyond the quota only wait for each other.

#include "control_groups.hpp"

#include <cstddef>
#include <optional>

namespace widehash::detail {

/// Returns the processor time that the control groups of this process grant it, in processors: 2.5 for five
/// halves. Returns nothing if they set no limit or cannot be read.
std::optional<double> cpu_quota(const ControlGroups& groups = {});

/// Returns `threads`, or the number of threads that the quota keeps busy if that is less; at least 1.
std::size_t within_quota(std::size_t threads) noexcept;

}  // namespace widehash::detail
