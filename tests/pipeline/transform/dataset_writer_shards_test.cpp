// Where the shards of a DatasetWriter end.

#include "pipeline/memory_table.hpp"
#include "pipeline/pipeline_kit.hpp"

#include <widehash/dataset_writer.hpp>

#include <algorithm>
#include <filesystem>

namespace widehash::test {
namespace {

constexpr std::uint64_t small_shards = 4096;

class DatasetWriterShards : public testing::Test {
 protected:
  DatasetWriterOptions options(const std::string& name) const {
    DatasetWriterOptions options;
    options.output_directory = folder.file(name);
    options.shard_bytes = small_shards;
    return options;
  }

  TempFolder folder;
  Encoder encoder{parse_schema(memory_table_schema, "schema.toml")};
};

TEST_F(DatasetWriterShards, OfNoBytesAreAnError) {
  DatasetWriterOptions given = options("data");
  given.shard_bytes = 0;
  EXPECT_THROW(DatasetWriter(encoder, given), ConfigError);
  EXPECT_FALSE(std::filesystem::exists(folder.file("data")));
}

TEST_F(DatasetWriterShards, EndByTheBytesOfTheirRows) {
  const Encoder multi(
      parse_schema("[[feature]]\nfield = \"a\"\ncardinality = 1000\nseparator = \"|\"\n", "schema.toml"));
  // Rows of one value, of a hundred values, and of more than fit in a shard.
  std::vector<std::string> texts;
  for (std::size_t row = 0; row < 300; ++row) {
    const std::size_t num_values = row % 50 == 7 ? 1000 : row % 3 == 0 ? 100 : 1;
    std::string text = std::to_string(row);
    for (std::size_t i = 1; i < num_values; ++i) text += '|' + std::to_string(i);
    texts.push_back(text);
  }
  const std::vector<std::string_view> views(texts.begin(), texts.end());
  const auto write = [&](const std::string& name, std::size_t most) {
    DatasetWriter writer(multi, options(name));
    for (std::size_t row = 0; row < views.size(); row += most) {
      ColumnTable table;
      table.add("a", text_column(std::span(views).subspan(row, std::min(most, views.size() - row))));
      writer.append(table);
    }
    return writer.finish();
  };
  const Manifest manifest = write("data", 1000);
  EXPECT_GT(manifest.shards.size(), 20U);
  for (const ManifestShard& shard : manifest.shards) {
    const auto file_bytes = std::filesystem::file_size(folder.file("data/" + shard.file));
    EXPECT_TRUE(shard.rows == 1 || file_bytes < small_shards + 2000) << shard.file << ": " << file_bytes;
  }
  EXPECT_EQ(verify_dataset(folder.file("data")).rows, 300U);
  write("crumbs", 7);
  EXPECT_EQ(difference(folder_bytes(folder.file("crumbs")), folder_bytes(folder.file("data"))), "");
}

TEST_F(DatasetWriterShards, OfRowsOfOneSizeHaveAsManyEach) {
  const Encoder plain(parse_schema("[[feature]]\nfield = \"a\"\ncardinality = 100000\n", "schema.toml"));
  const MemoryTable table(1000);
  DatasetWriter writer(plain, options("data"));
  writer.append(table.whole());
  const Manifest manifest = writer.finish();
  // As in version 0.1: a row takes 8 bytes of codes, plus a fixed 16 bytes.
  const std::uint64_t rows = small_shards / 24;
  for (std::size_t i = 0; i + 1 < manifest.shards.size(); ++i) EXPECT_EQ(manifest.shards[i].rows, rows);
  EXPECT_EQ(manifest.shards.size(), 1000 / rows + 1);
}

}  // namespace
}  // namespace widehash::test
