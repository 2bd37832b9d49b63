#include "transform_memory.hpp"

#include <widehash/error.hpp>

#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

namespace widehash {
namespace {

TEST(TransformMemory, BlocksInFlightAndWhatIsReadAheadFitTheBudget) {
  for (const double block_memory : {1e6, 7.3e7}) {
    for (const std::size_t threads : {1, 2, 64}) {
      for (const std::uint64_t memory : {std::uint64_t{80'000'000}, std::uint64_t{1} << 31}) {
        const TransformMemory parts = divide_transform_memory(memory, threads, 1 << 20, block_memory);
        EXPECT_GE(parts.blocks_in_flight, 1);
        EXPECT_LE(parts.blocks_in_flight, threads + 2);
        EXPECT_LE(static_cast<double>(parts.blocks_in_flight) * block_memory +
                      static_cast<double>(parts.ahead_bytes),
                  static_cast<double>(memory));
      }
    }
  }
}

TEST(TransformMemory, ABlockThatDoesNotFitIsRefusedWithItsNeed) {
  try {
    divide_transform_memory(1000, 2, 600, 1001);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what()).find("a block of 600 bytes needs about 1001 bytes"),
              std::string::npos)
        << error.what();
  }
  EXPECT_EQ(divide_transform_memory(1001, 2, 600, 1001).blocks_in_flight, 1);
}

TEST(TransformMemory, TheLargestLimitIsDivided) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  const TransformMemory parts = divide_transform_memory(most, 2, 1 << 20, 1 << 21);
  EXPECT_EQ(parts.blocks_in_flight, 4u);
  EXPECT_EQ(parts.ahead_bytes, most - 4 * (1 << 21));
  EXPECT_EQ(divide_transform_memory(most, 2, 600, 1e-3).blocks_in_flight, 4u);
  EXPECT_EQ(divide_transform_memory(most, 2, 600, 0x1p64).ahead_bytes, 0u);
}

}  // namespace
}  // namespace widehash
