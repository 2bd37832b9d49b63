#pragma once

/// \file
/// Converts text to numbers: labels, weights and numeric features.

#include <widehash/schema.hpp>

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace widehash {

/// The whole of `text` as a finite number, with or without a sign; nothing otherwise.
std::optional<double> parse_number(std::string_view text);
/// Whether `text` would be a number if its comma were a point and the points before it were removed:
/// "154,61", "1.234,50".
bool is_with_decimal_comma(std::string_view text);

/// The beginning of a bad value for an error message: enough to recognise it, on one line and without bytes
/// that would end the message or disturb a terminal.
std::string shown_value(std::string_view text);

/// Converts the text of a label to its target.
class TargetParser {
 public:
  explicit TargetParser(const Label& label);

  /// The target, or nothing where the text is not one; problem() then says why.
  std::optional<float> parse(std::string_view text) const {
    if (text.size() == 1) {
      const float target = byte_targets_[static_cast<unsigned char>(text[0])];
      if (target != no_target) return target;
    }
    return parse_any(text);
  }
  /// Why `text` is not a target; the reason for a rejected row.
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
  // The same where there are few: comparing with each is faster than hashing.
  std::vector<std::pair<std::string, float>> few_targets_;
  // Targets of one-byte texts, which most labels are; also of one-digit numbers.
  static constexpr float no_target = -1;
  std::array<float, 256> byte_targets_{};
};

}  // namespace widehash
