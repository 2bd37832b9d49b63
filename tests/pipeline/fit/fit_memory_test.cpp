#include "fit/fit_memory.hpp"

#include <widehash/error.hpp>
#include <widehash/internal/table_builder.hpp>

#include <gtest/gtest.h>

namespace widehash {
namespace {

constexpr std::uint64_t mib = std::uint64_t{1} << 20;
// Text, fields and values of a block.
constexpr std::uint64_t block_memory = 16 * mib;

TEST(FitMemory, PartsAreNoMoreThanTheWhole) {
  for (const std::uint64_t memory : {48 * mib, 64 * mib, 100 * mib + 1, 2048 * mib, std::uint64_t{1} << 60}) {
    for (const std::size_t threads : {1, 2, 64, 1000}) {
      for (const int ranks : {1, 2, 7}) {
        const FitMemory parts = divide_fit_memory(memory, threads, ranks);
        EXPECT_GE(parts.blocks_in_flight, 1);
        EXPECT_LE(parts.blocks_in_flight, threads);
        const std::uint64_t text = parts.blocks_in_flight * block_memory;
        EXPECT_LE(text, memory / 2);
        EXPECT_EQ(text + parts.counting_bytes + parts.merging_bytes, memory);
        EXPECT_GE(parts.counting_bytes, TableBuilder::min_memory_bytes);
        EXPECT_EQ(parts.merging_bytes >= TableBuilder::min_memory_bytes, ranks > 1);
      }
    }
  }
}

TEST(FitMemory, TheReportedNeedSuffices) {
  for (const auto& [ranks, needed] : {std::pair(1, 32 * mib), std::pair(2, 48 * mib)}) {
    EXPECT_NO_THROW(divide_fit_memory(needed, 8, ranks));
    try {
      divide_fit_memory(needed - 1, 8, ranks);
      ADD_FAILURE() << "nothing was thrown";
    } catch (const ConfigError& error) {
      EXPECT_NE(std::string(error.what()).find("at least " + std::to_string(needed) + " bytes"),
                std::string::npos)
          << error.what();
    }
  }
}

}  // namespace
}  // namespace widehash
