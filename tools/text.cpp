#include "text.hpp"

#include <widehash/internal/utf8.hpp>

#include <array>
#include <cmath>

#include <fmt/format.h>

namespace widehash::tools {
namespace {

/// Whether the character is a C0 control, DEL or, in UTF-8, a C1 control.
bool is_control(std::string_view character) {
  const auto lead = static_cast<unsigned char>(character[0]);
  return lead < 0x20 || lead == 0x7F || (lead == 0xC2 && static_cast<unsigned char>(character[1]) < 0xA0);
}

void append_escaped(std::string& text, std::string_view bytes) {
  for (const char byte : bytes) {
    if (byte == '\t') {
      text += "\\t";
    } else if (byte == '\n') {
      text += "\\n";
    } else if (byte == '\r') {
      text += "\\r";
    } else {
      text += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
    }
  }
}

}  // namespace

std::string count_text(std::uint64_t count) {
  std::string digits = std::to_string(count);
  for (std::size_t place = digits.size(); place > 3; place -= 3) digits.insert(place - 3, ",");
  return digits;
}

std::string count_text(std::uint64_t count, std::string_view one) {
  return fmt::format("{} {}{}", count_text(count), one, count == 1 ? "" : "s");
}

std::string estimate_text(double value) {
  if (value >= 1e15 || (value > 0 && value < 0.001)) return fmt::format("{:.2g}", value);
  if (value >= 100) return count_text(static_cast<std::uint64_t>(std::llround(value)));
  return fmt::format("{:.3g}", value);
}

std::string bytes_text(std::uint64_t bytes) {
  constexpr std::array<const char*, 6> units{"bytes", "kB", "MB", "GB", "TB", "PB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 999.5 && unit + 1 < units.size()) {
    value /= 1000;
    ++unit;
  }
  return unit == 0 ? fmt::format("{} bytes", bytes) : fmt::format("{:.3g} {}", value, units[unit]);
}

std::string seconds_text(double seconds) {
  if (seconds < 59.95) return fmt::format("{:.{}f} s", seconds, seconds < 9.995 ? 2 : 1);
  const auto whole = static_cast<std::uint64_t>(std::llround(seconds));
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

std::string rate_text(std::uint64_t rows, double seconds) {
  if (seconds <= 0) return "";
  return estimate_text(static_cast<double>(rows) / seconds) + " rows/s";
}

std::string printable(std::string_view bytes) {
  std::string text;
  while (!bytes.empty()) {
    const std::size_t length = utf8_character_bytes(bytes);
    const std::string_view character = bytes.substr(0, length == 0 ? 1 : length);
    if (length == 0 || is_control(character)) {
      append_escaped(text, character);
    } else {
      text += character;
    }
    bytes.remove_prefix(character.size());
  }
  return text;
}

std::string quoted_value(std::string_view bytes, std::size_t max_width) {
  std::string text = printable(bytes);
  if (display_width(text) > max_width) {
    std::size_t end = 0;
    for (std::size_t width = 0; width < max_width; ++width)
      end += utf8_character_bytes(std::string_view(text).substr(end));
    text = text.substr(0, end) + "…";
  }
  return '"' + text + '"';
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  for (const char byte : text) width += (static_cast<unsigned char>(byte) & 0xC0) != 0x80;
  return width;
}

}  // namespace widehash::tools
