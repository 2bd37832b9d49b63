#include <widehash/internal/quoted_text.hpp>

#include <fmt/format.h>

namespace widehash::detail {

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (byte < 0x20 || byte == 0x7F) {
      result += fmt::format("\\u{:04X}", byte);
    } else {
      result += c;
    }
  }
  result += '"';
  return result;
}

std::string quoted_byte(char byte, bool zero_is_none) {
  return zero_is_none && byte == '\0' ? "\"\"" : quoted(std::string_view(&byte, 1));
}

std::string quoted_start(std::string_view text) {
  constexpr std::size_t most_bytes = 100;
  if (text.size() <= most_bytes) return quoted(text);
  std::size_t end = most_bytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;  // no character is cut
  return quoted(text.substr(0, end)) + "...";
}

}  // namespace widehash::detail
