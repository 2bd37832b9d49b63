#pragma once

/// \file
/// The limits that the control groups of a process set, as a container does. Groups of versions 1 and 2.

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace widehash::detail {

/// Where the control groups of this process are described.
struct ControlGroups {
  std::string root = "/sys/fs/cgroup";           // where the groups are mounted
  std::string membership = "/proc/self/cgroup";  // lists the groups that the process is in
};

/// Reads the limit of the group in `folder`; empty if the group sets none.
using GroupLimit = std::function<std::optional<double>(const std::string& folder)>;

/// Returns the least limit among the groups of the process and all groups above them; empty if none sets a limit or
/// nothing can be read. Groups of version 2 are read by `read`, groups of version 1 that have the controller, such as
/// "cpu", by `read_version_1`.
std::optional<double> least_limit(const ControlGroups& groups, std::string_view controller,
                                  const GroupLimit& read, const GroupLimit& read_version_1);

}  // namespace widehash::detail
