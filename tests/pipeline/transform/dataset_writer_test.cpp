#include "base/address_limit.hpp"
#include "pipeline/memory_table.hpp"
#include "pipeline/pipeline_kit.hpp"

#include <widehash/dataset_writer.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <latch>
#include <memory>
#include <numeric>
#include <system_error>
#include <thread>
#include <type_traits>

namespace widehash::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

// Some tens of rows per shard.
constexpr std::uint64_t small_shards = 4096;

class DatasetWriting : public testing::Test {
 protected:
  DatasetWriterOptions options(const std::string& name) const {
    DatasetWriterOptions options;
    options.output_directory = folder.file(name);
    options.shard_bytes = small_shards;
    return options;
  }
  /// Only names: while a writer is at work, a file may be renamed before it can be read.
  std::vector<std::string> files(const std::string& name) const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.file(name))) {
      if (entry.is_regular_file())
        names.push_back(std::filesystem::relative(entry.path(), folder.file(name)).string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  TempFolder folder;
  Encoder encoder{parse_schema(memory_table_schema, "schema.toml")};
};

TEST_F(DatasetWriting, GivesTheRowsOfTheSameText) {
  for (const std::size_t num_rows : {0, 1, 50, 5000}) {
    const MemoryTable table(num_rows);
    write_text_file(folder.file("rows.tsv"), table.tsv());
    TransformOptions over;
    over.overwrite = true;
    run_transform(memory_table_schema, {folder.file("rows.tsv")}, folder.file("of text"), over);
    DatasetWriterOptions given = options("of memory");
    given.overwrite = true;
    DatasetWriter writer(encoder, given);
    for (const ColumnTable& batch : table.batches(700, num_rows)) writer.append(batch);
    const Manifest manifest = writer.finish();
    EXPECT_EQ(manifest.rows, num_rows);
    EXPECT_EQ(manifest.rejected_rows, 0U);

    const Dataset of_text(folder.file("of text"));
    const Dataset of_memory(folder.file("of memory"));
    EXPECT_EQ(of_memory.fingerprint(), of_text.fingerprint());
    EXPECT_EQ(of_memory.num_shards(), manifest.shards.size());
    const CodeBatch expected = all_rows(of_text);
    const CodeBatch found = all_rows(of_memory);
    ASSERT_EQ(matrix_rows(found.view()), matrix_rows(expected.view()));
    ASSERT_EQ(found.targets, expected.targets);
    ASSERT_EQ(found.weights, expected.weights);
    EXPECT_EQ(verify_dataset(folder.file("of memory")).rows, num_rows);
  }
}

TEST_F(DatasetWriting, BytesDependNeitherOnCutsNorOnThreads) {
  const MemoryTable table(3000, {5, 2999});
  const auto write = [&](const std::string& name, std::size_t threads, std::size_t most) {
    DatasetWriterOptions given = options(name);
    given.max_bad_rows = 2;
    with_threads(threads, [&] {
      DatasetWriter writer(encoder, given);
      for (const ColumnTable& batch : table.batches(most, most)) writer.append(batch);
      writer.finish();
    });
    return folder_bytes(folder.file(name));
  };
  const auto expected = write("whole", 1, 1'000'000);
  EXPECT_GT(expected.size(), 10U);
  EXPECT_EQ(difference(write("pieces", 3, 100), expected), "");
  EXPECT_EQ(difference(write("crumbs", 2, 3), expected), "");
}

TEST_F(DatasetWriting, RowsThatWereEncodedElsewhereAreTheSame) {
  const MemoryTable table(2000);
  DatasetWriter of_tables(encoder, options("tables"));
  of_tables.append(table.whole());
  of_tables.finish();
  DatasetWriter of_batches(encoder, options("batches"));
  for (const ColumnTable& part : table.batches(300, 1)) of_batches.append(encoder.encode(part).view());
  of_batches.finish();
  EXPECT_EQ(difference(folder_bytes(folder.file("batches")), folder_bytes(folder.file("tables"))), "");
}

TEST_F(DatasetWriting, BadRowsAreListedByTheirPlaceInAllTables) {
  const MemoryTable table(500, {0, 250, 499});
  DatasetWriterOptions given = options("data");
  given.max_bad_rows = 3;
  DatasetWriter writer(encoder, given);
  for (const ColumnTable& batch : table.batches(60, 2)) writer.append(batch);
  const Manifest manifest = writer.finish();
  EXPECT_EQ(manifest.rows, 497U);
  EXPECT_EQ(manifest.rejected_rows, 3U);
  const std::string listed = read_text_file(folder.file("data/rejected.tsv"));
  for (const char* row : {"table in memory\t1\t", "table in memory\t251\t", "table in memory\t500\t"})
    EXPECT_THAT(listed, HasSubstr(row));
  EXPECT_EQ(verify_dataset(folder.file("data")).rejected_rows, 3U);
}

TEST_F(DatasetWriting, ABadRowTooManyEndsItAndLeavesItsList) {
  const MemoryTable table(500, {100, 300});
  for (const std::uint64_t allowed : {0, 1}) {
    DatasetWriterOptions given = options(fmt::format("data {}", allowed));
    given.max_bad_rows = allowed;
    DatasetWriter writer(encoder, given);
    writer.append(table.rows(0, 90));
    try {
      writer.append(table.rows(90, 410));
      FAIL() << allowed;
    } catch (const DataError& error) {
      EXPECT_EQ(error.row(), allowed == 0 ? 101U : 301U);
      EXPECT_THAT(error.what(), HasSubstr("'n'"));
    }
    if (allowed == 0) {
      EXPECT_FALSE(std::filesystem::exists(folder.file("data 0")));
    } else {
      EXPECT_THAT(files("data 1"), ElementsAre("rejected.tsv"));
    }
    EXPECT_THAT([&] { writer.finish(); }, ThrowsMessage<ConfigError>(HasSubstr("finished or discarded")));
    EXPECT_THROW(writer.append(table.rows(0, 1)), ConfigError);
    EXPECT_FALSE(writer.is_open());
  }
}

TEST_F(DatasetWriting, BadRowsThatWereLeftOutElsewhereCountAndAreListedByTheirPlaces) {
  const MemoryTable table(500, {30, 250, 499});
  DatasetWriterOptions given = options("tables");
  given.max_bad_rows = 3;
  DatasetWriter of_tables(encoder, given);
  of_tables.append(table.whole());
  of_tables.finish();
  const auto write_batches = [&](const std::string& name, std::uint64_t max_bad_rows) {
    given.output_directory = folder.file(name);
    given.max_bad_rows = max_bad_rows;
    DatasetWriter writer(encoder, given);
    for (const ColumnTable& part : table.batches(60, 1)) {
      CodeBatch rows(encoder.layout());
      std::vector<EncodeIssue> issues;
      encoder.encode(part, encoder.bind(part.names(), "rows", true), rows, issues);
      writer.append(rows.view(), issues);
    }
    return writer.finish();
  };
  const Manifest manifest = write_batches("batches", 3);
  EXPECT_EQ(manifest.rows, 497U);
  EXPECT_EQ(manifest.rejected_rows, 3U);
  EXPECT_EQ(difference(folder_bytes(folder.file("batches")), folder_bytes(folder.file("tables"))), "");
  // Issues give rows within one call, in ascending order.
  given.output_directory = folder.file("twice");
  DatasetWriter writer(encoder, given);
  const std::vector<EncodeIssue> twice = {{1, "bad"}, {1, "bad"}};
  EXPECT_THAT([&] { writer.append(CodeBatch(encoder.layout()).view(), twice); },
              ThrowsMessage<ShapeError>(HasSubstr("counts its rows from 0")));
  EXPECT_EQ(writer.finish().rejected_rows, 0U);
  try {
    write_batches("too many", 2);
    FAIL();
  } catch (const DataError& error) {
    EXPECT_EQ(error.row(), 500U);
  }
  EXPECT_THAT(files("too many"), ElementsAre("rejected.tsv"));
}

TEST_F(DatasetWriting, TablesOfManyRunsAreWrittenInOrder) {
  // More than two full batches of encoding, with a bad row in the last one.
  const std::size_t num_rows = 140'000;
  const MemoryTable table(num_rows, {131'500});
  DatasetWriterOptions given = options("data");
  given.shard_bytes = 1 << 20;
  given.max_bad_rows = 1;
  DatasetWriter writer(encoder, given);
  writer.append(table.whole());
  writer.append(table.rows(0, 10));
  EXPECT_EQ(writer.finish().rows, num_rows + 9);
  EXPECT_THAT(read_text_file(folder.file("data/rejected.tsv")), HasSubstr("table in memory\t131501\t"));
  const CodeBatch found = all_rows(Dataset(folder.file("data")));
  CodeBatch expected(encoder.layout());
  std::vector<EncodeIssue> issues;
  const ColumnTable whole = table.whole();
  encoder.encode(whole, encoder.bind(whole.names(), "rows", true), expected, issues);
  expected.append(encoder.encode(table.rows(0, 10)).view());
  EXPECT_EQ(found.codes, expected.codes);
  EXPECT_EQ(found.ragged, expected.ragged);
  EXPECT_EQ(found.numbers, expected.numbers);
  EXPECT_EQ(found.targets, expected.targets);
}

TEST_F(DatasetWriting, WhatDoesNotFitChangesNothing) {
  const MemoryTable table(100);
  DatasetWriter writer(encoder, options("data"));
  writer.append(table.rows(0, 40));
  ColumnTable of_one_column;
  const std::vector<std::string_view> texts{"x"};
  of_one_column.add("a", text_column(texts));
  EXPECT_THROW(writer.append(of_one_column), ConfigError);
  EXPECT_THROW(writer.append(table.with_column("a", unreadable_column(100, "a", "dates"))), ConfigError);
  const auto dates = unreadable_column(100, "many", "dates");
  std::vector<std::uint64_t> one_each(101);
  std::iota(one_each.begin(), one_each.end(), 0);
  EXPECT_THROW(writer.append(table.with_column("many", list_column(one_each, dates))), ConfigError);
  const Encoder other(parse_schema("[[feature]]\nfield = \"a\"\ncardinality = 9\n", "schema.toml"));
  EXPECT_THROW(writer.append(other.encode(of_one_column).view()), ShapeError);
  EXPECT_THROW(writer.append(CodeBatchView()), ShapeError);
  Schema seeded = encoder.schema();  // the same columns, but other values in them
  seeded.seed = 1;
  EXPECT_THROW(writer.append(Encoder(seeded).encode(table.rows(0, 3)).view()), ShapeError);
  CodeBatch damaged = encoder.encode(table.rows(0, 3));
  damaged.ragged.back() = 4'000'000'000;
  EXPECT_THROW(writer.append(damaged.view()), DataError);
  writer.append(table.rows(40, 60));
  EXPECT_EQ(writer.finish().rows, 100U);
  EXPECT_EQ(matrix_rows(all_rows(Dataset(folder.file("data"))).view()),
            matrix_rows(encoder.encode(table.whole()).view()));
}

TEST_F(DatasetWriting, WhatIsNotFinishedIsRemoved) {
  const MemoryTable table(1000);
  {
    DatasetWriter writer(encoder, options("data"));
    writer.append(table.whole());
    writer.append(table.rows(0, 1));  // by now the rows before it are written
    EXPECT_GT(files("data").size(), 5U);
    EXPECT_THROW(DatasetWriter(encoder, options("data")), ConfigError) << "two writers in one folder";
  }
  EXPECT_FALSE(std::filesystem::exists(folder.file("data")));
  {
    DatasetWriter writer(encoder, options("new/deep/data/"));
    EXPECT_TRUE(std::filesystem::exists(folder.file("new/deep/data")));
  }
  EXPECT_FALSE(std::filesystem::exists(folder.file("new")));
  std::filesystem::create_directories(folder.file("data"));
  DatasetWriter writer(encoder, options("data"));
  writer.append(table.whole());
  writer.discard();
  EXPECT_THAT(files("data"), IsEmpty()) << "of somebody else";
}

TEST_F(DatasetWriting, AnOldDatasetStaysUntilTheNewOneIsWhole) {
  const MemoryTable table(1000, {500});
  DatasetWriterOptions given = options("data");
  given.max_bad_rows = 1;
  {
    DatasetWriter writer(encoder, given);
    writer.append(table.whole());
    writer.finish();
  }
  const auto old = folder_bytes(folder.file("data"));
  given.overwrite = true;
  given.max_bad_rows = 0;
  {
    DatasetWriter writer(encoder, given);
    writer.append(table.rows(0, 0));
  }
  EXPECT_EQ(difference(folder_bytes(folder.file("data")), old), "");
  {
    DatasetWriter writer(encoder, given);
    EXPECT_THROW(writer.append(table.whole()), DataError) << "before any row is written";
  }
  EXPECT_EQ(difference(folder_bytes(folder.file("data")), old), "");
  {
    DatasetWriter writer(encoder, given);
    writer.append(table.rows(0, 10));
    EXPECT_EQ(verify_dataset(folder.file("data")).rows, 999U);
    for (int i = 0; i < 3; ++i) writer.append(table.rows(0, 400));  // many shards
    EXPECT_EQ(verify_dataset(folder.file("data")).rows, 999U) << "what is there after a kill";
    EXPECT_GT(files("data/dataset.tmp").size(), 5U);
    EXPECT_THROW(writer.append(table.whole()), DataError);
    EXPECT_FALSE(writer.is_open());
  }
  std::filesystem::remove_all(folder.file("data/dataset.tmp"));  // the list of bad rows
  EXPECT_EQ(difference(folder_bytes(folder.file("data")), old), "");
  {
    DatasetWriter writer(encoder, given);
    for (int i = 0; i < 3; ++i) writer.append(table.rows(0, 400));
  }
  EXPECT_EQ(difference(folder_bytes(folder.file("data")), old), "");
  given.max_bad_rows = 1;
  {
    DatasetWriter writer(encoder, given);
    const MemoryTable worse(1000, {10, 20});
    EXPECT_THAT([&] { writer.append(worse.whole()); },
                ThrowsMessage<DataError>(HasSubstr("dataset.tmp/rejected.tsv")));
  }
  std::filesystem::remove_all(folder.file("data/dataset.tmp"));
  EXPECT_EQ(difference(folder_bytes(folder.file("data")), old), "");
  DatasetWriter again(encoder, given);
  again.append(table.rows(0, 10));
  again.finish();
  DatasetWriter writer(encoder, given);
  EXPECT_EQ(writer.finish().rows, 0U);
  EXPECT_EQ(verify_dataset(folder.file("data")).rows, 0U);
}

TEST_F(DatasetWriting, AWholeDatasetThatCannotBePutInPlaceWaitsAside) {
  const MemoryTable table(1000);
  DatasetWriterOptions given = options("data");
  DatasetWriter first(encoder, given);
  first.append(table.rows(0, 10));
  first.finish();
  const std::string in_the_way = folder.file("data/schema.toml");
  std::filesystem::remove(in_the_way);
  std::filesystem::create_directories(in_the_way + "/of somebody");
  given.overwrite = true;
  {
    DatasetWriter second(encoder, given);
    second.append(table.whole());
    EXPECT_THROW(second.finish(), FileError);
  }
  std::filesystem::remove_all(in_the_way);
  given.overwrite = false;
  EXPECT_THAT([&] { DatasetWriter(encoder, given); },
              ThrowsMessage<ConfigError>(HasSubstr("already holds a dataset")));
  EXPECT_EQ(verify_dataset(folder.file("data")).rows, 1000U);
  EXPECT_FALSE(file_exists(folder.file("data/dataset.tmp")));
}

TEST_F(DatasetWriting, WhatStandsInTheFolderIsReplacedOnlyWhereThatIsAsked) {
  const MemoryTable table(1000);
  const auto refused = [&](const char* why) {
    EXPECT_THAT([&] { DatasetWriter(encoder, options("data")); }, ThrowsMessage<ConfigError>(HasSubstr(why)));
  };
  std::filesystem::create_directories(folder.file("data"));
  write_text_file(folder.file("data/part-00000-000000.shard"), "somebody's");
  refused("holds shards");
  EXPECT_THAT([&] { Dataset(folder.file("data")); }, ThrowsMessage<DataError>(HasSubstr("did not finish")));
  write_text_file(folder.file("data/progress.jsonl"), "of a transform");
  refused("an unfinished transform");
  DatasetWriterOptions given = options("data");
  given.overwrite = true;
  DatasetWriter first(encoder, given);
  first.append(table.whole());
  first.finish();
  refused("already holds a dataset");
  EXPECT_EQ(verify_dataset(folder.file("data")).rows, 1000U);
  DatasetWriter second(encoder, given);
  second.append(table.rows(0, 10));
  second.finish();
  EXPECT_EQ(verify_dataset(folder.file("data")).rows, 10U);
}

TEST_F(DatasetWriting, ATransformOfFilesDoesNotTakeItForItsOwn) {
  const MemoryTable table(10);
  DatasetWriter writer(encoder, options("data"));
  writer.append(table.whole());
  writer.finish();
  write_text_file(folder.file("rows.tsv"), table.tsv());
  EXPECT_THAT([&] { run_transform(memory_table_schema, {folder.file("rows.tsv")}, folder.file("data")); },
              ThrowsMessage<ConfigError>(HasSubstr("already holds a dataset")));
}

static_assert(!std::is_constructible_v<DatasetWriter, Encoder, DatasetWriterOptions>,
              "the encoder would be gone before the writer");

/// Takes threads until the system refuses more. Only for a process that is about to end.
void take_all_threads() {
  static std::latch never(1);
  try {
    for (;;) std::thread([] { never.wait(); }).detach();
  } catch (const std::system_error&) {
  }
}

TEST_F(DatasetWriting, NeedsNoThreadOfItsOwn) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers want all of the address space";
#endif
  const MemoryTable table(100);
  EXPECT_EXIT(
      {
        with_threads(1, [&] {
          DatasetWriter writer(encoder, options("data"));
          test::limit_addresses(std::uint64_t{64} << 20);
          take_all_threads();
          writer.append(table.rows(0, 60));
          writer.append(table.rows(60, 40));
          std::_Exit(writer.finish().rows == 100 ? 3 : 4);
        });
      },
      testing::ExitedWithCode(3), "");
}

}  // namespace
}  // namespace widehash::test
