#include "ingest/block_order.hpp"

#include <algorithm>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace widehash {
namespace {

using Named = std::pair<std::size_t, std::uint64_t>;  // input, block

TEST(BlockOrder, GivesBlocksInOrderHoweverTheyCome) {
  const std::vector<std::uint64_t> num_blocks = {3, 0, 1, 0, 5, 0};
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::pair<std::size_t, std::int64_t>> events;  // -1: the end
    for (std::size_t input = 0; input < num_blocks.size(); ++input) {
      events.emplace_back(input, -1);
      for (std::uint64_t block = 0; block < num_blocks[input]; ++block) events.emplace_back(input, block);
    }
    std::shuffle(events.begin(), events.end(), random);
    BlockOrder<Named> order(num_blocks.size());
    std::vector<Named> given;
    std::uint64_t added_bytes = 0;
    for (const auto& [input, block] : events) {
      EXPECT_FALSE(order.is_complete());
      if (block < 0) {
        order.add(InputEnd{input, num_blocks[input]});
      } else {
        order.add(input, static_cast<std::uint64_t>(block), {input, block}, 10 * input + 1);
        added_bytes += 10 * input + 1;
      }
      while (const auto next = order.next()) {
        given.push_back(*next);
        added_bytes -= 10 * next->first + 1;
      }
      EXPECT_EQ(order.waiting_bytes(), added_bytes);
    }
    EXPECT_TRUE(order.is_complete());
    EXPECT_TRUE(std::is_sorted(given.begin(), given.end()));
    EXPECT_EQ(given.size(), 9u);
  }
}

}  // namespace
}  // namespace widehash
