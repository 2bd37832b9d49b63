#include "memory_limit.hpp"

#include <fstream>
#include <string>

namespace widehash::detail {
namespace {

/// The number in a file, which may hold "max" instead.
std::optional<double> number_in(const std::string& path) {
  std::ifstream file(path);
  double bytes = 0;
  return file >> bytes && bytes > 0 ? std::optional(bytes) : std::nullopt;
}

}  // namespace

std::optional<double> memory_limit(const ControlGroups& groups) {
  return least_limit(
      groups, "memory", [](const std::string& folder) { return number_in(folder + "/memory.max"); },
      [](const std::string& folder) { return number_in(folder + "/memory.limit_in_bytes"); });
}

}  // namespace widehash::detail
