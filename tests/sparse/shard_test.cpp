#include "base/damage.hpp"
#include "base/file_limit.hpp"
#include "base/temp_folder.hpp"
#include "sparse/sample.hpp"

#include <widehash/error.hpp>
#include <widehash/shard_writer.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace widehash {
namespace {

using test::every_kind_sample;
using test::message_of;
using test::same_rows;
using test::Sample;
using test::TempFolder;
using testing::HasSubstr;

TEST(Shard, GivesBackTheRows) {
  const TempFolder folder;
  for (const std::size_t rows : {0, 1, 31, 32, 33, 1000}) {
    const Sample sample = every_kind_sample(rows, 1);
    const ManifestShard line = write_shard(sample.batch.view(), folder.path(), "part-0.shard");
    EXPECT_EQ(line.rows, rows);
    EXPECT_EQ(line.bytes, file_size_bytes(folder.file("part-0.shard")));
    const Shard shard(folder.path(), line, sample.layout, true);
    EXPECT_TRUE(same_rows(shard.view(), sample.batch.view())) << rows;
    EXPECT_EQ(shard.view().layout, sample.layout.get());
  }
}

TEST(Shard, StaysReadableWhenMoved) {
  const TempFolder folder;
  const Sample sample = every_kind_sample(5, 1);
  const ManifestShard line = write_shard(sample.batch.view(), folder.path(), "part-0.shard");
  Shard first(folder.path(), line, sample.layout, false);
  const Shard second(std::move(first));
  EXPECT_TRUE(same_rows(second.view(), sample.batch.view()));
}

TEST(Shard, PartOfABatchIsAShardOfItsOwn) {
  const TempFolder folder;
  const Sample sample = every_kind_sample(20'000, 2);
  const CodeBatchView part = sample.batch.view().rows(7, 18'000);
  const ManifestShard line = write_shard(part, folder.path(), "part-0.shard");
  const Shard shard(folder.path(), line, sample.layout, true);
  EXPECT_TRUE(same_rows(shard.view(), part));
  EXPECT_EQ(shard.view().ragged_offsets.front(), 0u);
}

TEST(Shard, RaggedRunsThatDoNotWaitInMemoryAreThoseThatDo) {
  const TempFolder folder;
  const Sample sample = every_kind_sample(5000, 3);
  const std::size_t again =
      ShardWriter::ragged_memory * 5 / 2 / (sample.batch.ragged.size() * sizeof(std::uint32_t));
  ASSERT_GT(again, 10u);
  CodeBatch expected(sample.layout);
  ShardWriter writer(sample.layout, folder.path(), "many");
  for (std::size_t i = 0; i < again; ++i) {
    const CodeBatchView part = sample.batch.view().rows(i, 5000 - 2 * i);
    expected.append(part);
    writer.append(part);
  }
  const ManifestShard line = writer.finish();
  EXPECT_TRUE(same_rows(Shard(folder.path(), line, sample.layout, true).view(), expected.view()));
  EXPECT_THAT(list_directory(folder.path()), testing::ElementsAre("many"));
}

TEST(Shard, HoldsOnlyTheSectionsOfItsLayout) {
  const TempFolder folder;
  Schema schema;
  schema.features = {test::make_feature("a", Encoding::four_split, 100)};
  const Sample sample = test::make_sample(schema, {}, 100, 1);
  write_shard(sample.batch.view(), folder.path(), "a");
  const SectionFile file(folder.file("a"), "shard");
  ASSERT_EQ(file.sections().size(), 1u);
  EXPECT_EQ(file.sections().front().bytes, 400u) << "4 bytes a four-split value of few buckets";
}

TEST(Shard, SameRowsGiveTheSameBytes) {
  const TempFolder folder;
  const Sample sample = every_kind_sample(100, 3);
  const ManifestShard a = write_shard(sample.batch.view(), folder.path(), "a");
  CodeBatch copy(sample.layout);
  copy.append(sample.batch.view());
  const ManifestShard b = write_shard(copy.view(), folder.path(), "b");
  EXPECT_EQ(a.checksum, b.checksum);
  EXPECT_EQ(read_text_file(folder.file("a")), read_text_file(folder.file("b")));
}

TEST(Shard, AnyDamageIsNoticed) {
  const TempFolder folder;
  const Sample sample = every_kind_sample(2, 4);
  const ManifestShard line = write_shard(sample.batch.view(), folder.path(), "part-0.shard");
  test::expect_all_damage_noticed(folder.file("part-0.shard"), [&] {
    return test::throws<DataError>([&] { Shard(folder.path(), line, sample.layout, true); });
  });
}

TEST(Shard, AnotherShardUnderItsNameIsNoticedWithoutVerifying) {
  const TempFolder folder;
  const Sample sample = every_kind_sample(10, 5);
  const ManifestShard line = write_shard(sample.batch.view(), folder.path(), "part-0.shard");
  write_shard(every_kind_sample(10, 6).batch.view(), folder.path(), "part-0.shard");
  EXPECT_THAT(message_of<DataError>([&] { Shard(folder.path(), line, sample.layout, false); }),
              HasSubstr("not the file the manifest names"));
}

TEST(Shard, AnotherEncodingIsAConfigError) {
  const TempFolder folder;
  const Sample sample = every_kind_sample(10, 5);
  const CodeLayout written = test::layout_of(*sample.layout, {"schema-1", "tables-1"});
  const ManifestShard line = write_shard(test::as_of(sample.batch.view(), written), folder.path(), "a");
  const auto open_with = [&](const EncodingFingerprint& other) {
    const auto layout = std::make_shared<const CodeLayout>(test::layout_of(*sample.layout, other));
    return message_of<ConfigError>([&] { Shard(folder.path(), line, layout, false); });
  };
  EXPECT_THAT(open_with({"schema-2", "tables-1"}),
              HasSubstr("a different schema (schema-1 there, schema-2 here)"));
  EXPECT_THAT(open_with({"schema-1", ""}), HasSubstr("tables (tables-1 there, none here)"));
}

TEST(Shard, RowsThatDoNotFitTheLayoutAreRefused) {
  const TempFolder folder;
  const Sample sample = every_kind_sample(10, 5);
  const ManifestShard line = write_shard(sample.batch.view(), folder.path(), "a");
  Schema schema = test::every_kind_schema();
  schema.features.erase(schema.features.begin());
  // The fingerprint stays the same, because it is compared first.
  const auto of_schema = [&] {
    return std::make_shared<const CodeLayout>(
        test::layout_of(make_layout(schema), sample.layout->fingerprint));
  };
  const auto fewer = of_schema();
  EXPECT_THROW(Shard(folder.path(), line, fewer, false), DataError);
  schema.features = {test::make_feature("price", Encoding::numeric)};
  const auto no_codes = of_schema();
  EXPECT_THROW(Shard(folder.path(), line, no_codes, false), DataError);
}

TEST(Shard, ValuesOutOfRangeAreFoundByVerifying) {
  const TempFolder folder;
  Sample sample = every_kind_sample(10, 5);
  sample.batch.set_code(4, sample.layout->blocks[0], 0, 32);
  const ManifestShard line = write_shard(sample.batch.view(), folder.path(), "a");
  EXPECT_NO_THROW(Shard(folder.path(), line, sample.layout, false));
  EXPECT_THAT(message_of<DataError>([&] { Shard(folder.path(), line, sample.layout, true); }),
              HasSubstr("/a:5: feature 'user'"));
}

TEST(Shard, BatchOfWrongLengthIsNotWritten) {
  const TempFolder folder;
  Sample sample = every_kind_sample(10, 5);
  sample.batch.targets.pop_back();
  EXPECT_THROW(write_shard(sample.batch.view(), folder.path(), "a"), ShapeError);
  EXPECT_THROW(write_shard(CodeBatchView{}, folder.path(), "a"), ShapeError);
  EXPECT_EQ(folder.num_entries(), 0u);
}

TEST(Shard, AFinishedOneTakesNoMore) {
  const TempFolder folder;
  const Sample sample = every_kind_sample(10, 1);
  ShardWriter writer(sample.layout, folder.path(), "a.shard");
  writer.append(sample.batch.view());
  writer.finish();
  EXPECT_THROW(writer.append(sample.batch.view()), ConfigError);
  EXPECT_THROW(writer.finish(), ConfigError);
}

TEST(Shard, OneThatLacksAPartOfRowsTakesNoMoreAndIsNotPutInPlace) {
  const TempFolder folder;
  const Sample sample = every_kind_sample(20'000, 1);
  const ManifestShard whole = write_shard(sample.batch.view(), folder.path(), "a.shard");
  {
    ShardWriter writer(sample.layout, folder.path(), "a.shard");
    writer.append(sample.batch.view());
    const std::uint64_t written = file_size_bytes(folder.file("a.shard.tmp"));
    {
      const test::FileLimit full(written + 1000);
      EXPECT_THROW(writer.append(sample.batch.view()), FileError);
    }
    EXPECT_THAT(message_of<ConfigError>([&] { writer.append(sample.batch.view()); }),
                HasSubstr("a.shard lacks a part of rows"));
    EXPECT_THROW(writer.finish(), ConfigError);
  }
  EXPECT_EQ(folder.num_entries(), 1u);
  EXPECT_EQ(Shard(folder.path(), whole, sample.layout, true).view().num_rows, 20'000u);
}

TEST(Shard, MissingOneIsAFileError) {
  const TempFolder folder;
  const Sample sample = every_kind_sample(0, 5);
  EXPECT_THROW(Shard(folder.path(), {"part-9.shard", 0, 0, 0}, sample.layout, true), FileError);
}

}  // namespace
}  // namespace widehash
