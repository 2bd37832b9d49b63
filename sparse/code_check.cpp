#include "code_check.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "code_check.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace widehash::detail {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

bool CodesWithin(const std::uint16_t* codes, std::size_t count, const std::uint16_t* highs,
                 const std::uint16_t* marks, std::size_t stride, std::size_t slot) {
  const hn::ScalableTag<std::uint16_t> d;
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t step = lanes % stride;
  auto good = hn::Eq(hn::Zero(d), hn::Zero(d));
  std::size_t at = 0;
  for (; at + lanes <= count; at += lanes) {
    const auto code = hn::LoadU(d, codes + at);
    const auto high = hn::LoadU(d, highs + slot);
    const auto within = hn::Eq(hn::Min(code, high), code);
    good = hn::And(good, hn::Or(within, hn::Eq(code, hn::LoadU(d, marks + slot))));
    slot += step;
    slot -= slot >= stride ? stride : 0;
  }
  bool all = hn::AllTrue(d, good);
  for (; at < count; ++at, slot = slot + 1 == stride ? 0 : slot + 1) {
    all = all && (codes[at] <= highs[slot] || codes[at] == marks[slot]);
  }
  return all;
}

std::size_t LanesOfCodes() { return hn::Lanes(hn::ScalableTag<std::uint16_t>()); }

}  // namespace HWY_NAMESPACE
}  // namespace widehash::detail
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace widehash::detail {

HWY_EXPORT(CodesWithin);
HWY_EXPORT(LanesOfCodes);

CodeCheck::CodeCheck(const CodeLayout& layout) : stride_(layout.code_stride) {
  if (stride_ == 0) return;
  highs_.resize(stride_);
  marks_.resize(stride_);
  for (const FeatureBlock& block : layout.blocks) {
    if (block.slot_kind != SlotKind::codes) continue;
    for (std::uint32_t k = 0; k < block.num_slots; ++k) {
      highs_[block.slot + k] = static_cast<std::uint16_t>(block.width - 1);
      marks_[block.slot + k] = block.may_be_absent ? absent_code : highs_[block.slot + k];
    }
  }
  const std::size_t repeated = stride_ + HWY_DYNAMIC_DISPATCH(LanesOfCodes)();
  for (std::size_t i = stride_; i < repeated; ++i) {
    highs_.push_back(highs_[i - stride_]);
    marks_.push_back(marks_[i - stride_]);
  }
}

void CodeCheck::add(std::span<const std::uint16_t> codes) noexcept {
  if (codes.empty() || stride_ == 0) return;
  const bool good = HWY_DYNAMIC_DISPATCH(CodesWithin)(codes.data(), codes.size(), highs_.data(),
                                                      marks_.data(), stride_, slot_);
  good_ = good_ && good;
  slot_ = (slot_ + codes.size()) % stride_;
}

}  // namespace widehash::detail

#endif  // HWY_ONCE
