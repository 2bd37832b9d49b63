#include <widehash/internal/aligned_vector.hpp>

#include <cstdint>
#include <memory>
#include <numeric>
#include <utility>

#include <gtest/gtest.h>

namespace widehash {
namespace {

template <class T>
std::uintptr_t address_of(const AlignedVector<T>& values) {
  return reinterpret_cast<std::uintptr_t>(values.data());
}

TEST(AlignedVector, BeginsAtACacheLineAndWhereLargeAtAHugePage) {
  for (const std::size_t size : {1u, 15u, 1000u, 524'287u}) {
    const AlignedVector<float> values(size, 1.5f);
    EXPECT_EQ(address_of(values) % 64, 0u) << size;
  }
  for (const std::size_t size : {524'288u, 3'000'000u}) {
    const AlignedVector<float> values(size, 1.5f);
    EXPECT_EQ(address_of(values) % (2u << 20), 0u) << size;
  }
}

TEST(AlignedVector, KeepsItsValuesAsItGrowsIsCopiedAndMoved) {
  AlignedVector<int> values;
  for (int i = 0; i < 600'000; ++i) values.push_back(i);  // grows past the size of a huge page
  AlignedVector<int> copy = values;
  const AlignedVector<int> moved = std::move(values);
  EXPECT_EQ(copy, moved);
  copy.assign(3, 7);
  copy.shrink_to_fit();
  EXPECT_EQ(copy, AlignedVector<int>({7, 7, 7}));
  EXPECT_EQ(std::accumulate(moved.begin(), moved.end(), std::int64_t{0}), 600'000LL * 599'999 / 2);
}

}  // namespace
}  // namespace widehash
