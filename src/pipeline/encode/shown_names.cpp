#include "shown_names.hpp"

#include "target_parser.hpp"

#include <fmt/format.h>

namespace widehash {

std::string shown_names(std::span<const std::string> names) {
  constexpr std::size_t most_bytes = 1000;
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (text.size() > most_bytes) return text + fmt::format(", ... ({} in all)", names.size());
    text += (i == 0 ? "" : ", ") + shown_value(names[i]);
  }
  return text;
}

}  // namespace widehash
