#pragma once

/// \file
/// Text to number: labels, weights and numeric features.

#include <widehash/schema.hpp>

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace widehash {

/// The whole of `text` as a finite number, with or without its sign; nothing otherwise.
std::optional<double> parse_number(std::string_view text);
/// Whether it would be a number with a point in place of its comma, and no points before that: "154,61", "1.234,50".
bool is_with_decimal_comma(std::string_view text);

/// The beginning of a bad value, for a reason: enough to recognise it, on one line and without bytes that
/// would end the message or play with a terminal.
std::string shown_value(std::string_view text);

/// Turns the text of a label into its target.
class TargetParser {
 public:
  explicit TargetParser(const Label& label);

  /// The target, or nothing where the text is not one; then problem() says why.
  std::optional<float> parse(std::string_view text) const {
    if (text.size() == 1) {
      const float target = byte_targets_[static_cast<unsigned char>(text[0])];
      if (target != no_target) return target;
    }
    return parse_any(text);
  }
  /// Why `text` is no target, for the reason of a rejected row.
  std::string problem(std::string_view text) const;

 private:
  std::optional<float> parse_any(std::string_view text) const;

  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const noexcept {
      return std::hash<std::string_view>()(text);
    }
  };

  Label label_;
  std::unordered_map<std::string, float, TextHash, std::equal_to<>> targets_;  // binary and classes
  // The same where there are few: comparing them all is faster than hashing.
  std::vector<std::pair<std::string, float>> few_targets_;
  // Targets that are texts of one byte, as most labels are; numbers of one digit too.
  static constexpr float no_target = -1;
  std::array<float, 256> byte_targets_{};
};

}  // namespace widehash
