#include <widehash/code.hpp>

#include <algorithm>
#include <cmath>

#include <xxhash.h>

namespace widehash {

std::uint32_t split_width(std::uint64_t cardinality) noexcept {
  // The floating-point square root is within one of the answer. Integer arithmetic corrects it, so the result
  // is the same on every platform.
  auto root = static_cast<std::uint64_t>(std::sqrt(static_cast<double>(cardinality)));
  while (root * root < cardinality) ++root;
  while (root > 0 && (root - 1) * (root - 1) >= cardinality) --root;
  return std::max(min_split_width, static_cast<std::uint32_t>(root));
}

std::uint64_t hash_xxh64(std::string_view value, std::uint64_t seed) noexcept {
  return XXH64(value.data(), value.size(), seed);
}

Hash128 hash_xxh3_128(std::string_view value, std::uint64_t seed) noexcept {
  const XXH128_hash_t hash = XXH3_128bits_withSeed(value.data(), value.size(), seed);
  return {hash.high64, hash.low64};
}

}  // namespace widehash
