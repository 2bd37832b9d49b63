#pragma once

/// \file
/// JSON documents with a checksum of themselves: the key "checksum" at their end holds the checksum of the
/// text without that key. Every byte of the text as written counts, including spaces. `Json` is
/// nlohmann::ordered_json.

#include <widehash/checksum.hpp>

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace widehash::detail {

/// Returns the text of a document, with a line end. JSON is UTF-8, and a path need not be: bytes that are not
/// UTF-8 are shown as U+FFFD.
template <class Json>
std::string json_text(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace) + "\n";
}

/// Returns the text of `body`, which has no checksum yet, with a checksum.
template <class Json>
std::string sealed_text(Json body, int indent) {
  const std::string text = json_text(body, indent);
  body["checksum"] = to_hex(checksum(std::as_bytes(std::span(text))));
  return json_text(body, indent);
}

/// Throws std::invalid_argument if `text`, which `json` was read from, is not what sealed_text() wrote.
template <class Json>
void require_sealed(Json json, std::string_view text, int indent) {
  json.erase("checksum");
  if (sealed_text(std::move(json), indent) != text) throw std::invalid_argument("checksum differs");
}

}  // namespace widehash::detail
