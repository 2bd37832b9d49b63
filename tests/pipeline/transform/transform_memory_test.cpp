#include "transform/transform_memory.hpp"

#include <widehash/error.hpp>

#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

namespace widehash {
namespace {

TEST(TransformMemory, BlocksInFlightFitTheBudget) {
  for (const BlockMemory& block : {BlockMemory{1e6, 0}, BlockMemory{3e7, 1e6}, BlockMemory{1e6, 7.2e7}}) {
    for (const std::size_t threads : {1, 2, 64}) {
      for (const std::uint64_t memory : {std::uint64_t{80'000'000}, std::uint64_t{1} << 31}) {
        const TransformMemory parts = divide_transform_memory(memory, threads, 1 << 20, block);
        EXPECT_GE(parts.in_memory, 1);
        EXPECT_GE(parts.in_flight, parts.in_memory);
        EXPECT_LE(parts.in_flight, threads);
        EXPECT_LE(static_cast<double>(parts.in_memory) * block.text +
                      static_cast<double>(parts.in_flight) * block.rows,
                  static_cast<double>(memory));
      }
    }
  }
}

// This keeps all threads of a large host busy with plain files.
TEST(TransformMemory, TextThatStaysOnDiskTakesNone) {
  const TransformMemory parts = divide_transform_memory(200'000'000, 64, 1 << 25, {3.2e7, 1e6});
  EXPECT_EQ(parts.in_memory, 6u);
  EXPECT_EQ(parts.in_flight, 8u);
  EXPECT_EQ(divide_transform_memory(200'000'000, 64, 1 << 25, {3.2e7, 0}).in_flight, 64u);
}

TEST(TransformMemory, ABlockThatDoesNotFitIsRefusedWithItsNeed) {
  try {
    divide_transform_memory(1000, 2, 600, {600, 401});
    ADD_FAILURE() << "nothing was thrown";
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what()).find("a block of 600 bytes needs about 1001 bytes"),
              std::string::npos)
        << error.what();
  }
  EXPECT_EQ(divide_transform_memory(1001, 2, 600, {600, 401}).in_flight, 1);
}

TEST(TransformMemory, TheLargestLimitIsDivided) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(divide_transform_memory(most, 2, 1 << 20, {1 << 20, 1 << 20}).in_memory, 2u);
  EXPECT_EQ(divide_transform_memory(most, 2, 600, {1e-3, 0}).in_flight, 2u);
  EXPECT_EQ(divide_transform_memory(most, 2, 600, {0x1p64, 0}).in_memory, 1u);
}

}  // namespace
}  // namespace widehash
