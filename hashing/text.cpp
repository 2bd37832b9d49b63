#include "text.hpp"

#include <cstddef>
#include <cstdint>

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

bool is_utf8(std::string_view text) noexcept {
  std::size_t i = 0;
  while (i < text.size()) {
    const auto lead = static_cast<unsigned char>(text[i++]);
    if (lead < 0x80) continue;
    const int following = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
    if (lead < 0xC2 || lead > 0xF4 || text.size() - i < static_cast<std::size_t>(following)) return false;
    std::uint32_t point = lead & (0x3Fu >> following);
    for (int k = 0; k < following; ++k) {
      const auto next = static_cast<unsigned char>(text[i++]);
      if ((next & 0xC0) != 0x80) return false;
      point = (point << 6) | (next & 0x3Fu);
    }
    const bool overlong = (following == 2 && point < 0x800) || (following == 3 && point < 0x10000);
    if (overlong || point > 0x10FFFF || (point >= 0xD800 && point <= 0xDFFF)) return false;
  }
  return true;
}

}  // namespace widehash::detail
