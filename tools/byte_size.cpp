#include "byte_size.hpp"

#include <widehash/internal/ascii.hpp>

#include <array>
#include <charconv>
#include <limits>
#include <utility>

#include <fmt/format.h>

namespace widehash::tools {
namespace {

std::optional<std::uint64_t> unit_bytes(std::string unit) {
  for (char& letter : unit) letter = detail::ascii_lower(letter);
  if (unit.empty() || unit == "b") return 1;
  const auto power = std::string_view("kmgt").find(unit.front());
  if (power == std::string_view::npos) return std::nullopt;
  const std::string_view rest = std::string_view(unit).substr(1);
  if (!rest.empty() && rest != "ib" && rest != "b") return std::nullopt;
  std::uint64_t bytes = 1;
  for (std::size_t i = 0; i <= power; ++i) bytes *= rest == "b" ? 1000 : 1024;
  return bytes;
}

/// Bytes of the unit in the text after a number; nullopt if that is no unit.
std::optional<std::uint64_t> unit_bytes(const char* begin, const char* end) {
  if (begin != end && *begin == ' ') ++begin;
  return unit_bytes(std::string(begin, end));
}

}  // namespace

std::optional<std::uint64_t> parse_byte_size(std::string_view text) {
  const char* end = text.data() + text.size();
  // A whole number is read exactly: a double would round it above 2^53.
  std::uint64_t whole = 0;
  const auto exact = std::from_chars(text.data(), end, whole);
  if (exact.ec == std::errc()) {
    if (const auto unit = unit_bytes(exact.ptr, end)) {
      if (whole == 0 || whole > std::numeric_limits<std::uint64_t>::max() / *unit) return std::nullopt;
      return whole * *unit;
    }
  }

  double number = 0;
  const auto parsed = std::from_chars(text.data(), end, number);
  if (parsed.ec != std::errc()) return std::nullopt;
  const auto unit = unit_bytes(parsed.ptr, end);
  if (!unit) return std::nullopt;
  const double bytes = number * static_cast<double>(*unit);
  if (!(bytes >= 1 && bytes < 0x1p64)) return std::nullopt;
  return static_cast<std::uint64_t>(bytes);
}

std::string byte_size_text(std::uint64_t bytes) {
  constexpr std::array<std::pair<int, const char*>, 4> units{
      {{40, "TiB"}, {30, "GiB"}, {20, "MiB"}, {10, "KiB"}}};
  for (const auto& [shift, name] : units) {
    const std::uint64_t unit = std::uint64_t{1} << shift;
    if (bytes >= unit && bytes % unit == 0) return fmt::format("{}{}", bytes / unit, name);
  }
  return std::to_string(bytes);
}

}  // namespace widehash::tools
