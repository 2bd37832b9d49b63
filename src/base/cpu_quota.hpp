#pragma once

/// \file
/// How much processor time a container grants its processes. The system shows all processors whatever the
/// quota, and threads beyond the quota only wait for each other.

#include <cstddef>
#include <optional>
#include <string>

namespace widehash::detail {

/// Returns the processor time that the control groups of this process grant it, in processors: 2.5 for five
/// halves. Returns nothing if they set no limit or cannot be read. Reads groups of versions 1 and 2.
/// `root` is where the groups are mounted; `membership` lists the groups that the process is in.
std::optional<double> cpu_quota(const std::string& root = "/sys/fs/cgroup",
                                const std::string& membership = "/proc/self/cgroup");

/// Returns `threads`, or the number of threads that the quota keeps busy if that is less; at least 1.
std::size_t within_quota(std::size_t threads) noexcept;

}  // namespace widehash::detail
