// Writes the places of set bits. Included once per instruction set by the sources that dispatch.
#if defined(WIDEHASH_SET_BITS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef WIDEHASH_SET_BITS_INL
#undef WIDEHASH_SET_BITS_INL
#else
#define WIDEHASH_SET_BITS_INL
#endif

#include <array>
#include <bit>
#include <cstdint>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace widehash::detail::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_AVX3_DL

/// Writes `place` + i for each set bit i, in ascending order, and returns where the next place is to be
/// written. What is stored from there on, up to 64 places from `out`, is unspecified. The places are
/// compressed as bytes and widened 16 at a time; the first 16 are always stored, so that the usual step takes
/// no branch.
HWY_INLINE std::uint32_t* write_places(std::uint64_t bits, std::uint32_t place, std::uint32_t* out) {
  const hn::FixedTag<std::uint8_t, 64> d;
  const hn::FixedTag<std::uint8_t, 16> d_part;
  const hn::FixedTag<std::uint32_t, 16> d_place;
  const auto count = static_cast<std::size_t>(std::popcount(bits));
  const auto mask = hn::LoadMaskBits(d, reinterpret_cast<const std::uint8_t*>(&bits));
  const auto offsets = hn::Compress(hn::Iota(d, 0), mask);
  const auto from = hn::Set(d_place, place);
  const auto first = hn::LowerHalf(d_part, hn::LowerHalf(hn::FixedTag<std::uint8_t, 32>(), offsets));
  hn::StoreU(hn::Add(hn::PromoteTo(d_place, first), from), d_place, out);
  if (HWY_UNLIKELY(count > 16)) {
    alignas(64) std::uint8_t more[64];
    hn::Store(offsets, d, more);
    for (std::size_t i = 16; i < count; i += 16) {
      hn::StoreU(hn::Add(hn::PromoteTo(d_place, hn::Load(d_part, more + i)), from), d_place, out + i);
    }
  }
  return out + count;
}

#elif HWY_TARGET == HWY_AVX2

/// For every byte, the indices of its set bits in ascending order, then zeros.
constexpr auto bits_of_bytes = [] {
  std::array<std::array<std::uint8_t, 8>, 256> table{};
  for (std::size_t byte = 0; byte < table.size(); ++byte) {
    std::size_t count = 0;
    for (std::uint8_t bit = 0; bit < 8; ++bit) {
      if ((byte >> bit & 1) != 0) table[byte][count++] = bit;
    }
  }
  return table;
}();

/// As above, one byte of the bits at a time: eight places come from a table, and the places of the next byte
/// overwrite the surplus ones. No branch depends on how many there are: 0.65 of the time of one bit after
/// another (Zen 3, rows of numbers and words).
HWY_INLINE std::uint32_t* write_places(std::uint64_t bits, std::uint32_t place, std::uint32_t* out) {
  const hn::FixedTag<std::uint8_t, 8> d_bit;
  const hn::FixedTag<std::uint32_t, 8> d_place;
  auto from = hn::Set(d_place, place);
  for (int shift = 0; shift < 64; shift += 8) {
    const auto byte = static_cast<std::uint8_t>(bits >> shift);
    const auto offsets = hn::PromoteTo(d_place, hn::Load(d_bit, bits_of_bytes[byte].data()));
    hn::StoreU(hn::Add(offsets, from), d_place, out);
    out += std::popcount(byte);
    from = hn::Add(from, hn::Set(d_place, 8));
  }
  return out;
}

#else

/// As above; always writes eight at a time, so that the usual counts take the same branches.
HWY_INLINE std::uint32_t* write_places(std::uint64_t bits, std::uint32_t place, std::uint32_t* out) {
  const auto count = static_cast<std::size_t>(std::popcount(bits));
  for (std::size_t written = 0; written < count; written += 8) {
    for (std::size_t i = 0; i < 8; ++i, bits &= bits - 1) {
      out[written + i] = place + static_cast<std::uint32_t>(std::countr_zero(bits));
    }
  }
  return out + count;
}

#endif

}  // namespace widehash::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
