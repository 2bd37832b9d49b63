// Compiled once per instruction set (Highway's foreach_target); the best one is chosen at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "slot_line.cpp"
#include <hwy/foreach_target.h>

#include "slot_line.hpp"

#include <bit>
#include <cstring>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace widehash::detail::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// How many values ahead lines are prefetched: about the latency of memory divided by the time per value.
constexpr std::ptrdiff_t fetch_ahead = 20;
/// The smallest map, in lines, that is prefetched from: smaller maps stay in a cache that is close enough.
constexpr std::size_t least_fetched = std::size_t{1} << 12;

// In the bit masks below, bit i stands for slot i.
#if HWY_TARGET == HWY_SCALAR
HWY_INLINE std::size_t equal(const SlotLine::Words& words, std::uint64_t word) {
  return static_cast<std::size_t>(words[0] == word) | static_cast<std::size_t>(words[1] == word) << 1;
}
HWY_INLINE std::size_t found_inline(const SlotLine& line, const HashedValue& value) {
  return equal(line.tag, value.tag) & equal(line.rest, value.rest);
}
#else
using Tag = hn::FixedTag<std::uint64_t, slots_per_line>;
using Mask = hn::Mask<Tag>;

HWY_INLINE Mask equal_words(const SlotLine::Words& words, std::uint64_t word) {
  const Tag d;
  return hn::Eq(hn::Load(d, words.data()), hn::Set(d, word));
}
HWY_INLINE std::size_t bits_of(Mask mask) {
  std::array<std::uint8_t, 8> bits{};  // only one is written
  hn::StoreMaskBits(Tag(), mask, bits.data());
  return bits[0];
}
HWY_INLINE std::size_t equal(const SlotLine::Words& words, std::uint64_t word) {
  return bits_of(equal_words(words, word));
}
HWY_INLINE std::size_t found_inline(const SlotLine& line, const HashedValue& value) {
  return bits_of(hn::And(equal_words(line.tag, value.tag), equal_words(line.rest, value.rest)));
}
#endif

HWY_INLINE bool is_text_of(const SlotLine& line, std::size_t slot, const HashedValue& value) {
  return std::memcmp(std::bit_cast<const char*>(line.rest[slot]), std::bit_cast<const char*>(value.rest),
                     value.length()) == 0;
}

HWY_INLINE std::size_t found_long(const SlotLine& line, const HashedValue& value) {
  const std::size_t like = equal(line.tag, value.tag) & equal(line.hash, value.hash);
  // Almost always at most one slot matches. Selecting it must not be a branch here either.
  if (like == 0 || is_text_of(line, like >> 1, value)) return like;
  return like == 3 && is_text_of(line, 0, value) ? 1 : 0;
}

HWY_INLINE std::size_t found(const SlotLine& line, const HashedValue& value) {
  return value.is_inline() ? found_inline(line, value) : found_long(line, value);
}

/// The count of a value that is not in `line`, its home; null if the value is not found at all.
HWY_INLINE std::uint64_t* search_on(const SlotLines& map, std::size_t longest_search, SlotLine* line,
                                    const HashedValue& value) {
  for (std::size_t searched = 1; searched < longest_search && equal(line->tag, 0) == 0; ++searched) {
    line = map.next(line);
    const std::size_t slot = found(*line, value);
    if (slot != 0) return &line->count[slot >> 1];
  }
  return nullptr;
}

template <bool fetches>
HWY_INLINE const HashedValue* count_each(const SlotLines map, std::size_t longest_search,
                                         const HashedValue* value, const HashedValue* end) {
  for (; value < end; ++value) {
    if constexpr (fetches) {
      const SlotLine* const ahead = map.home(value[fetch_ahead].hash);
      __builtin_prefetch(ahead, 1);
      // Up to one lookup in twenty continues past the home of its value (maps 0.3 to 0.7 full), most of them
      // to the next line.
      __builtin_prefetch(ahead + 1, 1);
    }
    SlotLine* const home = map.home(value->hash);
    // Which of the two slots holds the value is effectively random, so the address of the count is computed:
    // a branch would be mispredicted every other time.
    const std::size_t slot = found(*home, *value);
    std::uint64_t* count = &home->count[slot >> 1];
    if (slot == 0) {
      count = search_on(map, longest_search, home, *value);
      if (count == nullptr) return value;
    }
    ++*count;
  }
  return value;
}

const HashedValue* CountFound(const SlotLines& map, std::size_t longest_search, const HashedValue* value,
                              const HashedValue* end) {
  if (map.num_lines >= least_fetched && end - value > fetch_ahead) {
    const HashedValue* const last_fetch = end - fetch_ahead;
    value = count_each<true>(map, longest_search, value, last_fetch);
    if (value != last_fetch) return value;
  }
  return count_each<false>(map, longest_search, value, end);
}

}  // namespace widehash::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace widehash::detail {

HWY_EXPORT(CountFound);

const HashedValue* count_found(const SlotLines& map, std::size_t longest_search, const HashedValue* value,
                               const HashedValue* end) noexcept {
  return HWY_DYNAMIC_DISPATCH(CountFound)(map, longest_search, value, end);
}

}  // namespace widehash::detail
#endif
