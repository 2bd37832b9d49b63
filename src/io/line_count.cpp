// Compiled once per instruction set (Highway's foreach_target); the best one is chosen at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "line_count.cpp"
#include <hwy/foreach_target.h>

#include "line_count.hpp"

#include <bit>

#include "byte_classes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace widehash::detail::HWY_NAMESPACE {

LineCount CountLineEnds(std::string_view text) {
  LineCount count;
  std::size_t at = 2;
  // Whether each of the last two bytes is an LF; bit 1 is the later byte.
  std::uint64_t before =
      (text.size() > 1 && text[1] == '\n' ? 2 : 0) | (!text.empty() && text[0] == '\n' ? 1 : 0);
  for (; at + class_bytes <= text.size(); at += class_bytes) {
    const std::uint64_t line_ends = bits_equal_to(text.data() + at, '\n');
    count.lines += static_cast<std::uint64_t>(std::popcount(line_ends));
    // A blank line ends one or two bytes after the line before it.
    std::uint64_t may_be_blank = line_ends & (line_ends << 1 | before >> 1 | line_ends << 2 | before);
    for (; HWY_UNLIKELY(may_be_blank != 0); may_be_blank &= may_be_blank - 1) {
      count.blank += is_blank_line(text.data() + at + std::countr_zero(may_be_blank));
    }
    before = line_ends >> 62;
  }
  for (; at < text.size(); ++at) {
    if (text[at] != '\n') continue;
    ++count.lines;
    count.blank += is_blank_line(text.data() + at);
  }
  return count;
}

}  // namespace widehash::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace widehash::detail {

HWY_EXPORT(CountLineEnds);

LineCount count_line_ends(std::string_view text) noexcept {
  return HWY_DYNAMIC_DISPATCH(CountLineEnds)(text);
}

}  // namespace widehash::detail
#endif
