// How the slots of a plan are shared out among threads that scatter side by side.

#include "slot_plan.hpp"

#include "network/batches.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace widehash {
namespace {

using detail::PlannedSlot;
using detail::SlotPlan;

std::vector<PlannedSlot> codes_of(const SlotPlan& part) {
  std::vector<PlannedSlot> all = part.codes;
  all.insert(all.end(), part.byte_codes.begin(), part.byte_codes.end());
  std::ranges::sort(all, {}, &PlannedSlot::shift);
  return all;
}

TEST(SlotPlanTest, PartsOwnNeighbouringColumnsAndAsManySlotsEach) {
  const auto layout = test::two_sizes_layout(5, false);  // 20 features of 4 slots, sizes in turn
  const SlotPlan plan = detail::make_slot_plan(*layout, {0, layout->num_columns});
  ASSERT_FALSE(plan.codes.empty());
  ASSERT_FALSE(plan.byte_codes.empty());
  for (std::size_t threads = 1; threads <= 5; ++threads) {
    const std::vector<SlotPlan> parts = detail::split_by_columns(plan, threads);
    EXPECT_EQ(parts.size(), threads);
    std::vector<PlannedSlot> met;
    for (const SlotPlan& part : parts) {
      const std::vector<PlannedSlot> codes = codes_of(part);
      EXPECT_EQ(codes.size() % 4, 0u) << "whole features";
      EXPECT_LE(codes.size(), (20 + threads - 1) / threads * 4);
      met.insert(met.end(), codes.begin(), codes.end());
    }
    ASSERT_EQ(met.size(), 80u);
    for (std::size_t i = 1; i < met.size(); ++i) {
      EXPECT_EQ(met[i].shift, met[i - 1].shift + static_cast<std::int64_t>(met[i - 1].num_columns)) << i;
    }
  }
}

}  // namespace
}  // namespace widehash
