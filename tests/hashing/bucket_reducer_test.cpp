#include "vector_targets.hpp"

#include <widehash/code.hpp>
#include <widehash/internal/bucket_reducer.hpp>

#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace widehash {
namespace {

TEST(BucketReducer, EverySplitAndWidthGivesTheRemainder) {
  // One feature per pass: all 65,536 splits in all four positions, for widths at the edges and a sweep
  // between them.
  std::vector<std::uint32_t> widths;
  for (std::uint32_t width = 1; width <= 65536; width += width < 300 ? 1 : width / 37)
    widths.push_back(width);
  for (const std::uint32_t width : {32767u, 32768u, 32769u, 65535u, 65536u}) widths.push_back(width);
  std::vector<std::uint64_t> hashes;
  for (std::uint64_t split = 0; split < 65536; ++split) {
    hashes.push_back(split << 48 | ((split * 7) & 0xFFFF) << 32 | ((split ^ 0x5555) & 0xFFFF) << 16 |
                     (65535 - split));
  }
  for_each_vector_target([&] {
    for (const std::uint32_t width : widths) {
      const std::vector<std::uint32_t> same(8, width);
      const BucketReducer reducer(same);
      std::vector<std::uint16_t> codes(hashes.size() * num_splits);
      reducer.reduce(hashes.data(), 8, hashes.size() / 8, codes.data(), 8 * num_splits);
      for (std::size_t i = 0; i < hashes.size(); ++i) {
        const Buckets buckets = four_split(hashes[i], width);
        for (std::size_t k = 0; k < num_splits; ++k)
          ASSERT_EQ(codes[i * num_splits + k], buckets[k]) << width;
      }
    }
  });
}

TEST(SplitRemainder, EverySplitAndWidthGivesTheRemainder) {
  for (std::uint32_t width = 1; width <= 65536; width += width < 300 || width > 65500 ? 1 : 997) {
    const SplitRemainder remainder(width);
    for (std::uint32_t split = 0; split < 65536; ++split) ASSERT_EQ(remainder(split), split % width) << width;
  }
}

TEST(BucketRemainder, IsTheRemainderOfTheDivision) {
  std::mt19937_64 random(6);
  std::vector<std::uint32_t> divisors = {1,     2,     3,     7,        8,       255, 256,
                                         65535, 65536, 65537, 1u << 31, ~0u - 1, ~0u};
  for (int i = 0; i < 200; ++i)
    divisors.push_back(1 + static_cast<std::uint32_t>(random() >> (32 + random() % 31)));
  for (const std::uint32_t divisor : divisors) {
    const BucketRemainder remainder(divisor);
    const std::uint64_t last_multiple = ~std::uint64_t{0} / divisor * divisor;
    for (const std::uint64_t hash : {std::uint64_t{0}, std::uint64_t{divisor} - 1, std::uint64_t{divisor},
                                     last_multiple, last_multiple - 1, ~std::uint64_t{0}}) {
      ASSERT_EQ(remainder(hash), hash % divisor) << hash << " mod " << divisor;
    }
    for (int i = 0; i < 2000; ++i) {
      const std::uint64_t hash = random();
      ASSERT_EQ(remainder(hash), hash % divisor) << hash << " mod " << divisor;
    }
  }
}

TEST(BucketReducer, EachFeatureHasItsWidthAndNothingElseIsWritten) {
  std::mt19937_64 random(5);
  for (const std::size_t num_features : {1u, 2u, 7u, 8u, 9u, 26u, 39u}) {
    std::vector<std::uint32_t> widths;
    for (std::size_t i = 0; i < num_features; ++i)
      widths.push_back(8 + static_cast<std::uint32_t>(random() % 65529));
    const BucketReducer reducer(widths);
    const std::size_t hash_stride = (num_features + 7) / 8 * 8;
    const std::size_t code_stride = num_features * num_splits + 3;
    constexpr std::size_t num_rows = 5;
    std::vector<std::uint64_t> hashes(num_rows * hash_stride);
    for (auto& hash : hashes) hash = random();
    for_each_vector_target([&] {
      constexpr std::uint16_t untouched = 0xABCD;
      std::vector<std::uint16_t> codes(num_rows * code_stride, untouched);
      reducer.reduce(hashes.data(), hash_stride, num_rows, codes.data(), code_stride);
      for (std::size_t row = 0; row < num_rows; ++row) {
        for (std::size_t j = 0; j < num_features; ++j) {
          const Buckets buckets = four_split(hashes[row * hash_stride + j], widths[j]);
          for (std::size_t k = 0; k < num_splits; ++k) {
            ASSERT_EQ(codes[row * code_stride + j * num_splits + k], buckets[k]);
          }
        }
        for (std::size_t k = 0; k < 3; ++k) ASSERT_EQ(codes[(row + 1) * code_stride - 1 - k], untouched);
      }
    });
  }
}

}  // namespace
}  // namespace widehash
