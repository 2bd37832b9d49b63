#include "target_parser.hpp"

#include <widehash/internal/utf8.hpp>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>

#include <fmt/format.h>
#include <locale.h>

namespace widehash {
namespace {

// A whole value may be a megabyte long.
constexpr std::size_t shown_bytes = 60;

/// The value of a number that from_chars reports as out of range without saying whether it is too large or
/// too close to 0: an infinity, or about 0. Uses the "C" locale, because others may have another decimal
/// point.
double far_number(std::string_view text) {
  static const locale_t plain = ::newlocale(LC_ALL_MASK, "C", nullptr);
  return ::strtod_l(std::string(text).c_str(), nullptr, plain);
}

}  // namespace

std::optional<double> parse_number(std::string_view text) {
  // Most numbers in tables are short integers, which need no search for the nearest double.
  constexpr std::size_t exact_digits = 15;
  // "+3" means 3, but from_chars does not accept a plus. A plus must not precede another sign.
  if (text.size() > 1 && text[0] == '+' && text[1] != '-' && text[1] != '+') text.remove_prefix(1);
  const bool is_negative = text.starts_with('-');
  const std::string_view digits = text.substr(is_negative ? 1 : 0);
  if (!digits.empty() && digits.size() <= exact_digits) {
    std::int64_t integer = 0;
    bool is_integer = true;
    for (const char c : digits) {
      const auto digit = static_cast<unsigned char>(c - '0');
      is_integer = is_integer && digit < 10;
      integer = integer * 10 + digit;
    }
    if (is_integer) return is_negative ? -static_cast<double>(integer) : static_cast<double>(integer);
  }
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, value);
  if (stop != end) return std::nullopt;
  if (failure == std::errc::result_out_of_range) value = far_number(text);
  if ((failure != std::errc() && failure != std::errc::result_out_of_range) || !std::isfinite(value))
    return std::nullopt;
  return value;
}

bool is_with_decimal_comma(std::string_view text) {
  const std::size_t comma = text.find(',');
  if (comma == std::string_view::npos || comma == 0) return false;
  std::string with_point(text.substr(0, comma));
  std::erase(with_point, '.');
  with_point += '.';
  with_point += text.substr(comma + 1);
  return comma + 1 < text.size() && parse_number(with_point).has_value();
}

std::string shown_value(std::string_view text) { return printable(text, shown_bytes); }

TargetParser::TargetParser(const Label& label) : label_(label) {
  for (const auto& text : label.negative) targets_.emplace(text, 0.0F);
  for (const auto& text : label.positive) targets_.emplace(text, 1.0F);
  for (std::size_t index = 0; index < label.classes.size(); ++index) {
    targets_.emplace(label.classes[index], static_cast<float>(index));
  }
  constexpr std::size_t most_compared = 8;
  if (targets_.size() <= most_compared) few_targets_.assign(targets_.begin(), targets_.end());
  byte_targets_.fill(no_target);
  for (const auto& [text, target] : targets_) {
    if (text.size() == 1) byte_targets_[static_cast<unsigned char>(text[0])] = target;
  }
  if (label.kind != LabelKind::number) return;
  for (unsigned char digit = 0; digit < 10; ++digit) {
    byte_targets_[std::size_t{'0'} + digit] = static_cast<float>(digit);
  }
}

std::optional<float> TargetParser::parse_any(std::string_view text) const {
  if (label_.kind == LabelKind::number) {
    // Also the texts of booleans, which tables in memory use for labels as often as 0 and 1.
    if (text == "true") return 1.0F;
    if (text == "false") return 0.0F;
    const auto value = parse_number(text);
    if (!value || !std::isfinite(static_cast<float>(*value))) return std::nullopt;
    return static_cast<float>(*value);
  }
  for (const auto& [known, target] : few_targets_) {
    if (text == known) return target;
  }
  if (!few_targets_.empty()) return std::nullopt;
  const auto found = targets_.find(text);
  if (found == targets_.end()) return std::nullopt;
  return found->second;
}

std::string TargetParser::problem(std::string_view text) const {
  if (label_.kind == LabelKind::number && parse_number(text))
    return fmt::format("label '{}' is '{}', beyond the largest float32 (3.4e38)", label_.field,
                       shown_value(text));
  const char* wanted = label_.kind == LabelKind::number   ? "a finite number, true or false"
                       : label_.kind == LabelKind::binary ? "one of the schema's positive or negative labels"
                                                          : "one of the schema's classes";
  return fmt::format("label '{}' is '{}', not {}", label_.field, shown_value(text), wanted);
}

}  // namespace widehash
