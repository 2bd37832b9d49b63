#include "code_check.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "code_check.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace widehash::detail {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Whether each code of type `Code` among the words is at most its high, or its mark.
template <class Code>
bool WordsWithin(const std::uint16_t* words, std::size_t count, const std::uint16_t* highs,
                 const std::uint16_t* marks, std::size_t stride, std::size_t at_in_row) {
  bool all = true;
  std::size_t at = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::ScalableTag<std::uint16_t> d;
  const hn::Repartition<Code, decltype(d)> d_code;
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t step = lanes % stride;
  const auto load = [&](const std::uint16_t* from)
                        HWY_ATTR { return hn::BitCast(d_code, hn::LoadU(d, from)); };
  auto good = hn::Eq(hn::Zero(d_code), hn::Zero(d_code));
  for (; at + lanes <= count; at += lanes) {
    const auto code = load(words + at);
    const auto within = hn::Eq(hn::Min(code, load(highs + at_in_row)), code);
    good = hn::And(good, hn::Or(within, hn::Eq(code, load(marks + at_in_row))));
    at_in_row += step;
    at_in_row -= at_in_row >= stride ? stride : 0;
  }
  all = hn::AllTrue(d_code, good);
#endif
  for (; at < count; ++at, at_in_row = at_in_row + 1 == stride ? 0 : at_in_row + 1) {
    for (std::size_t shift = 0; shift < 16; shift += 8 * sizeof(Code)) {
      const auto code = static_cast<Code>(words[at] >> shift);
      all = all && (code <= static_cast<Code>(highs[at_in_row] >> shift) ||
                    code == static_cast<Code>(marks[at_in_row] >> shift));
    }
  }
  return all;
}

bool WideCodesWithin(const std::uint16_t* words, std::size_t count, const std::uint16_t* highs,
                     const std::uint16_t* marks, std::size_t stride, std::size_t at_in_row) {
  return WordsWithin<std::uint16_t>(words, count, highs, marks, stride, at_in_row);
}

bool ByteCodesWithin(const std::uint16_t* words, std::size_t count, const std::uint16_t* highs,
                     const std::uint16_t* marks, std::size_t stride, std::size_t at_in_row) {
  return WordsWithin<std::uint8_t>(words, count, highs, marks, stride, at_in_row);
}

std::size_t LanesOfWords() { return hn::Lanes(hn::ScalableTag<std::uint16_t>()); }

}  // namespace HWY_NAMESPACE
}  // namespace widehash::detail
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace widehash::detail {

HWY_EXPORT(WideCodesWithin);
HWY_EXPORT(ByteCodesWithin);
HWY_EXPORT(LanesOfWords);

CodeCheck::CodeCheck(const CodeLayout& layout)
    : has_wide_(layout.wide_codes > 0), has_bytes_(layout.byte_codes > 0), stride_(layout.code_stride) {
  if (stride_ == 0) return;
  constexpr std::uint16_t anything = 0xFFFF;
  for (Limits* limits : {&as_words_, &as_bytes_}) {
    limits->highs.assign(stride_, anything);
    limits->marks.assign(stride_, anything);
  }
  const auto set_byte = [](std::uint16_t& word, std::uint32_t place, std::uint32_t value) {
    const std::uint32_t shift = 8 * (place % 2);
    word = static_cast<std::uint16_t>((word & ~(0xFFU << shift)) | value << shift);
  };
  for (const FeatureBlock& block : layout.blocks) {
    if (!block.has_codes()) continue;
    const std::uint32_t high = block.width - 1;
    const std::uint32_t mark = block.may_be_absent ? block.absent_mark() : high;
    for (std::uint32_t k = 0; k < block.num_slots; ++k) {
      const std::uint32_t slot = block.slot + k;
      if (block.slot_kind == SlotKind::codes) {
        as_words_.highs[slot] = static_cast<std::uint16_t>(high);
        as_words_.marks[slot] = static_cast<std::uint16_t>(mark);
      } else {
        set_byte(as_bytes_.highs[layout.wide_codes + slot / 2], slot, high);
        set_byte(as_bytes_.marks[layout.wide_codes + slot / 2], slot, mark);
      }
    }
  }
  const std::size_t repeated = stride_ + HWY_DYNAMIC_DISPATCH(LanesOfWords)();
  for (Limits* limits : {&as_words_, &as_bytes_}) {
    for (std::size_t i = stride_; i < repeated; ++i) {
      limits->highs.push_back(limits->highs[i - stride_]);
      limits->marks.push_back(limits->marks[i - stride_]);
    }
  }
}

void CodeCheck::add(std::span<const std::uint16_t> words) noexcept {
  if (words.empty() || stride_ == 0) return;
  if (has_wide_) {
    good_ = HWY_DYNAMIC_DISPATCH(WideCodesWithin)(words.data(), words.size(), as_words_.highs.data(),
                                                  as_words_.marks.data(), stride_, at_) &&
            good_;
  }
  if (has_bytes_) {
    good_ = HWY_DYNAMIC_DISPATCH(ByteCodesWithin)(words.data(), words.size(), as_bytes_.highs.data(),
                                                  as_bytes_.marks.data(), stride_, at_) &&
            good_;
  }
  at_ = (at_ + words.size()) % stride_;
}

}  // namespace widehash::detail

#endif  // HWY_ONCE
