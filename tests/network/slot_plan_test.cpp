// How the slots of a plan are divided among threads that scatter concurrently.

#include "slot_plan.hpp"

#include "network/batches.hpp"

#include <widehash/code_layout.hpp>
#include <widehash/schema.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace widehash {
namespace {

using detail::PlannedSlot;
using detail::SlotPlan;

Feature hashed_feature(const std::string& name, std::uint64_t cardinality) {
  Feature feature;
  feature.name = name;
  feature.fields = {name};
  feature.cardinality = cardinality;
  return feature;
}

std::vector<PlannedSlot> codes_of(const SlotPlan& part) {
  std::vector<PlannedSlot> all = part.codes;
  all.insert(all.end(), part.byte_codes.begin(), part.byte_codes.end());
  std::ranges::sort(all, {}, &PlannedSlot::shift);
  return all;
}

TEST(SlotPlanTest, PartsOwnNeighbouringColumnsAndAsManySlotsEach) {
  const auto layout = test::two_sizes_layout(5, false);  // 20 features of 4 slots, alternating in size
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

TEST(SlotPlanTest, ContentsAreBelowTheColumnsOfTheirSlots) {
  Schema schema;
  schema.features = {hashed_feature("bytes", 1000), hashed_feature("words", 1 << 20),
                     hashed_feature("columns", std::uint64_t{5'000'000'000})};
  const CodeLayout layout = make_layout(schema);
  const SlotPlan plan = detail::make_slot_plan(layout, {0, layout.num_columns});
  ASSERT_EQ(plan.byte_codes.size(), 4u);
  ASSERT_EQ(plan.codes.size(), 4u);
  ASSERT_EQ(plan.columns.size(), 4u);
  for (std::uint64_t split = 0; split < 4; ++split) {
    EXPECT_EQ(plan.byte_codes[split].num_columns, layout.blocks[0].width);
    EXPECT_EQ(plan.codes[split].num_columns, layout.blocks[1].width);
    // Columns count from the start of the block, whichever split they belong to.
    EXPECT_EQ(plan.columns[split].shift, static_cast<std::int64_t>(layout.blocks[2].column_offset));
    EXPECT_EQ(plan.columns[split].num_columns, (split + 1) * layout.blocks[2].width);
  }
}

}  // namespace
}  // namespace widehash
