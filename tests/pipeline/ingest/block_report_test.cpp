#include "ingest/block_report.hpp"

#include <gtest/gtest.h>

namespace widehash {
namespace {

BlockReport report(std::size_t input, std::uint64_t block) {
  BlockReport made;
  made.counts.input = input;
  made.block = block;
  return made;
}

TEST(BlockReport, ComesBackFromItsLineAsItWas) {
  BlockReport sent = report(3, 77);
  sent.counts = {3, 2, 1000, 999, 998};
  sent.text_bytes = ~std::uint64_t{0};
  sent.disk_bytes = 5;
  sent.text_checksum = 0xFEDCBA9876543210;
  sent.resumed = true;
  sent.shard = ManifestShard{"part-00003-000077.shard", 997, 12345, 0xFFFFFFFFFFFFFFFF};
  sent.rejected = {{"a\n\"b\xff.tsv", 8, std::string("no\0pe", 5), "\t\xc3(\r\n"}, {"", 0, "", ""}};
  sent.moments = {{3, 0.1 + 0.2, 1e-310}, {0, 0, 0}, {~std::uint64_t{0}, -1.0 / 3, 4e76}};
  const RunNews news = parse_news(to_text({{sent, report(0, 0)}, {{9, 4}, {10, 0}}}));
  ASSERT_EQ(news.blocks.size(), 2u);
  const BlockReport& came = news.blocks[0];
  EXPECT_EQ(to_line(came), to_line(sent));
  EXPECT_EQ(came.counts.header_lines, 2u);
  EXPECT_EQ(came.counts.num_lines, 1000u);
  EXPECT_EQ(came.counts.rows_counted, 999u);
  EXPECT_EQ(came.counts.rows_read, 998u);
  EXPECT_EQ(came.rejected[0].reason, sent.rejected[0].reason);
  EXPECT_EQ(came.rejected[0].text, sent.rejected[0].text);
  EXPECT_EQ(came.shard->checksum, sent.shard->checksum);
  for (std::size_t i = 0; i < sent.moments.size(); ++i) {
    EXPECT_EQ(came.moments[i].count, sent.moments[i].count);
    EXPECT_EQ(came.moments[i].mean, sent.moments[i].mean);
    EXPECT_EQ(came.moments[i].squares, sent.moments[i].squares);
  }
  EXPECT_FALSE(news.blocks[1].shard);
  ASSERT_EQ(news.ends.size(), 2u);
  EXPECT_EQ(news.ends[0].num_blocks, 4u);
}

// Journals of earlier versions stay readable, and this version writes the same bytes as they hold.
TEST(BlockReport, ItsLineIsAsItEverWas) {
  BlockReport made = report(1, 2);
  made.counts = {1, 1, 30, 29, 28};
  made.rejected = {{"a\xff", 8, "no", ""}, {"b", 9, "", "x\ty"}};
  made.moments = {{3, 0.5, 2}};
  EXPECT_EQ(
      to_line(made),
      R"({"input":1,"block":2,"text_checksum":0,"text_bytes":0,"disk_bytes":0,"header_lines":1,"lines":30,)"
      R"("rows_counted":29,"rows_read":28,"rejected":[{"file":"61ff","line":8,"reason":"6e6f","text":""},)"
      R"({"file":"62","line":9,"reason":"","text":"780979"}],"moments":[[3,0.5,2.0]]})"
      "\n");
}

}  // namespace
}  // namespace widehash
