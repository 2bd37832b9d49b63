#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace widehash {

/// Returns the first classes of a label, as text for a message.
inline std::string shown_classes(const std::vector<std::string>& classes) {
  constexpr std::size_t most = 10;
  std::string shown = fmt::format(
      "{}", fmt::join(classes.begin(),
                      classes.begin() + static_cast<std::ptrdiff_t>(std::min(most, classes.size())), ", "));
  return classes.size() > most ? shown + ", ..." : shown;
}

}  // namespace widehash
