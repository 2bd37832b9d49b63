#include "delimiter_choice.hpp"
#include "header_guess.hpp"

#include <widehash/internal/byte_source.hpp>
#include <widehash/internal/dialect_guess.hpp>

#include <algorithm>
#include <span>

#include <fmt/format.h>

namespace widehash {
namespace {

using detail::DelimiterChoice;

std::string_view whole_rows(std::string_view sample, bool is_whole) {
  if (sample.starts_with(byte_order_mark)) sample.remove_prefix(byte_order_mark.size());
  if (is_whole) return sample;
  const std::size_t last_end = sample.rfind('\n');
  return last_end == std::string_view::npos ? sample : sample.substr(0, last_end + 1);
}

DelimiterChoice choose(std::string_view text, bool is_whole, const DialectHints& hints) {
  if (!hints.delimiter) return detail::choose_delimiter(text, is_whole, hints);
  return {.reading = detail::read_with(*hints.delimiter, text, is_whole, hints)};
}

}  // namespace

DialectGuess guess_dialect(std::string_view sample, bool is_whole, const DialectHints& hints) {
  const auto [reading, doubted] = choose(whole_rows(sample, is_whole), is_whole, hints);
  DialectGuess guess;
  guess.dialect = reading.dialect;
  if (reading.rows.empty()) {
    guess.has_header = hints.header.value_or(false);
    return guess;
  }
  guess.consistency = reading.consistency;
  guess.doubted_delimiter = doubted;
  const bool is_named = !hints.known_field.empty() && reading.first_row_has(hints.known_field);
  const auto by_texts = hints.header || is_named ? detail::HeaderGuess::yes : detail::guess_header(reading);
  const bool may_be_header = hints.header.value_or(by_texts == detail::HeaderGuess::yes);
  guess.is_header_unsure = by_texts == detail::HeaderGuess::unsure;
  if (may_be_header) guess.repeated_name = detail::repeated_name(reading.rows.front());
  guess.has_header = hints.header ? *hints.header : may_be_header && guess.repeated_name.empty();
  if (guess.has_header) {
    guess.fields = reading.rows.front();
  } else {
    for (std::size_t i = 0; i < reading.num_fields; ++i) guess.fields.push_back(fmt::format("f{}", i));
  }
  return guess;
}

bool is_empty_text(std::string_view sample) noexcept { return sample.empty() || sample == byte_order_mark; }

TextSample read_sample(ByteSource& source) {
  TextSample sample;
  std::size_t ends = 0;  // line ends
  while (!sample.is_whole && ends < 2 && sample.text.size() < max_row_bytes) {
    const std::size_t before = sample.text.size();
    sample.text.resize(before + sample_bytes);
    const std::size_t count = source.read(std::span(sample.text).subspan(before));
    sample.text.resize(before + count);
    sample.is_whole = count < sample_bytes;
    ends += static_cast<std::size_t>(
        std::count(sample.text.begin() + static_cast<std::ptrdiff_t>(before), sample.text.end(), '\n'));
  }
  return sample;
}

}  // namespace widehash
