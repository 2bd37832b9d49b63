#include "base/damage.hpp"
#include "base/temp_folder.hpp"
#include "sparse/sample.hpp"

#include <widehash/error.hpp>

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace widehash {
namespace {

using test::message_of;
using test::Sample;
using test::TempFolder;
using testing::AllOf;
using testing::HasSubstr;

class DatasetTest : public testing::Test {
 protected:
  void write(std::size_t rows, std::size_t shard_rows, CodeBytes code_bytes = CodeBytes::least_in_runs) {
    sample_ = test::every_kind_sample(rows, 1, code_bytes);
    manifest_ = test::write_dataset(test::every_kind_schema(), test::every_kind_heads(), sample_.batch.view(),
                                    shard_rows, folder_.path());
  }

  TempFolder folder_;
  Sample sample_;
  Manifest manifest_;
};

TEST_F(DatasetTest, ShardsInOrderAreTheRows) {
  write(100, 33);
  const Dataset dataset(folder_.path());
  EXPECT_EQ(dataset.num_rows(), 100u);
  ASSERT_EQ(dataset.num_shards(), 4u);
  EXPECT_TRUE(same_layout(*dataset.layout(), *sample_.layout));
  CodeBatch joined(dataset.layout());
  for (std::size_t i = 0; i < dataset.num_shards(); ++i) joined.append(dataset.open_shard(i, true).view());
  EXPECT_TRUE(test::same_rows(joined.view(), sample_.batch.view()));
}

TEST_F(DatasetTest, RowsOfEarlierVersionsAreReadAsTheyWereWritten) {
  for (const CodeBytes code_bytes : {CodeBytes::two, CodeBytes::least}) {
    write(100, 33, code_bytes);
    const Dataset dataset(folder_.path());
    EXPECT_EQ(dataset.layout()->code_bytes, code_bytes);
    EXPECT_EQ(dataset.layout()->byte_codes == 0, code_bytes == CodeBytes::two);
    EXPECT_TRUE(same_layout(*dataset.layout(), *sample_.layout));
    CodeBatch joined(dataset.layout());
    for (std::size_t i = 0; i < dataset.num_shards(); ++i) {
      EXPECT_FALSE(dataset.open_shard(i, true).view().has_packed_runs());
      joined.append(dataset.open_shard(i, true).view());
    }
    EXPECT_TRUE(test::same_rows(joined.view(), sample_.batch.view()));
  }
}

TEST_F(DatasetTest, OneWithPackedRunsAndOneWithoutAreReadTogether) {
  write(10, 5, CodeBytes::least);
  const TempFolder other;
  const Manifest packed = test::write_dataset(test::every_kind_schema(), test::every_kind_heads(),
                                              test::every_kind_sample(10, 1).batch.view(), 5, other.path());
  ASSERT_EQ(packed.code_bytes, CodeBytes::least_in_runs);
  for (const auto& folders : {std::vector{folder_.path(), other.path()}, {other.path(), folder_.path()}}) {
    const Dataset both = join_datasets(folders);
    CodeBatch joined(both.layout());
    for (std::size_t i = 0; i < both.num_shards(); ++i) joined.append(both.open_shard(i, true).view());
    EXPECT_TRUE(test::same_rows(joined.view().rows(0, 10), sample_.batch.view()));
    EXPECT_TRUE(test::same_rows(joined.view().rows(10, 10), sample_.batch.view()));
  }
}

TEST_F(DatasetTest, OneThatWasReplacedSinceItWasOpenedIsReported) {
  write(100, 33);
  const Dataset dataset(folder_.path());
  EXPECT_NO_THROW(dataset.open_shard(0, true));
  write(100, 50);
  EXPECT_THAT(
      [&] { (void)dataset.open_shard(0, true); },
      testing::ThrowsMessage<DataError>(AllOf(HasSubstr(folder_.path()), HasSubstr("open it again"))));
  // If a shard is damaged or missing, that is reported instead.
  write(100, 33);
  std::filesystem::remove(folder_.file(manifest_.shards[1].file));
  EXPECT_THAT([&] { (void)dataset.open_shard(1, true); },
              testing::ThrowsMessage<FileError>(HasSubstr(manifest_.shards[1].file)));
}

TEST_F(DatasetTest, MayBeEmpty) {
  write(0, 10);
  const Dataset dataset(folder_.path());
  EXPECT_EQ(dataset.num_rows(), 0u);
  EXPECT_EQ(dataset.num_shards(), 0u);
}

TEST_F(DatasetTest, MissingFolderIsAFileError) { EXPECT_THROW(Dataset(folder_.file("missing")), FileError); }

TEST_F(DatasetTest, UnfinishedTransformIsReported) {
  test::overwrite(folder_.file("progress.jsonl"), "{}\n");
  EXPECT_THAT(message_of<DataError>([&] { Dataset dataset(folder_.path()); }), HasSubstr("did not finish"));
}

TEST_F(DatasetTest, SchemaDamageIsNoticedOrWithoutMeaning) {
  write(1, 10);
  const std::string path = folder_.file("schema.toml");
  const std::string whole = read_text_file(path);
  const std::string fingerprint = Dataset(folder_.path()).schema().fingerprint();
  const auto open = [&](const std::string& what) {
    try {
      EXPECT_EQ(Dataset(folder_.path()).schema().fingerprint(), fingerprint) << what;
    } catch (const Error&) {
    }
  };
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      test::overwrite_byte(path, at, static_cast<char>(whole[at] ^ (1 << bit)));
      open("byte " + std::to_string(at) + ", bit " + std::to_string(bit));
    }
    test::overwrite_byte(path, at, whole[at]);
  }
  for (std::size_t length = whole.size(); length-- > 0;) {
    std::filesystem::resize_file(path, length);
    open("cut to " + std::to_string(length));
  }
  for (const char* more : {" ", "\n", "#", "x", "\nseed = 1\n", "\n[[feature]]\n"}) {
    test::overwrite(path, whole + more);
    open(more);
  }
}

TEST_F(DatasetTest, AnotherSchemaIsNoticed) {
  write(1, 10);
  Schema schema = test::every_kind_schema();
  schema.features[0].cardinality = 1001;  // the same width, but a different plan
  write_text_file(folder_.file("schema.toml"), to_toml(schema));
  EXPECT_THAT(message_of<DataError>([&] { Dataset dataset(folder_.path()); }),
              HasSubstr("schema.toml: not the schema"));
}

TEST_F(DatasetTest, ManifestMustFitTheSchema) {
  write(1, 10);
  manifest_.num_columns += 1;
  write_manifest(manifest_, folder_.path());
  EXPECT_THAT(message_of<DataError>([&] { Dataset dataset(folder_.path()); }),
              HasSubstr("manifest.json: it says"));
  manifest_.head_columns.pop_back();
  write_manifest(manifest_, folder_.path());
  EXPECT_THROW(Dataset(folder_.path()), DataError);
}

}  // namespace
}  // namespace widehash
