#pragma once

/// \file
/// How much of the processors a container leaves to its processes. The system shows all of them whatever the
/// quota, and threads beyond it only wait for each other.

#include <cstddef>
#include <optional>
#include <string>

namespace widehash::detail {

/// Processors' worth of time that the control groups of this process grant it: 2.5 where they grant five halves;
/// nothing where they set no limit, or are not to be read. Groups of both versions. `root` is where they are
/// mounted, `membership` the list of those that the process is in.
std::optional<double> cpu_quota(const std::string& root = "/sys/fs/cgroup",
                                const std::string& membership = "/proc/self/cgroup");

/// `threads`, or as many as the quota keeps busy where that is less; 1 at least.
std::size_t within_quota(std::size_t threads) noexcept;

}  // namespace widehash::detail
