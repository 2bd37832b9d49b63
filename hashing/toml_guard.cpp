#include "toml_guard.hpp"

#include <algorithm>
#include <cstddef>

namespace widehash::detail {
namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
constexpr std::string_view white_space = " \t\r\n";

/// A quote opens a text behind these, spaces apart; anywhere else it is a mistake, and the parser takes it for no text.
constexpr std::string_view before_text = "\n=[,{.";

bool is_ascii(char c) noexcept { return static_cast<unsigned char>(c) < 0x80; }

/// Where the text that opens at `at` ends, past its quotes; `stray` is set to what may not follow a backslash, if that
/// stands in it.
std::size_t end_of_text(std::string_view toml, std::size_t at, std::size_t& stray) noexcept {
  const char quote = toml[at];
  const bool is_long = toml.substr(at, 3) == (quote == '"' ? "\"\"\"" : "'''");
  const std::string_view closing = toml.substr(at, is_long ? 3 : 1);
  at += closing.size();
  while (at < toml.size() && toml.substr(at, closing.size()) != closing) {
    // A text of one line that is not closed there is an error that the parser reports.
    if (!is_long && toml[at] == '\n') return at;
    if (quote == '"' && toml[at] == '\\') {
      const std::size_t next = std::min(toml.find_first_not_of(white_space, at + 1), toml.size());
      if (next < toml.size() && !is_ascii(toml[next])) {
        stray = next;
        return toml.size();
      }
      at += 2;
    } else {
      ++at;
    }
  }
  at = std::min(at + closing.size(), toml.size());
  // Up to two quotes may stand in front of the three that close a long text.
  while (is_long && at < toml.size() && toml[at] == quote) ++at;
  return at;
}

}  // namespace

std::uint32_t line_of_stray_character(std::string_view toml) noexcept {
  std::size_t at = toml.starts_with(byte_order_mark) ? byte_order_mark.size() : 0;
  std::size_t stray = std::string_view::npos;
  char before = '\n';
  while (at < toml.size() && stray == std::string_view::npos) {
    if (!is_ascii(toml[at])) {
      stray = at;
    } else if (toml[at] == '#') {
      at = std::min(toml.find('\n', at), toml.size());
    } else if ((toml[at] == '"' || toml[at] == '\'') && before_text.find(before) != std::string_view::npos) {
      before = toml[at];
      at = end_of_text(toml, at, stray);
    } else {
      if (toml[at] != ' ' && toml[at] != '\t') before = toml[at];
      ++at;
    }
  }
  if (stray == std::string_view::npos) return 0;
  return 1 + static_cast<std::uint32_t>(
                 std::count(toml.begin(), toml.begin() + static_cast<std::ptrdiff_t>(stray), '\n'));
}

}  // namespace widehash::detail
