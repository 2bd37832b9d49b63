#include "byte_size.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace widehash::tools {
namespace {

constexpr double kibi = 1024;
constexpr double kilo = 1000;

std::optional<double> unit_bytes(std::string unit) {
  for (char& letter : unit) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  if (unit.empty() || unit == "b") return 1;
  const auto power = std::string_view("kmgt").find(unit.front());
  if (power == std::string_view::npos) return std::nullopt;
  const auto exponent = static_cast<double>(power + 1);
  const std::string_view rest = std::string_view(unit).substr(1);
  if (rest.empty() || rest == "ib") return std::pow(kibi, exponent);
  if (rest == "b") return std::pow(kilo, exponent);
  return std::nullopt;
}

}  // namespace

std::optional<std::uint64_t> parse_byte_size(std::string_view text) {
  const char* end = text.data() + text.size();
  // A whole number is taken as it is: a double would round above 2^53.
  std::uint64_t whole = 0;
  const auto exact = std::from_chars(text.data(), end, whole);
  if (exact.ec == std::errc() && exact.ptr == end) return whole == 0 ? std::nullopt : std::optional(whole);

  double number = 0;
  const auto parsed = std::from_chars(text.data(), end, number);
  if (parsed.ec != std::errc()) return std::nullopt;
  std::string_view unit(parsed.ptr, static_cast<std::size_t>(end - parsed.ptr));
  if (unit.starts_with(' ')) unit.remove_prefix(1);
  const auto factor = unit_bytes(std::string(unit));
  if (!factor) return std::nullopt;
  const double bytes = number * *factor;
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
