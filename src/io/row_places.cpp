// Compiled once per instruction set (Highway's foreach_target); the best one is chosen at run time. This
// target is requested by name: it compresses bytes in registers, which plain AVX-512 cannot.
#define HWY_WANT_AVX3_DL 1
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "row_places.cpp"
#include <hwy/foreach_target.h>

#include "row_places.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "byte_classes-inl.hpp"
#include "set_bits-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace widehash::detail::HWY_NAMESPACE {

/// Separators passed so far, and how many of them are LFs and CRs. CRs are counted only where rows end in CR
/// LF.
struct Passed {
  std::size_t separators = 0;
  std::size_t line_feeds = 0;
  std::size_t carriage_returns = 0;
};

/// Classifies CRs as quotes where rows end in CR LF, since these rows have no quotes.
template <LineEnd line_end>
HWY_INLINE ByteClasses classes_of(const char* at, char delimiter) {
  return classify<line_end == LineEnd::cr_lf>(at, delimiter, '\r');
}

template <LineEnd line_end>
HWY_INLINE void count_line_ends(const ByteClasses& step, Passed& passed) {
  passed.line_feeds += static_cast<std::size_t>(std::popcount(step.line_ends));
  if constexpr (line_end == LineEnd::cr_lf) {
    passed.carriage_returns += static_cast<std::size_t>(std::popcount(step.quotes));
  }
}

/// Writes the places of the step's separators.
template <LineEnd line_end>
HWY_INLINE void pass_step(const char* at, std::uint32_t place, char delimiter, std::uint32_t* ends,
                          Passed& passed) {
  const ByteClasses step = classes_of<line_end>(at, delimiter);
  const std::uint64_t separators = step.delimiters | step.line_ends | step.quotes;
  const std::uint32_t* const next = write_places(separators, place, ends + passed.separators);
  passed.separators = static_cast<std::size_t>(next - ends);
  count_line_ends<line_end>(step, passed);
}

/// Returns how many of the first `num_rows` rows are whole, checking one separator after another.
template <LineEnd line_end>
HWY_NOINLINE std::size_t count_whole_rows(const char* text, const std::uint32_t* ends, char delimiter,
                                          std::size_t num_fields, std::size_t num_rows) {
  const std::size_t stride = place_stride(num_fields, line_end);
  for (std::size_t row = 0; row < num_rows; ++row, ends += stride) {
    for (std::size_t field = 0; field + 1 < num_fields; ++field) {
      if (text[ends[field]] != delimiter) return row;
    }
    if (!ends_row<line_end>(text, ends[stride - 1])) return row;
  }
  return num_rows;
}

template <LineEnd line_end>
HWY_INLINE std::size_t scan(const char* begin, const char* end, char delimiter, std::size_t num_fields,
                            std::size_t max_rows, std::uint32_t* ends) {
  // A reader may look at eight bytes of the last value, which may be empty.
  constexpr std::ptrdiff_t least_left = class_bytes + 8;
  const std::size_t stride = place_stride(num_fields, line_end);
  const std::size_t most = max_rows * stride;
  Passed passed;
  for (const char* at = begin; end - at >= least_left && passed.separators < most; at += class_bytes) {
    pass_step<line_end>(at, static_cast<std::uint32_t>(at - begin), delimiter, ends, passed);
  }
  // Rows are whole if each ends in a line end and as many line ends were passed as rows. This is checked
  // once per row, not once per separator, and without a branch that depends on where in a step a row ends.
  const std::size_t num_rows = std::min(passed.separators / stride, max_rows);
  bool all_whole = true;
  for (std::size_t row = 0; row < num_rows; ++row) {
    all_whole = all_whole & ends_row<line_end>(begin, ends[(row + 1) * stride - 1]);
  }
  for (std::size_t i = num_rows * stride; i < passed.separators; ++i) {
    passed.line_feeds -= begin[ends[i]] == '\n' ? 1 : 0;
    if (line_end == LineEnd::cr_lf) passed.carriage_returns -= begin[ends[i]] == '\r' ? 1 : 0;
  }
  all_whole = all_whole && passed.line_feeds == num_rows;
  if (line_end == LineEnd::cr_lf) all_whole = all_whole && passed.carriage_returns == num_rows;
  if (HWY_LIKELY(all_whole)) return num_rows;
  return count_whole_rows<line_end>(begin, ends, delimiter, num_fields, num_rows);
}

std::size_t ScanPlaces(const char* begin, const char* end, char delimiter, LineEnd line_end,
                       std::size_t num_fields, std::size_t max_rows, std::uint32_t* ends) {
  return line_end == LineEnd::lf ? scan<LineEnd::lf>(begin, end, delimiter, num_fields, max_rows, ends)
                                 : scan<LineEnd::cr_lf>(begin, end, delimiter, num_fields, max_rows, ends);
}

}  // namespace widehash::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace widehash::detail {

HWY_EXPORT(ScanPlaces);

LineEnd first_line_end(const char* begin, const char* end) noexcept {
  const auto bytes = static_cast<std::size_t>(end - begin);
  const auto* const line_feed = static_cast<const char*>(std::memchr(begin, '\n', bytes));
  const bool follows_cr = line_feed != nullptr && line_feed > begin && line_feed[-1] == '\r';
  return follows_cr ? LineEnd::cr_lf : LineEnd::lf;
}

std::size_t scan_places(const char* begin, const char* end, char delimiter, LineEnd line_end,
                        std::size_t num_fields, std::size_t max_rows, std::uint32_t* ends) noexcept {
  return HWY_DYNAMIC_DISPATCH(ScanPlaces)(begin, end, delimiter, line_end, num_fields, max_rows, ends);
}

}  // namespace widehash::detail
#endif
