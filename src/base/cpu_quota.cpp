#include "cpu_quota.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>

namespace widehash::detail {
namespace {

using Quota = std::optional<double>;

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

}  // namespace

std::optional<double> cpu_quota(const ControlGroups& groups) {
  return least_limit(groups, "cpu", quota_of, old_quota_of);
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
