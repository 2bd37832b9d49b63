// Compiled once per instruction set (Highway's foreach_target); the best one is chosen at run time. This
// target is requested by name: it compresses bytes in registers, which plain AVX-512 cannot.
#define HWY_WANT_AVX3_DL 1
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "quoted_places.cpp"
#include <hwy/foreach_target.h>

#include "quoted_places.hpp"

#include <algorithm>
#include <bit>

#include "byte_classes-inl.hpp"
#include "set_bits-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace widehash::detail::HWY_NAMESPACE {

/// What one step leaves to the next. Each bit except the parity is the highest bit of a word of the step.
struct Carried {
  std::uint64_t inside = 0;           // all ones inside quotes
  std::uint64_t after_separator = 1;  // a row begins where the text does
  std::uint64_t after_opening = 0;
  std::uint64_t after_closing = 0;
};

/// The bytes of one step, one bit each.
struct QuotedStep {
  std::uint64_t first = 0;      // the first byte of a value, or the separator of an empty one
  std::uint64_t end = 0;        // the byte after the last one of a value
  std::uint64_t line_ends = 0;  // LF outside quotes
  std::uint64_t returns = 0;    // CR outside quotes, where rows end in CR LF
  std::uint64_t faults = 0;     // bytes that are malformed, or that places cannot describe
};

template <LineEnd line_end>
HWY_INLINE QuotedStep look_at(const char* at, char delimiter, char quote, Carried& carried) {
  const ByteClasses step = classify<true>(at, delimiter, quote);
  const std::uint64_t inside = parity_up_to(step.quotes) ^ carried.inside;
  carried.inside = std::uint64_t{0} - (inside >> 63);
  QuotedStep seen;
  seen.line_ends = step.line_ends & ~inside;
  if constexpr (line_end == LineEnd::cr_lf) seen.returns = bits_equal_to(at, '\r') & ~inside;
  const std::uint64_t separators = (step.delimiters & ~inside) | seen.line_ends | seen.returns;
  const std::uint64_t opening = step.quotes & inside;
  const std::uint64_t closing = step.quotes & ~inside;
  // Shifts by one byte, across steps.
  const auto after = [](std::uint64_t bits, std::uint64_t& last) {
    const std::uint64_t shifted = bits << 1 | last;
    last = bits >> 63;
    return shifted;
  };
  const std::uint64_t after_separator = after(separators, carried.after_separator);
  const std::uint64_t after_opening = after(opening, carried.after_opening);
  const std::uint64_t after_closing = after(closing, carried.after_closing);
  seen.first = (after_separator & ~opening) | after_opening;
  seen.end = (separators & ~after_closing) | closing;
  seen.faults = (step.line_ends & inside) | (opening & ~after_separator) | (after_closing & ~separators);
  return seen;
}

/// Returns the place of the separator after the value that ends at `end`.
inline std::uint32_t separator_behind(const char* text, std::uint32_t end, char quote) {
  return end + (text[end] == quote ? 1 : 0);
}

/// Returns how many of the first `num_rows` rows are whole, checking one separator after another.
template <LineEnd line_end>
HWY_NOINLINE std::size_t count_whole_rows(const char* text, const std::uint32_t* ends, char delimiter,
                                          char quote, std::size_t num_fields, std::size_t num_rows) {
  const std::size_t stride = place_stride(num_fields, line_end);
  for (std::size_t row = 0; row < num_rows; ++row, ends += stride) {
    for (std::size_t field = 0; field + 1 < num_fields; ++field) {
      if (text[separator_behind(text, ends[field], quote)] != delimiter) return row;
    }
    if (!ends_row<line_end>(text, separator_behind(text, ends[stride - 1], quote))) return row;
  }
  return num_rows;
}

/// Counts of what was passed outside quotes.
struct PassedOutsideQuotes {
  std::uint32_t bytes = 0;
  std::size_t line_feeds = 0;
  std::size_t carriage_returns = 0;
};

/// Returns how many rows the `num_ends` ends describe. The rows are whole if each ends in a line end and
/// as many line ends were passed as rows (row_places.cpp).
template <LineEnd line_end>
HWY_INLINE std::size_t count_rows(const char* text, const std::uint32_t* ends, std::size_t num_ends,
                                  char delimiter, char quote, std::size_t num_fields, std::size_t max_rows,
                                  PassedOutsideQuotes passed) {
  const std::size_t stride = place_stride(num_fields, line_end);
  const std::size_t num_rows = std::min(num_ends / stride, max_rows);
  bool all_whole = true;
  for (std::size_t row = 0; row < num_rows; ++row) {
    const std::uint32_t separator = separator_behind(text, ends[(row + 1) * stride - 1], quote);
    all_whole = all_whole & ends_row<line_end>(text, separator);
    // The separator of the last row may follow a closing quote that ended the last step.
    passed.line_feeds += separator >= passed.bytes ? 1 : 0;
  }
  for (std::size_t i = num_rows * stride; i < num_ends; ++i) {
    const std::uint32_t separator = separator_behind(text, ends[i], quote);
    if (separator >= passed.bytes) break;
    passed.line_feeds -= text[separator] == '\n' ? 1 : 0;
    if (line_end == LineEnd::cr_lf) passed.carriage_returns -= text[separator] == '\r' ? 1 : 0;
  }
  all_whole = all_whole && passed.line_feeds == num_rows;
  if (line_end == LineEnd::cr_lf) all_whole = all_whole && passed.carriage_returns == num_rows;
  if (HWY_LIKELY(all_whole)) return num_rows;
  return count_whole_rows<line_end>(text, ends, delimiter, quote, num_fields, num_rows);
}

template <LineEnd line_end>
HWY_INLINE std::size_t scan(const char* begin, const char* end, char delimiter, char quote,
                            std::size_t num_fields, std::size_t max_rows, std::uint32_t* before,
                            std::uint32_t* ends) {
  // A reader may look at eight bytes of the last value, which may be empty.
  constexpr std::ptrdiff_t least_left = class_bytes + 8;
  const std::uint32_t* const enough = ends + max_rows * place_stride(num_fields, line_end);
  std::uint32_t* next_end = ends;
  Carried carried;
  PassedOutsideQuotes passed;
  bool is_faulty = false;
  for (const char* at = begin; end - at >= least_left && next_end < enough && !is_faulty; at += class_bytes) {
    QuotedStep step = look_at<line_end>(at, delimiter, quote, carried);
    const auto place = static_cast<std::uint32_t>(at - begin);
    passed.bytes = place + static_cast<std::uint32_t>(class_bytes);
    is_faulty = step.faults != 0;
    if (HWY_UNLIKELY(is_faulty)) {
      // Rows that end before the fault are well-formed.
      const std::uint64_t sound = (step.faults & (0 - step.faults)) - 1;
      step.first &= sound;
      step.end &= sound;
      step.line_ends &= sound;
      step.returns &= sound;
      passed.bytes = place + static_cast<std::uint32_t>(std::countr_zero(step.faults));
    }
    before = write_places(step.first, place - 1, before);
    next_end = write_places(step.end, place, next_end);
    passed.line_feeds += static_cast<std::size_t>(std::popcount(step.line_ends));
    if constexpr (line_end == LineEnd::cr_lf) {
      passed.carriage_returns += static_cast<std::size_t>(std::popcount(step.returns));
    }
  }
  const auto num_ends = static_cast<std::size_t>(next_end - ends);
  return count_rows<line_end>(begin, ends, num_ends, delimiter, quote, num_fields, max_rows, passed);
}

std::size_t ScanQuotedPlaces(const char* begin, const char* end, char delimiter, char quote, LineEnd line_end,
                             std::size_t num_fields, std::size_t max_rows, std::uint32_t* before,
                             std::uint32_t* ends) {
  return line_end == LineEnd::lf
             ? scan<LineEnd::lf>(begin, end, delimiter, quote, num_fields, max_rows, before, ends)
             : scan<LineEnd::cr_lf>(begin, end, delimiter, quote, num_fields, max_rows, before, ends);
}

}  // namespace widehash::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace widehash::detail {

HWY_EXPORT(ScanQuotedPlaces);

std::size_t scan_quoted_places(const char* begin, const char* end, char delimiter, char quote,
                               LineEnd line_end, std::size_t num_fields, std::size_t max_rows,
                               std::uint32_t* before, std::uint32_t* ends) noexcept {
  return HWY_DYNAMIC_DISPATCH(ScanQuotedPlaces)(begin, end, delimiter, quote, line_end, num_fields, max_rows,
                                                before, ends);
}

}  // namespace widehash::detail
#endif
