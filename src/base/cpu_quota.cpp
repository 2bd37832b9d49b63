#include "cpu_quota.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string_view>

namespace widehash::detail {
namespace {

using Quota = std::optional<double>;

Quota least(Quota a, Quota b) { return a && b ? std::min(*a, *b) : a ? a : b; }

/// Quota of a version 2 group. Its file holds "400000 100000", the time granted and the period, both in
/// microseconds, or "max 100000".
Quota quota_of(const std::string& folder) {
  std::ifstream file(folder + "/cpu.max");
  double granted = 0;
  double period = 0;
  return file >> granted >> period && granted > 0 && period > 0 ? Quota(granted / period) : std::nullopt;
}

/// Quota of a version 1 group, where -1 means no limit.
Quota old_quota_of(const std::string& folder) {
  std::ifstream quota(folder + "/cpu.cfs_quota_us");
  std::ifstream length(folder + "/cpu.cfs_period_us");
  double granted = 0;
  double period = 0;
  return quota >> granted && length >> period && granted > 0 && period > 0 ? Quota(granted / period)
                                                                           : std::nullopt;
}

/// Returns the least quota of a group and of all groups above it, up to the mount point. A container sees its
/// own group at the mount point, whatever the path says.
template <class Read>
Quota least_up_from(const std::string& root, std::string path, const Read& read) {
  Quota found;
  while (!path.empty() && path != "/") {
    found = least(found, read(root + path));
    path.erase(path.rfind('/') == std::string::npos ? 0 : path.rfind('/'));
  }
  return least(found, read(root));
}

/// Whether a list of controllers, such as "cpu,cpuacct", contains the processor controller "cpu".
bool has_cpu(std::string_view controllers) {
  while (!controllers.empty()) {
    const std::size_t end = std::min(controllers.find(','), controllers.size());
    if (controllers.substr(0, end) == "cpu") return true;
    controllers.remove_prefix(std::min(end + 1, controllers.size()));
  }
  return false;
}

}  // namespace

std::optional<double> cpu_quota(const std::string& root, const std::string& membership) {
  Quota found;
  std::ifstream lines(membership);
  for (std::string line; std::getline(lines, line);) {  // "0::/a/b", "4:cpu,cpuacct:/a/b"
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string path = line.substr(second + 1);
    if (controllers.empty()) {
      found = least(found, least_up_from(root, path, quota_of));
    } else if (has_cpu(controllers)) {
      found = least(found, least_up_from(root + "/cpu", path, old_quota_of));
    }
  }
  return found;
}

std::size_t within_quota(std::size_t threads) noexcept {
  try {
    const Quota quota = cpu_quota();
    if (quota && *quota < static_cast<double>(threads)) threads = static_cast<std::size_t>(std::ceil(*quota));
  } catch (...) {
    // Groups that cannot be read set no quota.
  }
  return std::max<std::size_t>(threads, 1);
}

}  // namespace widehash::detail
