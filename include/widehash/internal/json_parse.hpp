#pragma once

/// \file
/// Parses JSON from files that anybody may have written. The JSON library copies, writes and destroys nested
/// values recursively, so a few thousand brackets would crash the program.

#include <cstddef>
#include <stdexcept>
#include <string_view>

namespace widehash::detail {

/// Depth of nested lists and objects; the library's own files come nowhere near it.
inline constexpr std::size_t max_json_depth = 32;

/// Whether `text` is nested no deeper than that. In text that is not JSON it looks at no less than a parser
/// would read.
constexpr bool is_shallow_json(std::string_view text) noexcept {
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      in_string = c != '"';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (++depth > max_json_depth) return false;
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return true;
}

/// Throws what the JSON library throws for text that is not JSON, and std::invalid_argument for deeper
/// nesting. `Json` is nlohmann::json or nlohmann::ordered_json; its parser calls `keep` for each value.
template <class Json>
Json parse_json(std::string_view text, const typename Json::parser_callback_t& keep = nullptr) {
  if (!is_shallow_json(text)) throw std::invalid_argument("its JSON is nested too deep");
  return Json::parse(text, keep);
}

}  // namespace widehash::detail
