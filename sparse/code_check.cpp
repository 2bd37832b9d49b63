#include "code_check.hpp"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "code_check.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace widehash::detail {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class Code>
bool are_within(std::uint16_t word, const CodeLimits::Of& limits, std::size_t at) {
  for (std::size_t shift = 0; shift < 16; shift += 8 * sizeof(Code)) {
    const auto code = static_cast<Code>(word >> shift);
    if (code > static_cast<Code>(limits.highs[at] >> shift) &&
        code != static_cast<Code>(limits.marks[at] >> shift)) {
      return false;
    }
  }
  return true;
}

/// Checks words one by one, from word `at` of a period on.
bool FewWithin(const std::uint16_t* words, std::size_t count, const CodeLimits& limits, std::size_t at) {
  bool good = true;
  for (std::size_t i = 0; i < count; ++i, at = at + 1 == limits.period ? 0 : at + 1) {
    good = good && are_within<std::uint16_t>(words[i], limits.words, at) &&
           are_within<std::uint8_t>(words[i], limits.bytes, at);
  }
  return good;
}

#if HWY_TARGET != HWY_SCALAR

const hn::ScalableTag<std::uint16_t> d;
using Words = hn::Vec<decltype(d)>;

/// Returns by how much codes of type `Code` among the words are too large: 0 for all that are not.
template <class Code, bool HasMarks>
HWY_INLINE Words excess(Words words, const CodeLimits::Of& limits, std::size_t at) {
  const hn::Repartition<Code, decltype(d)> d_code;
  const auto load = [&](const std::vector<std::uint16_t>& from)
                        HWY_ATTR { return hn::BitCast(d_code, hn::LoadU(d, from.data() + at)); };
  const auto code = hn::BitCast(d_code, words);
  auto more = hn::SaturatedSub(code, load(limits.highs));
  if constexpr (HasMarks) more = hn::IfThenZeroElse(hn::Eq(code, load(limits.marks)), more);
  return hn::BitCast(d, more);
}

/// Checks whole periods, and the beginning of the next one if there is room for its limits.
template <bool HasMarks>
bool PeriodsWithin(const std::uint16_t* words, std::size_t num_periods, const CodeLimits& limits) {
  const std::size_t lanes = hn::Lanes(d);
  Words all = hn::Zero(d);
  for (std::size_t period = 0; period < num_periods; ++period, words += limits.period) {
    for (std::size_t at = 0; at < limits.period; at += lanes) {
      const Words here = hn::LoadU(d, words + at);
      all = hn::Or(all, excess<std::uint16_t, HasMarks>(here, limits.words, at));
      all = hn::Or(all, excess<std::uint8_t, HasMarks>(here, limits.bytes, at));
    }
  }
  return hn::AllTrue(d, hn::Eq(all, hn::Zero(d)));
}

#endif

bool CodesWithin(const std::uint16_t* words, std::size_t count, const CodeLimits& limits, std::size_t at) {
#if HWY_TARGET != HWY_SCALAR
  const std::size_t first = std::min(at == 0 ? 0 : limits.period - at, count);
  // The last vector of a period extends into the next one.
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t num_periods = count - first < lanes ? 0 : (count - first - lanes) / limits.period;
  const std::size_t whole = num_periods * limits.period;
  const auto within = limits.has_marks ? PeriodsWithin<true> : PeriodsWithin<false>;
  return FewWithin(words, first, limits, at) && within(words + first, num_periods, limits) &&
         FewWithin(words + first + whole, count - first - whole, limits, first == 0 ? at : 0);
#else
  return FewWithin(words, count, limits, at);
#endif
}

std::size_t LanesOfWords() { return hn::Lanes(hn::ScalableTag<std::uint16_t>()); }

}  // namespace HWY_NAMESPACE
}  // namespace widehash::detail
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace widehash::detail {

HWY_EXPORT(CodesWithin);
HWY_EXPORT(LanesOfWords);

namespace {

// Limits depend on the place in a period, which takes a few cycles to find; long periods make that rare.
constexpr std::size_t fewest_words_of_a_period = 128;

void set_byte(std::uint16_t& word, std::uint32_t place, std::uint32_t value) noexcept {
  const std::uint32_t shift = 8 * (place % 2);
  word = static_cast<std::uint16_t>((word & ~(0xFFU << shift)) | value << shift);
}

void repeat(std::vector<std::uint16_t>& values, std::size_t count) {
  const std::size_t row = values.size();
  for (std::size_t i = row; i < count; ++i) values.push_back(values[i - row]);
}

}  // namespace

CodeCheck::CodeCheck(const CodeLayout& layout) {
  const std::size_t stride = layout.code_stride;
  if (stride == 0) return;
  constexpr std::uint16_t anything = 0xFFFF;
  limits_.words = limits_.bytes = {std::vector(stride, anything), std::vector(stride, anything)};
  limits_.has_marks = layout.may_be_absent;
  for (const FeatureBlock& block : layout.blocks) {
    if (!block.has_codes()) continue;
    const std::uint32_t high = block.width - 1;
    const std::uint32_t mark = block.may_be_absent ? block.absent_mark() : high;
    for (std::uint32_t k = 0; k < block.num_slots; ++k) {
      const std::uint32_t slot = block.slot + k;
      if (block.slot_kind == SlotKind::codes) {
        limits_.words.highs[slot] = static_cast<std::uint16_t>(high);
        limits_.words.marks[slot] = static_cast<std::uint16_t>(mark);
      } else {
        set_byte(limits_.bytes.highs[layout.wide_codes + slot / 2], slot, high);
        set_byte(limits_.bytes.marks[layout.wide_codes + slot / 2], slot, mark);
      }
    }
  }
  limits_.period = (fewest_words_of_a_period + stride - 1) / stride * stride;
  for (CodeLimits::Of* of : {&limits_.words, &limits_.bytes}) {
    repeat(of->highs, limits_.period + HWY_DYNAMIC_DISPATCH(LanesOfWords)());
    repeat(of->marks, limits_.period + HWY_DYNAMIC_DISPATCH(LanesOfWords)());
  }
}

void CodeCheck::add(std::span<const std::uint16_t> words) noexcept {
  if (words.empty() || limits_.period == 0) return;
  good_ = HWY_DYNAMIC_DISPATCH(CodesWithin)(words.data(), words.size(), limits_, at_) && good_;
  at_ = (at_ + words.size()) % limits_.period;
}

}  // namespace widehash::detail

#endif  // HWY_ONCE
