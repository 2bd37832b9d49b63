#include "shown_names.hpp"

#include "target_parser.hpp"

#include <fmt/format.h>

namespace widehash {

std::string shown_names(std::span<const std::string> names) {
  constexpr std::size_t most_bytes = 1000;
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (text.size() > most_bytes) return text + fmt::format(", ... ({} in all)", names.size());
    // A name with a comma is quoted, because it would look like two names.
    const bool has_comma = names[i].find(',') != std::string::npos;
    text += (i == 0 ? "" : ", ") +
            (has_comma ? fmt::format("\"{}\"", shown_value(names[i])) : shown_value(names[i]));
  }
  return text;
}

}  // namespace widehash
