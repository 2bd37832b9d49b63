// Compiled once per instruction set (Highway's foreach_target); the best one is chosen at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "row_scan.cpp"
#include <hwy/foreach_target.h>

#include "row_scan.hpp"

#include <bit>
#include <cstdint>

#include "byte_classes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace widehash::detail::HWY_NAMESPACE {

constexpr std::ptrdiff_t step_bytes = class_bytes;

/// Writes the values that end at the set bits, and returns where the value after the last begins. Always
/// writes eight at a time, so that the usual counts take the same branches. Compressing the places with
/// AVX-512 and making the views from them eight at a time was tried: 1.7 times slower, as loads wait for the
/// overlapping stores before them.
HWY_INLINE const char* write_values(const char* at, std::uint64_t ends, const char* value,
                                    std::string_view* fields) {
  const int count = std::popcount(ends);
  const char* const after_last = ends == 0 ? value : at + (64 - std::countl_zero(ends));
  for (int written = 0; written < count; written += 8) {
    for (int i = 0; i < 8; ++i) {
      const char* const end = at + std::countr_zero(ends);
      fields[written + i] = {value, static_cast<std::size_t>(end - value)};
      value = end + 1;
      ends &= ends - 1;
    }
  }
  return after_last;
}
/// Removes the quotes from the values of a row that holds `num_quotes` quotes. Returns false if a quote is
/// anything but the first or last byte of a quoted value.
inline bool take_off_quotes(std::string_view* fields, std::size_t num_fields, char quote,
                            std::uint64_t num_quotes) {
  for (std::size_t i = 0; i < num_fields; ++i) {
    if (fields[i].size() < 2 || fields[i].front() != quote || fields[i].back() != quote) continue;
    fields[i] = fields[i].substr(1, fields[i].size() - 2);
    num_quotes -= 2;
  }
  return num_quotes == 0;
}

template <bool quoted>
RowScan scan(const char* begin, const char* end, char delimiter, char quote, std::size_t num_fields,
             std::size_t max_rows, std::string_view* fields) {
  RowScan taken{.num_rows = 0, .next = begin};
  const std::size_t max_fields = max_rows * num_fields;
  std::size_t num_found = 0;         // values whose end was found
  std::size_t row_end = num_fields;  // values found when the current row is to end
  const char* value = begin;         // the value whose end is searched for
  std::uint64_t inside = 0;          // all ones inside quotes
  std::uint64_t num_quotes = 0;      // in the rows not yet taken, up to this step
  for (const char* at = begin; end - at >= step_bytes; at += step_bytes) {
    ByteClasses step = classify<quoted>(at, delimiter, quote);
    if constexpr (quoted) {
      std::uint64_t in_quotes = inside;
      if (step.quotes != 0) {
        in_quotes ^= parity_up_to(step.quotes);
        inside = std::uint64_t{0} - (in_quotes >> 63);
      }
      if ((step.line_ends & in_quotes) != 0) return taken;
      step.delimiters &= ~in_quotes;
    }
    const std::uint64_t ends = step.delimiters | step.line_ends;
    value = write_values(at, ends, value, fields + num_found);
    std::uint64_t quotes_left = step.quotes;
    for (std::uint64_t lines = step.line_ends; lines != 0; lines &= lines - 1) {
      const int bit = std::countr_zero(lines);
      const std::uint64_t up_to = (std::uint64_t{2} << bit) - 1;
      if (num_found + static_cast<std::size_t>(std::popcount(ends & up_to)) != row_end) return taken;
      std::string_view& last = fields[row_end - 1];
      if (!last.empty() && last.back() == '\r') last.remove_suffix(1);
      if constexpr (quoted) {
        num_quotes += static_cast<std::uint64_t>(std::popcount(quotes_left & up_to));
        quotes_left &= ~up_to;
        if (num_quotes != 0 &&
            !take_off_quotes(fields + row_end - num_fields, num_fields, quote, num_quotes)) {
          return taken;
        }
        num_quotes = 0;
      }
      ++taken.num_rows;
      taken.next = at + bit + 1;
      row_end += num_fields;
      if (taken.num_rows == max_rows) return taken;
    }
    num_found += static_cast<std::size_t>(std::popcount(ends));
    num_quotes += static_cast<std::uint64_t>(std::popcount(quotes_left));
    // Only a row with too many values can get this far.
    if (num_found >= max_fields) return taken;
  }
  return taken;
}

RowScan ScanBare(const char* begin, const char* end, char delimiter, char, std::size_t num_fields,
                 std::size_t max_rows, std::string_view* fields) {
  return scan<false>(begin, end, delimiter, '\0', num_fields, max_rows, fields);
}

RowScan ScanQuoted(const char* begin, const char* end, char delimiter, char quote, std::size_t num_fields,
                   std::size_t max_rows, std::string_view* fields) {
  return scan<true>(begin, end, delimiter, quote, num_fields, max_rows, fields);
}

}  // namespace widehash::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace widehash::detail {

HWY_EXPORT(ScanBare);
HWY_EXPORT(ScanQuoted);

RowScan scan_rows(const char* begin, const char* end, const Dialect& dialect, std::size_t num_fields,
                  std::size_t max_rows, std::string_view* fields) noexcept {
  if (dialect.quote == '\0') {
    return HWY_DYNAMIC_DISPATCH(ScanBare)(begin, end, dialect.delimiter, '\0', num_fields, max_rows, fields);
  }
  return HWY_DYNAMIC_DISPATCH(ScanQuoted)(begin, end, dialect.delimiter, dialect.quote, num_fields, max_rows,
                                          fields);
}

}  // namespace widehash::detail
#endif
