#include "code_check.hpp"

#include "sparse/sample.hpp"
#include "vector_targets.hpp"

#include <random>

namespace widehash {
namespace {

using detail::CodeCheck;

Schema schema_of_widths(std::initializer_list<std::uint64_t> widths, bool skips) {
  Schema schema;
  for (const std::uint64_t width : widths) {
    const std::string name = "f" + std::to_string(schema.features.size());
    schema.features.push_back(test::make_feature(name, Encoding::four_split, width * width));
    if (skips && schema.features.size() % 2 == 0) schema.features.back().missing = Missing::skip;
  }
  return schema;
}

/// Schemas whose codes have one size or both, and whose rows have two words or many.
std::vector<Schema> schemas() {
  std::vector<Schema> all;
  for (const bool skips : {false, true}) {
    all.push_back(schema_of_widths({8}, skips));
    all.push_back(schema_of_widths({300}, skips));
    all.push_back(schema_of_widths({255, 257, 9, 65535, 254}, skips));
    all.push_back(schema_of_widths({300, 400, 65535}, skips));
    all.push_back(schema_of_widths({8,   9,   10,  11,  12,  13,  14,  15,  16,  17,  18,  19,  20, 21,
                                    300, 301, 302, 303, 304, 305, 306, 307, 308, 309, 310, 311, 22, 23},
                                   skips));
  }
  return all;
}

bool are_good(const CodeBatch& batch, std::mt19937& random) {
  CodeCheck check(batch.layout());
  std::span<const std::uint16_t> words = batch.codes;
  while (!words.empty()) {
    const std::size_t most = random() % 4 == 0 ? words.size() : 40;
    const std::size_t count = std::min<std::size_t>(1 + random() % most, words.size());
    check.add(words.first(count));
    words = words.subspan(count);
  }
  return check.all_good();
}

TEST(CodeCheck, GoodCodesPassAndOneBadCodeDoesNotWhereverPiecesAreCut) {
  for_each_vector_target([] {
    std::mt19937 random(3);
    for (const Schema& schema : schemas()) {
      for (const std::size_t rows : {1, 7, 64, 500}) {
        auto sample = test::make_sample(schema, {}, rows, 5);
        ASSERT_TRUE(are_good(sample.batch, random)) << rows;
        for (int harm = 0; harm < 20; ++harm) {
          const std::size_t row = random() % rows;
          const FeatureBlock& block = sample.layout->blocks[random() % schema.features.size()];
          const auto k = static_cast<std::uint32_t>(random() % num_splits);
          const std::uint32_t before = sample.batch.view().code(row, block, k);
          if (block.width != block.absent_mark()) {
            sample.batch.set_code(row, block, k, block.width);
            EXPECT_FALSE(are_good(sample.batch, random))
                << block.width << " in row " << row << " of " << rows;
          }
          sample.batch.set_code(row, block, k, block.absent_mark());
          EXPECT_EQ(are_good(sample.batch, random), block.may_be_absent) << "the mark of " << block.width;
          sample.batch.set_code(row, block, k, before);
        }
      }
    }
  });
}

}  // namespace
}  // namespace widehash
