// The kernels of hash_values.hpp. The dispatching sources include this file once per instruction set.
#if defined(WIDEHASH_HASH_VALUES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef WIDEHASH_HASH_VALUES_INL
#undef WIDEHASH_HASH_VALUES_INL
#else
#define WIDEHASH_HASH_VALUES_INL
#endif

#include <widehash/code.hpp>
#include <widehash/hash_values.hpp>
#include <widehash/xxh64.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace widehash::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::CappedTag<std::uint64_t, hash_group>;
using Vec = hn::Vec<Tag>;
using Mask = hn::Mask<Tag>;
using Words = std::array<std::uint64_t, hash_group>;

/// Values of at least this many bytes take XXH64's striped form.
constexpr std::uint64_t long_bytes = 32;
constexpr std::uint64_t word_bytes = 8;

// Addresses are stored in vector lanes here.
// NOLINTNEXTLINE(performance-no-int-to-ptr)
HWY_INLINE const char* text_at(std::uint64_t address) { return reinterpret_cast<const char*>(address); }

/// A number to multiply vectors by, and the same number with its halves swapped.
struct Factor {
  Vec value, swapped;

  HWY_INLINE Factor(Tag d, std::uint64_t factor)
      : value(hn::Set(d, factor)), swapped(hn::Set(d, factor << 32 | factor >> 32)) {}
};

/// The constants as vectors, made once and kept in registers for all rows. Making them at each use took a
/// third of the time.
struct Constants {
  Factor prime_1, prime_2, prime_3;
  Vec prime_4, prime_5, start, low_half, low_byte, three, seven, word, long_value;

  HWY_INLINE Constants(Tag d, std::uint64_t seed)
      : prime_1(d, detail::xxh64_prime_1),
        prime_2(d, detail::xxh64_prime_2),
        prime_3(d, detail::xxh64_prime_3),
        prime_4(hn::Set(d, detail::xxh64_prime_4)),
        prime_5(hn::Set(d, detail::xxh64_prime_5)),
        start(hn::Set(d, seed + detail::xxh64_prime_5)),
        low_half(hn::Set(d, 0xFFFFFFFF)),
        low_byte(hn::Set(d, 0xFF)),
        three(hn::Set(d, 3)),
        seven(hn::Set(d, 7)),
        word(hn::Set(d, word_bytes)),
        long_value(hn::Set(d, long_bytes - 1)) {}
};

/// The values of a group, as addresses and lengths. The hashing functions accept any type with these two
/// members. Most values are short, and addresses are needed only after the first word.
struct Group {
  Vec at;
  Vec length;

  HWY_INLINE Vec address(Tag) const { return at; }
};

HWY_INLINE std::uint64_t load_word(std::uint64_t address) {
  std::uint64_t word = 0;
  std::memcpy(&word, text_at(address), word_bytes);
  return word;
}

/// Loads the words at the addresses one by one. Gathers are microcoded on some processors, and slow on those
/// with a mitigation that discards what a gather has read (Intel's before Sapphire Rapids). Without gathers,
/// encoding is a tenth faster on a Zen 3 core, and hashing of views 1.3 times as fast on an Ice Lake core.
HWY_INLINE Vec gather_words(Tag d, Vec address) {
#if HWY_TARGET == HWY_AVX2
  (void)d;
  const auto word = [&](std::size_t lane) HWY_ATTR {
    return static_cast<long long>(load_word(hn::ExtractLane(address, lane)));
  };
  return Vec{_mm256_setr_epi64x(word(0), word(1), word(2), word(3))};
#else
  alignas(64) Words words;
  hn::Store(address, d, words.data());
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
  const auto word = [&](std::size_t lane) HWY_ATTR { return static_cast<long long>(load_word(words[lane])); };
  return Vec{_mm512_setr_epi64(word(0), word(1), word(2), word(3), word(4), word(5), word(6), word(7))};
#else
  for (std::size_t lane = 0; lane < hn::Lanes(d); ++lane) words[lane] = load_word(words[lane]);
  return hn::Load(d, words.data());
#endif
#endif
}

/// Loads the words at the addresses selected by `wanted`; the other lanes are unspecified.
HWY_INLINE Vec gather_words(Tag d, Mask wanted, Vec address) {
  static constexpr std::uint64_t nothing = 0;
  return gather_words(d,
                      hn::IfThenElse(wanted, address, hn::Set(d, reinterpret_cast<std::uint64_t>(&nothing))));
}

/// v * factor. Without a 64-bit multiply instruction, six instructions do it: the product of the low halves
/// and, in one vector, both products of a low and a high half. On a Zen 3 core, these two take as long as
/// one.
HWY_INLINE Vec multiply(Vec v, const Factor& factor) {
#if HWY_TARGET == HWY_AVX2
  const Tag d;
  const hn::Repartition<std::uint32_t, Tag> d_half;
  const auto halves = hn::BitCast(d_half, v);
  const Vec crossed = hn::BitCast(d, hn::Mul(halves, hn::BitCast(d_half, factor.swapped)));
  const Vec high = hn::ShiftLeft<32>(hn::Add(crossed, hn::ShiftRight<32>(crossed)));
  return hn::Add(hn::MulEven(halves, hn::BitCast(d_half, factor.value)), high);
#else
  return hn::Mul(v, factor.value);
#endif
}

/// a * b for a < 2^32. Without AVX-512 this takes five instructions instead of eight.
HWY_INLINE Vec multiply_low(Vec a, Vec b) {
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_SSE4 || HWY_TARGET == HWY_SSSE3
  const hn::Repartition<std::uint32_t, Tag> d_half;
  const auto half = hn::BitCast(d_half, a);
  const Vec high = hn::MulEven(half, hn::BitCast(d_half, hn::ShiftRight<32>(b)));
  return hn::Add(hn::MulEven(half, hn::BitCast(d_half, b)), hn::ShiftLeft<32>(high));
#else
  return hn::Mul(a, b);
#endif
}

template <int bits>
HWY_INLINE Vec rotate_left(Vec v) {
  return hn::RotateRight<64 - bits>(v);
}

/// XXH64's step for a whole word.
HWY_INLINE Vec add_word(const Constants& c, Vec hash, Vec word) {
  const Vec mixed = multiply(rotate_left<31>(multiply(word, c.prime_2)), c.prime_1);
  const Vec joined = rotate_left<27>(hn::Xor(hash, mixed));
  return hn::Add(multiply(joined, c.prime_1), c.prime_4);
}

/// Adds what values of 9 to 31 bytes have after their first words. Sets `word` to their last, incomplete
/// words.
template <class G>
HWY_INLINE Vec add_middle(Tag d, const Constants& c, Vec hash, const G& group, Vec& word) {
  const Vec address = group.address(d);
  for (std::uint64_t offset = word_bytes; offset + word_bytes < long_bytes; offset += word_bytes) {
    const Mask has_word = hn::Gt(group.length, hn::Set(d, offset + word_bytes - 1));
    if (hn::AllFalse(d, has_word)) break;
    const Vec next = gather_words(d, has_word, hn::Add(address, hn::Set(d, offset)));
    hash = hn::IfThenElse(has_word, add_word(c, hash, next), hash);
  }
  // The last eight bytes end where the value ends, so nothing past it is read.
  const Mask has_last = hn::Gt(group.length, c.word);
  const Vec last = gather_words(d, has_last, hn::Add(address, hn::Sub(group.length, c.word)));
  const Vec rest = hn::And(group.length, c.seven);
  const Vec shift = hn::ShiftLeft<3>(hn::And(hn::Sub(c.word, rest), c.seven));
  word = hn::IfThenElse(has_last, hn::Shr(last, shift), word);
  return hash;
}

// `n` groups are hashed side by side. Each step of a hash waits for the previous one, which takes 15 cycles
// for a 64-bit multiplication, and the instructions of a single group do not fill them.
template <std::size_t n>
using Vecs = std::array<Vec, n>;
template <class G, std::size_t n>
using Groups = std::array<G, n>;

/// The number of groups hashed side by side. Eight leave no registers free; with two the processor waits.
constexpr std::size_t groups_at_once = 4;

template <std::size_t n>
HWY_INLINE void mix_last(const Constants& c, Vecs<n>& hash) {
  for (Vec& h : hash) h = multiply(hn::Xor(h, hn::ShiftRight<33>(h)), c.prime_2);
  for (Vec& h : hash) h = multiply(hn::Xor(h, hn::ShiftRight<29>(h)), c.prime_3);
  for (Vec& h : hash) h = hn::Xor(h, hn::ShiftRight<32>(h));
}

/// Adds a whole word to the hashes of all values that have one.
template <class G, std::size_t n>
HWY_INLINE void add_words(const Constants& c, const Groups<G, n>& groups, Vecs<n> word, Vecs<n>& hash) {
  for (Vec& w : word) w = rotate_left<31>(multiply(w, c.prime_2));
  for (Vec& w : word) w = multiply(w, c.prime_1);
  for (std::size_t i = 0; i < n; ++i) word[i] = rotate_left<27>(hn::Xor(hash[i], word[i]));
  for (Vec& w : word) w = hn::Add(multiply(w, c.prime_1), c.prime_4);
  for (std::size_t i = 0; i < n; ++i) {
    hash[i] = hn::IfThenElse(hn::Gt(groups[i].length, c.seven), word[i], hash[i]);
  }
}

/// Hashes values that all have exactly one word or are empty.
template <class G, std::size_t n>
HWY_INLINE Vecs<n> hash_words(const Constants& c, const Groups<G, n>& groups, const Vecs<n>& word) {
  Vecs<n> hash;
  for (std::size_t i = 0; i < n; ++i) hash[i] = hn::Add(groups[i].length, c.start);
  add_words(c, groups, word, hash);
  mix_last<n>(c, hash);
  return hash;
}

/// Hashes values shorter than 32 bytes, whose first words are `word`.
template <class G, std::size_t n>
HWY_INLINE Vecs<n> hash_short(Tag d, const Constants& c, const Groups<G, n>& groups, Vecs<n> word) {
  Vecs<n> hash;
  Vec bits = hn::Zero(d);  // set in any of the lengths
  for (std::size_t i = 0; i < n; ++i) {
    hash[i] = hn::Add(groups[i].length, c.start);
    bits = hn::Or(bits, groups[i].length);
  }
  if (!hn::AllFalse(d, hn::Gt(bits, c.seven))) {
    add_words(c, groups, word, hash);
    for (std::size_t i = 0; i < n; ++i) {
      if (!hn::AllFalse(d, hn::Gt(groups[i].length, c.word))) {
        hash[i] = add_middle(d, c, hash[i], groups[i], word[i]);
      }
    }
  }
  bits = hn::And(bits, c.seven);
  if (!hn::AllFalse(d, hn::Gt(bits, c.three))) {
    for (std::size_t i = 0; i < n; ++i) {
      const Mask has_half = hn::Gt(hn::And(groups[i].length, c.seven), c.three);
      const Vec half = hn::Xor(hash[i], multiply_low(hn::And(word[i], c.low_half), c.prime_1.value));
      const Vec added = hn::Add(multiply(rotate_left<23>(half), c.prime_2), c.prime_3.value);
      hash[i] = hn::IfThenElse(has_half, added, hash[i]);
      word[i] = hn::IfThenElse(has_half, hn::ShiftRight<32>(word[i]), word[i]);
    }
  }
  // Always processes all three bytes. A branch on the last byte that any of eight values has would be
  // mispredicted too often.
  for (std::uint64_t k = 0; k < 3; ++k) {
    for (std::size_t i = 0; i < n; ++i) {
      const Mask has_byte = hn::Gt(hn::And(groups[i].length, c.three), hn::Set(d, k));
      const Vec byte = hn::Xor(hash[i], multiply_low(hn::And(word[i], c.low_byte), c.prime_5));
      hash[i] = hn::IfThenElse(has_byte, multiply(rotate_left<11>(byte), c.prime_1), hash[i]);
      word[i] = hn::ShiftRight<8>(word[i]);
    }
  }
  mix_last<n>(c, hash);
  return hash;
}

/// Hashes values of any length one by one, which is the faster way from 32 bytes on.
inline HWY_NOINLINE Vec hash_one_by_one(Tag d, Vec address, Vec length, std::uint64_t seed) {
  alignas(64) Words addresses, lengths;
  hn::Store(address, d, addresses.data());
  hn::Store(length, d, lengths.data());
  for (std::size_t lane = 0; lane < hn::Lanes(d); ++lane) {
    addresses[lane] = widehash::hash_xxh64({text_at(addresses[lane]), lengths[lane]}, seed);
  }
  return hn::Load(d, addresses.data());
}

/// These two predicates choose how groups are hashed.
template <class G, std::size_t n>
HWY_INLINE bool are_words(Tag d, const Constants& c, const Groups<G, n>& groups) {
  Vec bits = groups[0].length;
  for (std::size_t i = 1; i < n; ++i) bits = hn::Or(bits, groups[i].length);
  return hn::AllTrue(d, hn::Eq(hn::AndNot(c.word, bits), hn::Zero(d)));
}
template <class G, std::size_t n>
HWY_INLINE bool are_short(Tag d, const Constants& c, const Groups<G, n>& groups) {
  Vec bits = groups[0].length;
  for (std::size_t i = 1; i < n; ++i) bits = hn::Or(bits, groups[i].length);
  return hn::AllFalse(d, hn::Gt(bits, c.long_value));
}

}  // namespace widehash::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
