#include "export_slices.hpp"

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace widehash::detail {
namespace {

TEST(ExportSlices, HaveAboutSoManyEntriesHoweverWideRowsAre) {
  CodeLayout layout;
  CodeBatchView rows;
  rows.layout = &layout;
  rows.num_rows = 3;
  EXPECT_EQ(rows_per_export_slice(rows, 4096, 100'000), 4096u) << "rows without entries";
  layout.wide_codes = 90;
  layout.byte_codes = 8;
  layout.column_stride = 1;
  layout.number_stride = 1;
  EXPECT_EQ(rows_per_export_slice(rows, 4096, 100'000), 1000u);
  EXPECT_EQ(rows_per_export_slice(rows, 512, 100'000), 512u);
  EXPECT_EQ(rows_per_export_slice(rows, 4096, 10), 1u) << "a row is never cut";
  const std::vector<std::uint64_t> offsets{50, 50, 1050, 1250};  // 400 entries a row
  rows.ragged_offsets = offsets;
  EXPECT_EQ(rows_per_export_slice(rows, 4096, 100'000), 200u);
}

}  // namespace
}  // namespace widehash::detail
