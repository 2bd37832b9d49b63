// Compiled once per instruction set (Highway's foreach_target); the best one is chosen at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "quoted_lines.cpp"
#include <hwy/foreach_target.h>

#include "quoted_lines.hpp"

#include <bit>

#include "byte_classes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace widehash::detail::HWY_NAMESPACE {

QuotedLines CountQuotedLines(const char* text, std::size_t num_steps, char delimiter, char quote,
                             QuotePlace& place) {
  QuotedLines seen;
  // State of the byte before a step, or of the two bytes before.
  std::uint64_t inside_before = place == QuotePlace::quoted ? ~std::uint64_t{0} : 0;
  std::uint64_t begins_before = place == QuotePlace::field_start ? 1 : 0;
  std::uint64_t quote_before = place == QuotePlace::quote_in_quoted ? 1 : 0;
  std::uint64_t row_ends_before = (text[-1] == '\n' ? 2 : 0) | (text[-2] == '\n' ? 1 : 0);
  // The last step in which a row ended, the last in which a value was opened, and where in those steps.
  std::size_t row_end_step = 0, opening_step = 0;
  std::uint64_t last_row_ends = 0, last_openings = 0;
  for (; seen.num_steps < num_steps; ++seen.num_steps) {
    const char* const at = text + seen.num_steps * class_bytes;
    const ByteClasses step = classify<true>(at, delimiter, quote);
    const std::uint64_t inside = parity_up_to(step.quotes) ^ inside_before;
    const std::uint64_t separators = step.delimiters | step.line_ends;
    const std::uint64_t begins = separators << 1 | begins_before;
    const std::uint64_t opening = step.quotes & inside;
    if (HWY_UNLIKELY((opening & ~(begins | step.quotes << 1 | quote_before)) != 0)) break;

    const std::uint64_t row_ends = step.line_ends & ~inside;
    seen.lines += static_cast<std::uint64_t>(std::popcount(step.line_ends));
    seen.row_ends += static_cast<std::uint64_t>(std::popcount(row_ends));
    // A blank row ends one or two bytes after the row before it. That row ends outside quotes, so the CR
    // between them is not part of a value either.
    std::uint64_t may_be_blank =
        row_ends & (row_ends << 1 | row_ends_before >> 1 | row_ends << 2 | row_ends_before);
    for (; HWY_UNLIKELY(may_be_blank != 0); may_be_blank &= may_be_blank - 1) {
      seen.blank += is_blank_line(at + std::countr_zero(may_be_blank)) ? 1 : 0;
    }
    if (row_ends != 0) {
      last_row_ends = row_ends;
      row_end_step = seen.num_steps;
    }
    if (const std::uint64_t opens = opening & begins; opens != 0) {
      last_openings = opens;
      opening_step = seen.num_steps;
    }
    inside_before = std::uint64_t{0} - (inside >> 63);
    begins_before = separators >> 63;
    quote_before = step.quotes >> 63;
    row_ends_before = row_ends >> 62;
  }
  const auto last_of = [&](std::size_t step, std::uint64_t bits) {
    return text + step * class_bytes + (63 - std::countl_zero(bits));
  };
  if (last_row_ends != 0) seen.last_row_end = last_of(row_end_step, last_row_ends) + 1;
  if (last_openings != 0) seen.last_opening = last_of(opening_step, last_openings);
  place = inside_before != 0   ? QuotePlace::quoted
          : begins_before != 0 ? QuotePlace::field_start
          : quote_before != 0  ? QuotePlace::quote_in_quoted
                               : QuotePlace::bare;
  return seen;
}

}  // namespace widehash::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace widehash::detail {

HWY_EXPORT(CountQuotedLines);

QuotedLines count_quoted_lines(const char* text, std::size_t num_steps, char delimiter, char quote,
                               QuotePlace& place) noexcept {
  return HWY_DYNAMIC_DISPATCH(CountQuotedLines)(text, num_steps, delimiter, quote, place);
}

}  // namespace widehash::detail
#endif
