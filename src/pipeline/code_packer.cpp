// Two features a step: their sixteen bytes go through one shuffle, and eight are stored of which four may be too many; the
// next step, or the next row, writes over those.

#include "code_packer.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "code_packer.cpp"
#include <hwy/foreach_target.h>

#include <widehash/code.hpp>

#include <algorithm>
#include <cstring>
#include <span>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace widehash::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

HWY_INLINE std::uint64_t next_bytes(const CodePacker::ByteStep& step, const std::uint16_t* codes) {
#if HWY_TARGET == HWY_SCALAR
  std::array<std::uint8_t, 16> from;
  std::memcpy(from.data(), codes + step.from, sizeof from);
  std::array<std::uint8_t, 8> picked;
  for (std::size_t i = 0; i < picked.size(); ++i) picked[i] = from[step.bytes[i]];
  std::uint64_t word = 0;
  std::memcpy(&word, picked.data(), sizeof word);
  return word;
#else
  const hn::FixedTag<std::uint8_t, 16> d;
  const hn::Repartition<std::uint64_t, decltype(d)> d_word;
  const auto from = hn::LoadU(d, reinterpret_cast<const std::uint8_t*>(codes + step.from));
  const auto picked = hn::TableLookupBytes(from, hn::LoadU(d, step.bytes.data()));
  return hn::GetLane(hn::BitCast(d_word, picked));
#endif
}

void PackRows(std::span<const CodePacker::WideStep> wide, std::span<const CodePacker::ByteStep> steps,
              const std::uint16_t* codes, std::size_t codes_per_row, std::size_t num_rows,
              std::uint16_t* rows, std::size_t wide_codes, std::size_t code_stride) {
  const CodePacker::ByteStep& last = steps.back();
  for (std::size_t row = 0; row < num_rows; ++row, codes += codes_per_row, rows += code_stride) {
    for (const auto& step : wide) {
      std::memcpy(rows + step.to, codes + step.from, num_splits * sizeof(std::uint16_t));
    }
    auto* const bytes = reinterpret_cast<std::uint8_t*>(rows + wide_codes);
    for (const auto& step : steps.first(steps.size() - 1)) {
      const std::uint64_t word = next_bytes(step, codes);
      std::memcpy(bytes + step.to, &word, sizeof word);
    }
    // Behind the last row is nothing of ours.
    const std::uint64_t word = next_bytes(last, codes);
    std::memcpy(bytes + last.to, &word, num_splits);
    if (last.count > num_splits) {
      const std::uint64_t rest = word >> 32;
      std::memcpy(bytes + last.to + num_splits, &rest, num_splits);
    }
  }
}

}  // namespace widehash::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace widehash {

HWY_EXPORT(PackRows);

CodePacker::CodePacker(const CodeLayout& layout)
    : wide_codes_(layout.wide_codes), code_stride_(layout.code_stride) {
  std::vector<const FeatureBlock*> blocks;
  for (const FeatureBlock& block : layout.blocks) {
    if (block.has_codes()) blocks.push_back(&block);
  }
  codes_per_row_ = blocks.size() * num_splits;
  if (layout.byte_codes == 0) return;
  for (std::uint32_t i = 0; i < blocks.size(); ++i) {
    if (blocks[i]->slot_kind == SlotKind::codes) wide_steps_.push_back({i * num_splits, blocks[i]->slot});
  }
  for (std::uint32_t i = 0; i < blocks.size(); i += 2) {
    ByteStep step;
    step.from = i * num_splits;
    for (std::uint32_t j = i; j < std::min<std::size_t>(i + 2, blocks.size()); ++j) {
      if (blocks[j]->slot_kind != SlotKind::byte_codes) continue;
      if (step.count == 0) step.to = blocks[j]->slot;
      // The low byte of each code.
      for (std::uint32_t k = 0; k < num_splits; ++k) {
        step.bytes[step.count++] = static_cast<std::uint8_t>(2 * (num_splits * (j - i) + k));
      }
    }
    if (step.count > 0) byte_steps_.push_back(step);
  }
}

void CodePacker::pack(const std::uint16_t* codes, std::size_t num_rows, std::uint16_t* rows) const noexcept {
  HWY_DYNAMIC_DISPATCH(PackRows)
  (wide_steps_, byte_steps_, codes, codes_per_row_, num_rows, rows, wide_codes_, code_stride_);
}

}  // namespace widehash
#endif
