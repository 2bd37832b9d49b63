// Groups of placed values (placed_rows.hpp) for the kernels of hash_values-inl.hpp. The dispatching sources
// include this file once per instruction set.
#if defined(WIDEHASH_PLACED_GROUP_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef WIDEHASH_PLACED_GROUP_INL
#undef WIDEHASH_PLACED_GROUP_INL
#else
#define WIDEHASH_PLACED_GROUP_INL
#endif

#include <widehash/internal/missing_words.hpp>

#include <span>

#include "hash_values-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace widehash::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using PlaceTag = hn::Rebind<std::uint32_t, Tag>;

/// Values of `text`, each starting after the byte at `before`. Addresses are computed when requested. Keeping
/// them for all groups of a step costs AVX2, which has sixteen registers, a twentieth of the time.
class PlacedGroup {
 public:
  PlacedGroup() = default;
  /// The values end before the bytes at `ends`.
  HWY_INLINE PlacedGroup(Tag d, const char* text, const std::uint32_t* before, const std::uint32_t* ends)
      : length(hn::PromoteTo(d, hn::Sub(hn::LoadU(PlaceTag(), ends), begin_of(before)))),
        text_(text),
        before_(before) {}

  HWY_INLINE Vec address(Tag d) const {
    const Vec from = hn::Set(d, reinterpret_cast<std::uint64_t>(text_));
    return hn::Add(from, hn::PromoteTo(d, begin_of(before_)));
  }

  Vec length;

 private:
  HWY_INLINE static hn::Vec<PlaceTag> begin_of(const std::uint32_t* before) {
    const PlaceTag d_place;
    return hn::Add(hn::LoadU(d_place, before), hn::Set(d_place, 1));  // wraps around to 0 for the very first
  }

  const char* text_ = nullptr;
  const std::uint32_t* before_ = nullptr;
};

/// Returns the first eight bytes of the value of `text` that starts after the byte at `before`.
HWY_INLINE std::uint64_t first_word(const char* text, std::uint32_t before) {
  const std::uint32_t begin = before + 1;  // wraps around to 0 for the very first
  std::uint64_t word = 0;
  std::memcpy(&word, text + begin, word_bytes);
  return word;
}

/// Returns the lanes in `begin_so` whose values at `address`, of more than eight bytes, equal the text to
/// their end. Rarely called: most values that begin like the text and have its length equal the text.
inline HWY_NOINLINE Mask are_all_of(Tag d, Vec address, Mask begin_so, const MissingWord& text) {
  alignas(64) Words at, equal;
  hn::Store(address, d, at.data());
  hn::Store(hn::VecFromMask(d, begin_so), d, equal.data());
  for (std::size_t i = 0; i < hn::Lanes(d); ++i) {
    if (equal[i] == 0) continue;
    const char* const rest = reinterpret_cast<const char*>(at[i]) + word_bytes;
    if (std::memcmp(rest, text.rest, text.length - word_bytes) != 0) equal[i] = 0;
  }
  return hn::MaskFromVec(hn::Load(d, equal.data()));
}

/// The texts that mean "missing". Each kind has its own code, because checks for texts that do not occur cost
/// registers: with the checks for long texts, encoding takes 1.03 times as long for everything else.
enum class MissingTexts { none, short_ones, of_any_length };

inline MissingTexts kind_of(std::span<const MissingWord> missing) {
  if (missing.empty()) return MissingTexts::none;
  for (const MissingWord& text : missing) {
    if (text.length > word_bytes) return MissingTexts::of_any_length;
  }
  return MissingTexts::short_ones;
}

/// Makes missing values empty. `words` are the first words of the values.
template <std::size_t n, MissingTexts texts>
HWY_INLINE void blank_missing(Tag d, std::span<const MissingWord> missing, const Vecs<n>& words,
                              Groups<PlacedGroup, n>& groups) {
  if constexpr (texts == MissingTexts::none) return;
  for (const MissingWord& text : missing) {
    const Vec word = hn::Set(d, text.word);
    const Vec mask = hn::Set(d, text.mask);
    const Vec length = hn::Set(d, text.length);
    for (std::size_t i = 0; i < n; ++i) {
      Mask is_missing = hn::And(hn::Eq(hn::And(words[i], mask), word), hn::Eq(groups[i].length, length));
      if constexpr (texts == MissingTexts::of_any_length) {
        if (HWY_UNLIKELY(text.length > word_bytes) && !hn::AllFalse(d, is_missing)) {
          is_missing = are_all_of(d, groups[i].address(d), is_missing, text);
        }
      }
      groups[i].length = hn::IfThenZeroElse(is_missing, groups[i].length);
    }
  }
}

/// Hashes placed values, whose first words are `words`. Eight bytes of each value can be read, so none needs
/// a check of its position.
template <std::size_t n>
HWY_INLINE Vecs<n> hash_placed(Tag d, const Constants& c, const Groups<PlacedGroup, n>& groups,
                               const Vecs<n>& words, std::uint64_t seed) {
  if (are_words(d, c, groups)) return hash_words(c, groups, words);
  if (are_short(d, c, groups)) return hash_short(d, c, groups, words);
  Vecs<n> hash;
  // A long value slows down only its own group.
  for (std::size_t i = 0; i < n; ++i) {
    if constexpr (n == 1) {
      hash[i] = hash_one_by_one(d, groups[i].address(d), groups[i].length, seed);
    } else {
      hash[i] = hash_placed<1>(d, c, {groups[i]}, {words[i]}, seed)[0];
    }
  }
  return hash;
}

}  // namespace widehash::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
