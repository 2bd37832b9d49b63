// Compiled once per instruction set (Highway's foreach_target); the best one is chosen at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bucket_reducer.cpp"
#include <hwy/foreach_target.h>

#include <widehash/code.hpp>
#include <widehash/internal/bucket_reducer.hpp>

#include <algorithm>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace widehash::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::CappedTag<std::uint16_t, 32>;

/// The splits of `slot` and the following slots, most significant first. In memory, the least significant one
/// comes first.
HWY_INLINE hn::Vec<Tag> load_splits(Tag d, const std::uint16_t* splits, std::size_t slot) {
#if HWY_TARGET == HWY_SCALAR
  return hn::LoadU(d, splits + (slot ^ 3));
#else
  return hn::Reverse4(d, hn::LoadU(d, splits + slot));
#endif
}

void ReduceRows(const std::uint64_t* hashes, std::size_t hash_stride, std::size_t num_rows,
                const std::uint16_t* widths, const std::uint16_t* reciprocals, std::size_t num_slots,
                std::uint16_t* codes, std::size_t code_stride) {
  const Tag d;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t row = 0; row < num_rows; ++row, hashes += hash_stride, codes += code_stride) {
    const auto* splits = reinterpret_cast<const std::uint16_t*>(hashes);
    const auto reduced = [&](std::size_t slot) HWY_ATTR {
      const auto split = load_splits(d, splits, slot);
      const auto width = hn::LoadU(d, widths + slot);
      const auto quotient = hn::MulHigh(split, hn::LoadU(d, reciprocals + slot));
      const auto rest = hn::Sub(split, hn::Mul(quotient, width));
      return hn::Min(rest, hn::Sub(rest, width));
    };
    std::size_t slot = 0;
    for (; slot + lanes <= num_slots; slot += lanes) hn::StoreU(reduced(slot), d, codes + slot);
    // Memory after the row's last slot does not belong to this row.
    if (slot < num_slots) hn::BlendedStore(reduced(slot), hn::FirstN(d, num_slots - slot), d, codes + slot);
  }
}

}  // namespace widehash::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace widehash {

HWY_EXPORT(ReduceRows);

BucketReducer::BucketReducer(std::span<const std::uint32_t> widths) : num_features_(widths.size()) {
  constexpr std::size_t slots_per_vector = 32;
  const std::size_t slots = num_features_ * num_splits;
  const std::size_t padded = (slots + slots_per_vector - 1) / slots_per_vector * slots_per_vector;
  widths_.assign(padded, 1);
  reciprocals_.assign(padded, 0);
  for (std::size_t slot = 0; slot < slots; ++slot) {
    const std::uint32_t width = widths[slot / num_splits];
    widths_[slot] = static_cast<std::uint16_t>(width);
    // For width 1, the reciprocal is capped to fit 16 bits. It is then one too small, which makes the
    // quotient at most one too small.
    reciprocals_[slot] = static_cast<std::uint16_t>(std::min<std::uint32_t>(65536 / width, 65535));
  }
}

void BucketReducer::reduce(const std::uint64_t* hashes, std::size_t hash_stride, std::size_t num_rows,
                           std::uint16_t* codes, std::size_t code_stride) const noexcept {
  HWY_DYNAMIC_DISPATCH(ReduceRows)
  (hashes, hash_stride, num_rows, widths_.data(), reciprocals_.data(), num_features_ * num_splits, codes,
   code_stride);
}

}  // namespace widehash
#endif
