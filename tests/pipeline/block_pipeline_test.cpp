#include "block_pipeline.hpp"

#include "click_table.hpp"
#include "pipeline_kit.hpp"

#include <widehash/block_text.hpp>

#include <atomic>
#include <mutex>
#include <stdexcept>
#include <utility>

namespace widehash::test {
namespace {

using Named = std::pair<std::size_t, std::uint64_t>;  // input, block

class BlockPipeline : public testing::Test {
 protected:
  BlockPipeline() {
    for (const int rows : {40, 0, 1, 33}) {
      const std::string path = folder_.file(std::to_string(paths_.size()) + ".tsv");
      write_text_file(path, rows == 0 ? std::string(click_header) : click_text(rows, rows));
      paths_.push_back(path);
    }
  }

  /// The blocks and ends that were told, after `work` on two threads.
  RunNews run(const BlockWork& work, const StopFlag* stop = nullptr) {
    RunNews all;
    const RowRules rules(schema_);
    InputBlocks blocks(schema_, rules, expand_inputs(paths_), 200, true, 0);
    with_threads(2, [&] {
      for_each_block(blocks, 3, stop, work, [&](RunNews news) {
        for (const InputEnd& end : news.ends) all.ends.push_back(end);
        for (BlockReport& block : news.blocks) all.blocks.push_back(std::move(block));
      });
    });
    return all;
  }

  static BlockReport report_of(InputBlock& block) {
    load_text(block.block);
    BlockReport report;
    report.block = block.block.index;
    report.counts = block.counts(block.block.num_rows);
    return report;
  }

  Schema schema_ = parse_schema(click_schema, "schema.toml");
  TempFolder folder_;
  std::vector<std::string> paths_;
};

TEST_F(BlockPipeline, EveryBlockIsWorkedOnOnceAndToldInOrder) {
  std::mutex mutex;
  std::map<Named, int> worked;
  const RunNews told = run([&](InputBlock& block) {
    const std::lock_guard lock(mutex);
    ++worked[{block.input, block.block.index}];
    return report_of(block);
  });
  std::vector<Named> in_order;
  std::map<std::size_t, std::uint64_t> rows;
  for (const BlockReport& block : told.blocks) {
    in_order.emplace_back(block.counts.input, block.block);
    rows[block.counts.input] += block.counts.rows_read;
  }
  EXPECT_TRUE(std::ranges::is_sorted(in_order));
  EXPECT_EQ(worked.size(), in_order.size());
  EXPECT_TRUE(std::ranges::all_of(worked, [](const auto& times) { return times.second == 1; }));
  EXPECT_GT(rows[0], 0u);
  EXPECT_EQ(rows[2], 1u);
  ASSERT_EQ(told.ends.size(), paths_.size());
  for (const InputEnd& end : told.ends) {
    EXPECT_EQ(end.num_blocks, static_cast<std::uint64_t>(std::ranges::count(
                                  in_order, end.input, [](const Named& name) { return name.first; })));
  }
}

TEST_F(BlockPipeline, StopEndsItBehindTheBlocksThatAreBegun) {
  StopFlag stop = true;
  EXPECT_TRUE(run(report_of, &stop).blocks.empty());
  stop = false;
  std::atomic<int> worked{0};
  const RunNews told = run(
      [&](InputBlock& block) {
        ++worked;
        stop = true;
        return report_of(block);
      },
      &stop);
  EXPECT_EQ(told.blocks.size(), static_cast<std::size_t>(worked));
  EXPECT_LE(worked, 3);
  EXPECT_LT(told.ends.size(), paths_.size());
}

TEST_F(BlockPipeline, WhatWorkThrowsIsThrown) {
  EXPECT_THROW(run([](InputBlock& block) -> BlockReport {
                 if (block.input == 3) throw std::domain_error("the last input");
                 return report_of(block);
               }),
               std::domain_error);
}

}  // namespace
}  // namespace widehash::test
