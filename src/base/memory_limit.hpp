#pragma once

/// \file
/// How much memory a container grants its processes. The system kills a process that takes more.

#include "control_groups.hpp"

#include <optional>

namespace widehash::detail {

/// Returns the memory limit of the control groups of this process, in bytes. Returns nothing if they set no limit or
/// cannot be read. A version 1 group without a limit says a number beyond all memory.
std::optional<double> memory_limit(const ControlGroups& groups = {});

}  // namespace widehash::detail
