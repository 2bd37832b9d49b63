#include "delimiter_choice.hpp"

#include <cstddef>
#include <optional>
#include <tuple>
#include <utility>

namespace widehash::detail {
namespace {

bool names(const SampleReading& reading, std::string_view known_field) {
  return !known_field.empty() && reading.first_row_has(known_field);
}

bool may_be_table(const SampleReading& reading, std::string_view known_field) {
  if (reading.rows.front().size() < 2) return false;
  if (names(reading, known_field)) return true;
  if (reading.num_fields < 2) return false;
  return reading.splits() || (reading.dialect.delimiter != ' ' && reading.consistency > 0.5);
}

/// Whether the delimiter is common enough to be reported, although it is not chosen.
bool is_doubted(const SampleReading& reading) {
  if (reading.dialect.delimiter == ' ' || reading.rows.size() < 2) return false;
  std::size_t divided = 0;
  std::size_t agreeing = 0;
  for (std::size_t i = 1; i < reading.rows.size(); ++i) {
    if (reading.rows[i].size() > 1) ++divided;
    if (reading.rows[i].size() > 1 && reading.rows[i].size() == reading.rows[1].size()) ++agreeing;
  }
  const auto share = [&](std::size_t rows) {
    return static_cast<double>(rows) / static_cast<double>(reading.rows.size() - 1);
  };
  return share(agreeing) >= SampleReading::consistent_enough ||
         (reading.rows.front().size() > 1 && share(divided) > 0.5);
}

/// Returns a key that is greater for the better reading; keys are equal if only the usual order can
/// decide.
auto evidence(const SampleReading& reading, std::string_view known_field) {
  const bool agrees = reading.splits() && reading.first_row_agrees();
  return std::tuple(names(reading, known_field), agrees, reading.first_row_agrees(),
                    reading.dialect.delimiter != ' ', agrees ? 1.0 : reading.consistency, -reading.odd_share,
                    -reading.held_share, reading.num_fields);
}

}  // namespace

DelimiterChoice choose_delimiter(std::string_view text, bool is_whole, const DialectHints& hints) {
  std::optional<SampleReading> best;
  char doubted = '\0';
  for (const char delimiter : usual_delimiters) {
    SampleReading reading = read_with(delimiter, text, is_whole, hints);
    if (reading.rows.empty()) continue;
    if (may_be_table(reading, hints.known_field)) {
      if (!best || evidence(reading, hints.known_field) > evidence(*best, hints.known_field))
        best = std::move(reading);
    } else if (doubted == '\0' && is_doubted(reading)) {
      doubted = delimiter;
    }
  }
  if (best) return {.reading = std::move(*best)};
  return {.reading = read_with(usual_delimiters[0], text, is_whole, hints), .doubted = doubted};
}

}  // namespace widehash::detail
