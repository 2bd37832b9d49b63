// The kernel of byte_classes.hpp, included once per instruction set by the sources that dispatch.
#if defined(WIDEHASH_BYTE_CLASSES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef WIDEHASH_BYTE_CLASSES_INL
#undef WIDEHASH_BYTE_CLASSES_INL
#else
#define WIDEHASH_BYTE_CLASSES_INL
#endif

#include "byte_classes.hpp"

#include <array>
#include <cstring>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace widehash::detail::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using ByteTag = hn::CappedTag<std::uint8_t, class_bytes>;

template <class Mask>
HWY_INLINE std::uint64_t bits_of(ByteTag d, Mask mask) {
  // Storing mask bits may write at least eight bytes.
  std::array<std::uint8_t, 8> bytes{};
  hn::StoreMaskBits(d, mask, bytes.data());
  std::uint64_t bits = 0;
  std::memcpy(&bits, bytes.data(), sizeof bits);
  const std::size_t lanes = hn::Lanes(d);
  return lanes == 64 ? bits : bits & ((std::uint64_t{1} << (lanes % 64)) - 1);
}

/// Bit i of the result says whether at[i] is `byte`.
HWY_INLINE std::uint64_t bits_equal_to(const char* at, char byte) {
  const ByteTag d;
  const auto wanted = hn::Set(d, static_cast<std::uint8_t>(byte));
  std::uint64_t bits = 0;
  for (std::size_t offset = 0; offset < class_bytes; offset += hn::Lanes(d)) {
    const auto bytes = hn::LoadU(d, reinterpret_cast<const std::uint8_t*>(at) + offset);
    bits |= bits_of(d, hn::Eq(bytes, wanted)) << offset;
  }
  return bits;
}

template <bool quoted>
HWY_INLINE ByteClasses classify(const char* at, char delimiter, char quote) {
  ByteClasses classes;
  classes.delimiters = bits_equal_to(at, delimiter);
  classes.line_ends = bits_equal_to(at, '\n');
  if constexpr (quoted) classes.quotes = bits_equal_to(at, quote);
  return classes;
}

}  // namespace widehash::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
