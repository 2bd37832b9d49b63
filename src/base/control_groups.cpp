#include "control_groups.hpp"

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <utility>

namespace widehash::detail {
namespace {

using Limit = std::optional<double>;

Limit least(Limit a, Limit b) { return a && b ? std::min(*a, *b) : a ? a : b; }

/// Returns the least limit of a group and of all groups above it, up to the mount point. A container sees its own group
/// at the mount point, whatever the path says.
Limit least_up_from(const std::string& mount, std::string path, const GroupLimit& read) {
  Limit found;
  while (!path.empty() && path != "/") {
    found = least(found, read(mount + path));
    path.erase(path.rfind('/') == std::string::npos ? 0 : path.rfind('/'));
  }
  return least(found, read(mount));
}

/// Whether a list of controllers, such as "cpu,cpuacct", contains this one.
bool contains(std::string_view controllers, std::string_view controller) {
  while (!controllers.empty()) {
    const std::size_t end = std::min(controllers.find(','), controllers.size());
    if (controllers.substr(0, end) == controller) return true;
    controllers.remove_prefix(std::min(end + 1, controllers.size()));
  }
  return false;
}

}  // namespace

std::optional<double> least_limit(const ControlGroups& groups, std::string_view controller,
                                  const GroupLimit& read, const GroupLimit& read_version_1) {
  Limit found;
  std::ifstream lines(groups.membership);
  for (std::string line; std::getline(lines, line);) {  // "0::/a/b", "4:cpu,cpuacct:/a/b"
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    std::string path = line.substr(second + 1);
    if (controllers.empty()) {
      found = least(found, least_up_from(groups.root, std::move(path), read));
    } else if (contains(controllers, controller)) {
      const std::string mount = groups.root + "/" + std::string(controller);
      found = least(found, least_up_from(mount, std::move(path), read_version_1));
    }
  }
  return found;
}

}  // namespace widehash::detail
