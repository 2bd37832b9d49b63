// Compiled once for every instruction set (Highway's foreach_target); the best is chosen when the program runs.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "line_count.cpp"
#include "line_count.hpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace widehash::detail::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

LineCount CountLineEnds(std::string_view text) {
  const hn::ScalableTag<std::uint8_t> d;
  const auto line_end = hn::Set(d, static_cast<std::uint8_t>('\n'));
  const auto carriage_return = hn::Set(d, static_cast<std::uint8_t>('\r'));
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(text.data());
  LineCount count;
  std::size_t at = 2;
  for (; at + hn::Lanes(d) <= text.size(); at += hn::Lanes(d)) {
    const auto is_end = hn::Eq(hn::LoadU(d, bytes + at), line_end);
    const auto before = hn::LoadU(d, bytes + at - 1);
    const auto end_before_that = hn::Eq(hn::LoadU(d, bytes + at - 2), line_end);
    const auto starts_line =
        hn::Or(hn::Eq(before, line_end), hn::And(hn::Eq(before, carriage_return), end_before_that));
    count.lines += hn::CountTrue(d, is_end);
    count.blank += hn::CountTrue(d, hn::And(is_end, starts_line));
  }
  for (; at < text.size(); ++at) {
    if (text[at] != '\n') continue;
    ++count.lines;
    if (text[at - 1] == '\n' || (text[at - 1] == '\r' && text[at - 2] == '\n')) ++count.blank;
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
