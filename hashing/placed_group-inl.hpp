// Groups of placed values (placed_rows.hpp) for the kernels of hash_values-inl.hpp, included once for every instruction
// set by the sources that dispatch.
#if defined(WIDEHASH_PLACED_GROUP_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef WIDEHASH_PLACED_GROUP_INL
#undef WIDEHASH_PLACED_GROUP_INL
#else
#define WIDEHASH_PLACED_GROUP_INL
#endif

#include "hash_values-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace widehash::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using PlaceTag = hn::Rebind<std::uint32_t, Tag>;

/// The values of `text` that end at `end`, each behind the separator at `before`.
HWY_INLINE Group group_at(Tag d, const char* text, hn::Vec<PlaceTag> before, hn::Vec<PlaceTag> end) {
  const PlaceTag d_place;
  const auto begin = hn::Add(before, hn::Set(d_place, 1));  // wraps round to 0 for the very first
  const Vec from = hn::Set(d, reinterpret_cast<std::uint64_t>(text));
  return {.address = hn::Add(from, hn::PromoteTo(d, begin)), .length = hn::PromoteTo(d, hn::Sub(end, begin))};
}

/// Hashes of values of which `word` is the first one: eight bytes of every placed value can be read, so none needs a look
/// at where it stands.
HWY_INLINE Vec hash_of_placed(Tag d, const Constants& c, const Group& group, Vec word, std::uint64_t seed) {
  if (are_words(d, c, group)) return hash_words(d, c, group.length, word);
  if (are_short(d, c, group)) return hash_short(d, c, group, word);
  return hash_one_by_one(d, group, seed);
}

}  // namespace widehash::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
