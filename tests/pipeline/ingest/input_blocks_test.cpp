#include "ingest/input_blocks.hpp"

#include "io/compress.hpp"
#include "pipeline/click_table.hpp"
#include "pipeline/pipeline_kit.hpp"

#include <widehash/internal/block_text.hpp>

#include <optional>
#include <set>
#include <utility>

namespace widehash::test {
namespace {

using Named = std::pair<std::size_t, std::uint64_t>;  // input, block

struct Walk {
  std::map<Named, std::string> texts;
  std::map<std::size_t, std::uint64_t> ends;
  std::uint64_t disk_bytes = 0;
};

class InputBlocksShare : public testing::Test {
 protected:
  InputBlocksShare() {
    write("a.tsv", click_text(40, 1));
    write("b.tsv.zst", zstd(click_text(30, 2)));
    write("c.tsv", click_header);
    write("d.tsv", click_text(1, 3));
    write("e.tsv.gz", gzip(click_text(25, 4)));
    write("f.tsv.zst", zstd(click_header));
    write("g.tsv", click_text(33, 5));
  }
  void write(const std::string& name, const std::string& text) {
    write_text_file(folder_.file(name), text);
    paths_.push_back(folder_.file(name));
  }
  /// Adds what one share walks over to `walk`; fails if another share had it already.
  void walk(const RankShare& share, const std::string& toml, Walk& walk) const {
    const Schema schema = parse_schema(toml, "schema.toml");
    const RowRules rules(schema);
    const std::vector<Input> inputs = expand_inputs(paths_);
    const RunInputs run{
        .schema = schema, .rules = rules, .inputs = inputs, .block_bytes = 200, .share = share};
    for (std::size_t input = 0; input < inputs.size(); ++input) {
      InputBlocks blocks(run, input);
      std::optional<std::uint64_t> last;
      InputBlock block;
      while (blocks.next(block)) {
        EXPECT_EQ(block.input, input);
        EXPECT_EQ(block.block.range.file != nullptr, blocks.stay_on_disk());
        EXPECT_TRUE(!last || *last < block.block.index);
        last = block.block.index;
        load_text(block.block);
        EXPECT_TRUE(walk.texts.emplace(Named(input, block.block.index), block.block.bytes).second)
            << input << ' ' << block.block.index;
        walk.disk_bytes += block.disk_bytes;
      }
      const auto end = blocks.end();
      EXPECT_TRUE(!end || walk.ends.emplace(end->input, end->num_blocks).second) << input;
    }
  }

  TempFolder folder_;
  std::vector<std::string> paths_;
};

TEST_F(InputBlocksShare, SharesTogetherHaveEveryBlockAndEndOnce) {
  for (const std::string& quote : {std::string(), std::string("quote = '\"'\n")}) {
    Walk alone;
    walk({0, 1}, quote + click_schema, alone);
    EXPECT_EQ(alone.ends.size(), paths_.size());
    EXPECT_GT(alone.texts.size(), 15u);
    for (const std::uint64_t size : {2, 3, 4, 50}) {
      Walk together;
      for (std::uint64_t rank = 0; rank < size; ++rank) walk({rank, size}, quote + click_schema, together);
      EXPECT_EQ(together.texts, alone.texts) << size;
      EXPECT_EQ(together.ends, alone.ends) << size;
      EXPECT_LE(together.disk_bytes, alone.disk_bytes);
    }
  }
}

TEST_F(InputBlocksShare, PlainFilesAreDealtByBlocksAndTheOthersWhole) {
  std::map<std::size_t, std::set<std::uint64_t>> ranks_of;
  for (std::uint64_t rank = 0; rank < 3; ++rank) {
    Walk own;
    walk({rank, 3}, click_schema, own);
    for (const auto& [name, text] : own.texts) ranks_of[name.first].insert(rank);
  }
  EXPECT_EQ(ranks_of[0].size(), 3u);
  EXPECT_EQ(ranks_of[6].size(), 3u);
  EXPECT_EQ(ranks_of[1], std::set<std::uint64_t>{1});
  EXPECT_EQ(ranks_of[4], std::set<std::uint64_t>{1});
}

}  // namespace
}  // namespace widehash::test
