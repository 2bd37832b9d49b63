// Groups of placed values (placed_rows.hpp) for the kernels of hash_values-inl.hpp, included once for every
// instruction set by the sources that dispatch.
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

/// The first eight bytes of the value of `text` that ends at `*end`, behind the separator at the place
/// before.
HWY_INLINE std::uint64_t first_word(const char* text, const std::uint32_t* end) {
  const std::uint32_t begin = end[-1] + 1;  // wraps round to 0 for the very first
  std::uint64_t word = 0;
  std::memcpy(&word, text + begin, word_bytes);
  return word;
}

/// Hashes of placed values, of which `words` are the first ones: eight bytes of each can be read, so none
/// needs a look at where it stands.
template <std::size_t n>
HWY_INLINE Vecs<n> hash_placed(Tag d, const Constants& c, const Groups<n>& groups, const Vecs<n>& words,
                               std::uint64_t seed) {
  if (are_words<n>(d, c, groups)) return hash_words<n>(c, groups, words);
  if (are_short<n>(d, c, groups)) return hash_short<n>(d, c, groups, words);
  Vecs<n> hash;
  // One long value keeps only its own group from being hashed fast.
  for (std::size_t i = 0; i < n; ++i) {
    if constexpr (n == 1) {
      hash[i] = hash_one_by_one(d, groups[i].address, groups[i].length, seed);
    } else {
      hash[i] = hash_placed<1>(d, c, {groups[i]}, {words[i]}, seed)[0];
    }
  }
  return hash;
}

}  // namespace widehash::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
