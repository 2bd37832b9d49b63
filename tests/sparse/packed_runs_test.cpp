#include "packed_runs.hpp"

#include "base/temp_folder.hpp"
#include "sparse/sample.hpp"

#include <widehash/csr_ops.hpp>
#include <widehash/error.hpp>
#include <widehash/shard_writer.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace widehash {
namespace {

using detail::pack_run;
using detail::unpack_run;
using testing::ElementsAre;
using Columns = std::vector<std::uint32_t>;

struct Kind {
  Encoding encoding;
  std::uint64_t cardinality;  // or buckets
  std::uint32_t head = 0;
};

/// The layout of lists of these kinds, with a fixed feature before each.
CodeLayout layout_of(const std::vector<Kind>& kinds) {
  Schema schema;
  schema.hash = HashKind::xxh3_128;  // for cardinalities above 2^32
  std::vector<std::uint32_t> heads;
  for (const Kind& kind : kinds) {
    const std::string number = std::to_string(heads.size());
    schema.features.push_back(test::make_feature("one" + number, Encoding::four_split, 70));
    Feature list = test::make_feature("list" + number, kind.encoding, kind.cardinality);
    list.separator = ",";
    if (kind.encoding == Encoding::one_hot) {
      list.buckets = static_cast<std::uint32_t>(kind.cardinality);
      list.cardinality = 0;
    }
    schema.features.push_back(list);
    heads.insert(heads.end(), {0, kind.head});
  }
  return make_layout(schema, heads);
}

std::vector<int> packed(const CodeLayout& layout, const Columns& run) {
  std::vector<std::byte> bytes;
  pack_run(layout, run, bytes);
  std::vector<int> numbers;
  for (const std::byte byte : bytes) numbers.push_back(std::to_integer<int>(byte));
  return numbers;
}

bool is_run(const CodeLayout& layout, const std::vector<int>& numbers) {
  std::vector<std::byte> bytes;
  for (const int number : numbers) bytes.push_back(static_cast<std::byte>(number));
  Columns columns{7};
  const bool fits = unpack_run(layout, bytes, columns);
  EXPECT_TRUE(fits || columns == Columns{7}) << "nothing of a run that is none stays";
  return fits;
}

TEST(PackedRuns, AreTheBytesOfTheDocument) {
  // One-value features of 9 buckets lie before each list: columns 0 to 35 before the first.
  const CodeLayout small = layout_of({{Encoding::four_split, 64}});
  EXPECT_THAT(packed(small, {}), ElementsAre(0));
  EXPECT_THAT(packed(small, {36 + 5, 44 + 0, 52 + 7, 60 + 1}), ElementsAre(1, 5, 0, 7, 1));
  const CodeLayout large = layout_of({{Encoding::four_split, 1'000'000}});  // m = 1000
  EXPECT_THAT(packed(large, {36 + 999, 1036 + 256, 2036 + 1, 3036}),
              ElementsAre(1, 231, 3, 0, 1, 1, 0, 0, 0));
  const CodeLayout one_hot = layout_of({{Encoding::one_hot, 70'000}});
  EXPECT_THAT(packed(one_hot, {36 + 69'999, 36}), ElementsAre(2, 111, 17, 1, 0, 0, 0));
  const CodeLayout exact = layout_of({{Encoding::exact, 64, 300}});
  EXPECT_THAT(packed(exact, {36 + 299, 36}), ElementsAre(4, 43, 1, 0, 0));
  EXPECT_THAT(packed(exact, {36 + 2, 336 + 5, 344 + 0, 352 + 7, 360 + 1, 36 + 3}),
              ElementsAre(7, 0b010, 2, 0, 5, 0, 7, 1, 3, 0));
}

TEST(PackedRuns, AFourSplitValueTakesAtMostEightBytes) {
  for (const auto& [cardinality, bytes] : std::vector<std::pair<std::uint64_t, std::size_t>>{
           {64, 4}, {65'536, 4}, {65'537, 8}, {std::uint64_t{1} << 32, 8}}) {
    const CodeLayout layout = layout_of({{Encoding::four_split, cardinality}});
    std::mt19937 random(1);
    Columns run;
    for (int value = 0; value < 100; ++value) test::push_value(layout.blocks[1], random, run);
    EXPECT_EQ(packed(layout, run).size(), 1 + 100 * bytes) << cardinality;
  }
}

TEST(PackedRuns, GiveBackTheirColumns) {
  const std::vector<Kind> kinds{{Encoding::four_split, 1},
                                {Encoding::four_split, 65'536},
                                {Encoding::four_split, 65'537},
                                {Encoding::four_split, std::uint64_t{1} << 32},
                                {Encoding::four_split, (std::uint64_t{1} << 32) + 1},
                                {Encoding::one_hot, 1},
                                {Encoding::one_hot, 256},
                                {Encoding::one_hot, 257},
                                {Encoding::one_hot, std::uint64_t{1} << 24},
                                {Encoding::one_hot, (std::uint64_t{1} << 24) + 1},
                                {Encoding::exact, 100, 0},
                                {Encoding::exact, 100'000, 1},
                                {Encoding::exact, 100, 256},
                                {Encoding::exact, 10, 257}};
  const CodeLayout layout = layout_of(kinds);
  std::mt19937 random(2);
  for (int round = 0; round < 2000; ++round) {
    Columns run;
    for (const std::uint32_t position : layout.ragged_blocks) {
      const std::size_t most = round % 50 == 0 ? 300 : 9;  // counts of two bytes, and of one
      for (std::size_t count = random() % most; count > 0; --count)
        test::push_value(layout.blocks[position], random, run);
    }
    std::vector<std::byte> bytes;
    pack_run(layout, run, bytes);
    Columns found{1, 2};
    ASSERT_TRUE(unpack_run(layout, bytes, found));
    ASSERT_EQ(Columns(found.begin() + 2, found.end()), run) << round;
  }
}

TEST(PackedRuns, OtherBytesAreNoRun) {
  const CodeLayout small = layout_of({{Encoding::four_split, 64}});
  EXPECT_TRUE(is_run(small, {1, 7, 7, 7, 7}));
  EXPECT_FALSE(is_run(small, {}));
  EXPECT_FALSE(is_run(small, {1, 7, 7, 7}));           // cut
  EXPECT_FALSE(is_run(small, {1, 7, 7, 7, 7, 7}));     // goes on
  EXPECT_FALSE(is_run(small, {1, 7, 7, 8, 7}));        // no such bucket
  EXPECT_FALSE(is_run(small, {0x81, 0, 7, 7, 7, 7}));  // 1, written longer
  EXPECT_FALSE(is_run(small, {0x81}));
  EXPECT_FALSE(is_run(small, {255, 255, 255, 255, 255, 255, 255, 255, 255, 1}));
  EXPECT_FALSE(is_run(small, {255, 255, 255, 255, 255, 255, 255, 255, 255, 2}));  // more than 64 bits
  EXPECT_FALSE(is_run(small, {255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1}));
  const CodeLayout exact = layout_of({{Encoding::exact, 64, 3}});
  EXPECT_TRUE(is_run(exact, {5, 0b10, 2, 7, 7, 7, 7}));
  EXPECT_FALSE(is_run(exact, {5, 0b10, 3, 7, 7, 7, 7}));   // no such rank
  EXPECT_FALSE(is_run(exact, {5, 0b110, 2, 7, 7, 7, 7}));  // a mark behind the last value
  EXPECT_FALSE(is_run(exact, {5, 0, 2, 2}));               // marks of nothing
  EXPECT_FALSE(is_run(exact, {1, 0}));
  EXPECT_FALSE(is_run(exact, {255, 255, 255, 255, 255, 255, 255, 255, 255, 1}));
}

// Whatever the bytes are, they are refused, or are the only form of a run whose columns exist.
TEST(PackedRuns, AcceptedNoiseIsARun) {
  const CodeLayout layout = layout_of({{Encoding::four_split, 64},
                                       {Encoding::exact, 64, 9},
                                       {Encoding::one_hot, 3},
                                       {Encoding::four_split, 66'000}});
  std::mt19937 random(3);
  int accepted = 0;
  for (int round = 0; round < 20'000; ++round) {
    Columns run;
    for (const std::uint32_t position : layout.ragged_blocks) {
      for (std::size_t count = random() % 4; count > 0; --count)
        test::push_value(layout.blocks[position], random, run);
    }
    std::vector<std::byte> bytes;
    pack_run(layout, run, bytes);
    for (std::size_t changes = random() % 3; changes > 0; --changes)
      bytes[random() % bytes.size()] = static_cast<std::byte>(random() % 12);
    if (random() % 8 == 0) bytes.resize(random() % (bytes.size() + 1));
    Columns found;
    if (!unpack_run(layout, bytes, found)) continue;
    ++accepted;
    ASSERT_EQ(detail::run_problem(layout, found), "");
    std::vector<std::byte> again;
    pack_run(layout, found, again);
    ASSERT_EQ(again, bytes);
  }
  EXPECT_GT(accepted, 5000);
  EXPECT_LT(accepted, 15'000);
}

TEST(PackedRuns, RowsOfAShardAreThoseOfTheBatchInEveryForm) {
  const test::TempFolder folder;
  for (const CodeBytes code_bytes : {CodeBytes::two, CodeBytes::least, CodeBytes::least_in_runs}) {
    const test::Sample sample = test::every_kind_sample(700, 5, code_bytes);
    ASSERT_EQ(sample.layout->code_bytes, code_bytes);
    const Shard shard(folder.path(), write_shard(sample.batch.view(), folder.path(), "a"), sample.layout,
                      true);
    const CodeBatchView& rows = shard.view();
    EXPECT_EQ(rows.has_packed_runs(), code_bytes == CodeBytes::least_in_runs);
    EXPECT_TRUE(test::same_rows(rows, sample.batch.view()));
    EXPECT_EQ(to_csr(rows.rows(3, 600)).columns, to_csr(sample.batch.view().rows(3, 600)).columns);
    CodeBatch copy(sample.layout);
    copy.append(rows.rows(0, 10));
    copy.append_rows(rows, std::vector<std::size_t>{5, 699, 5});
    CodeBatch expected(sample.layout);
    expected.append(sample.batch.view().rows(0, 10));
    expected.append_rows(sample.batch.view(), std::vector<std::size_t>{5, 699, 5});
    EXPECT_TRUE(test::same_rows(copy.view(), expected.view()));
    EXPECT_EQ(write_shard(rows, folder.path(), "b"), [&] {
      ManifestShard line = write_shard(sample.batch.view(), folder.path(), "c");
      line.file = "b";
      return line;
    }());
  }
}

TEST(PackedRuns, OneThatIsNoWholeValuesIsNotWritten) {
  const test::TempFolder folder;
  test::Sample sample = test::every_kind_sample(3, 5);
  ShardWriter writer(sample.layout, folder.path(), "a");
  CodeBatch bad(sample.layout);
  bad.append(sample.batch.view());
  bad.ragged = {223, 231};
  bad.ragged_offsets = {0, 0, 0, 2};
  EXPECT_THROW(writer.append(bad.view()), ShapeError);
  writer.append(sample.batch.view());
  const Shard shard(folder.path(), writer.finish(), sample.layout, true);
  EXPECT_TRUE(test::same_rows(shard.view(), sample.batch.view()));
}

TEST(PackedRuns, ADamagedOneIsNotCopied) {
  test::Sample sample = test::every_kind_sample(2, 5);
  const std::vector<std::byte> bytes(4, std::byte{1});
  CodeBatchView rows = sample.batch.view();
  rows.ragged = {};
  rows.packed_runs = bytes;
  for (const std::vector<std::uint64_t>& offsets :
       std::vector<std::vector<std::uint64_t>>{{0, 4, 4}, {0, 5, 5}, {3, 2, 4}}) {
    rows.ragged_offsets = offsets;
    UnpackedRuns memory;
    EXPECT_THROW(unpacked(rows, memory), ShapeError);
    EXPECT_THROW(check_batch(rows, "rows"), DataError);
  }
}

}  // namespace
}  // namespace widehash
