#pragma once

/// \file
/// JSON out of files that anybody may have written. The JSON library copies, writes and takes down what is
/// nested by recursion, and a few thousand brackets would end the program.

#include <cstddef>
#include <stdexcept>
#include <string_view>

namespace widehash::detail {

/// Lists and objects inside one another; no file of ours comes near it.
inline constexpr std::size_t max_json_depth = 32;

/// Whether `text` opens no more than that many inside one another. Of text that is no JSON it looks at no
/// less than a parser would read.
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

/// Throws what the JSON library throws for text that is no JSON, and std::invalid_argument for what is nested
/// deeper. `Json` is nlohmann::json or nlohmann::ordered_json; its parser asks `keep` of each value.
template <class Json>
Json parse_json(std::string_view text, const typename Json::parser_callback_t& keep = nullptr) {
  if (!is_shallow_json(text)) throw std::invalid_argument("its JSON is nested too deep");
  return Json::parse(text, keep);
}

}  // namespace widehash::detail
