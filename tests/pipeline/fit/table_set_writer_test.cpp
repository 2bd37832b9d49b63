#include "pipeline/memory_table.hpp"
#include "pipeline/pipeline_kit.hpp"

#include <widehash/table_set_writer.hpp>

namespace widehash::test {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

class TableSetWriting : public testing::Test {
 protected:
  TableSetWriterOptions options(const std::string& name) const {
    TableSetWriterOptions options;
    options.output_directory = folder.file(name);
    return options;
  }
  TableSet write(const MemoryTable& table, const TableSetWriterOptions& given, std::size_t most) const {
    TableSetWriter writer(schema, given);
    for (const ColumnTable& batch : table.batches(most, most)) writer.append(batch);
    return writer.finish();
  }
  /// The lookup tables alone: the list has moments, whose last bits depend on batches.
  std::map<std::string, std::string> tables(const std::string& name) const {
    std::map<std::string, std::string> files = folder_bytes(folder.file(name));
    std::erase_if(files, [](const auto& file) { return !file.first.ends_with(".table"); });
    EXPECT_EQ(files.size(), 4U);
    return files;
  }

  TempFolder folder;
  Schema schema = parse_schema(memory_table_schema, "schema.toml");
};

TEST_F(TableSetWriting, GivesTheTablesOfTheSameText) {
  const MemoryTable table(30'000, {3, 29'000});
  write_text_file(folder.file("rows.tsv"), table.tsv());
  FitOptions of_text;
  of_text.max_bad_rows = 2;
  const FitReport expected =
      run_fit(memory_table_schema, {folder.file("rows.tsv")}, folder.file("of text"), of_text);
  for (const std::size_t most : {50, 3'000, 1'000'000}) {
    for (const std::size_t threads : {1, 3}) {
      TableSetWriterOptions given = options("of memory");
      given.max_bad_rows = 2;
      given.overwrite = true;
      TableSet set;
      with_threads(threads, [&] { set = write(table, given, most); });
      ASSERT_EQ(difference(tables("of memory"), tables("of text")), "") << most << ' ' << threads;
      ASSERT_EQ(set.rows, expected.rows);
      const NumericMoments& found = set.items.back().moments;
      const NumericMoments& known = expected.tables.items.back().moments;
      EXPECT_EQ(found.count, known.count);
      EXPECT_NEAR(found.mean, known.mean, 1e-9);
      EXPECT_NEAR(found.standard_deviation, known.standard_deviation, 1e-9);
      const std::string listed = read_text_file(folder.file("of memory/rejected.tsv"));
      EXPECT_THAT(listed, HasSubstr("table in memory\t4\t"));
      EXPECT_THAT(listed, HasSubstr("table in memory\t29001\t"));
    }
  }
  EXPECT_EQ(verify_tables(load_table_set(folder.file("of memory"))).tables, 4U);
}

TEST_F(TableSetWriting, AreWhatEncodersTake) {
  const char* const exact =
      "label = \"y\"\n[[feature]]\nfield = \"a\"\ncardinality = 5000\nencoding = \"exact\"\n";
  const MemoryTable table(2000);
  TableSetWriter writer(parse_schema(exact, "schema.toml"), options("tables"));
  writer.append(table.whole());
  EXPECT_EQ(writer.finish().rows, 2000U);
  const Encoder encoder(parse_schema(exact, "schema.toml"), folder.file("tables"));
  const CodeBatch batch = encoder.encode(table.whole());
  for (const auto& row : matrix_rows(batch.view()))
    EXPECT_EQ(row.size(), 1U) << "a value outside of the head";
}

TEST_F(TableSetWriting, ABadRowTooManyLeavesTheTablesThatWereThere) {
  write(MemoryTable(1000), options("tables"), 100);
  const auto before = folder_bytes(folder.file("tables"));
  const MemoryTable bad(1000, {10, 20});
  TableSetWriterOptions given = options("tables");
  given.overwrite = true;
  TableSetWriter writer(schema, given);
  writer.append(bad.rows(0, 5));
  try {
    writer.append(bad.rows(5, 995));
    FAIL();
  } catch (const DataError& error) {
    EXPECT_EQ(error.row(), 11U);
  }
  EXPECT_EQ(difference(folder_bytes(folder.file("tables")), before), "");
  EXPECT_THAT([&] { writer.finish(); }, ThrowsMessage<ConfigError>(HasSubstr("finished or discarded")));
  EXPECT_FALSE(writer.is_open());
  given.max_bad_rows = 1;
  TableSetWriter listing(schema, given);
  EXPECT_THROW(listing.append(bad.whole()), DataError);
  EXPECT_THAT(read_text_file(folder.file("tables/rejected.failed.tsv")), HasSubstr("table in memory\t21\t"));
}

TEST_F(TableSetWriting, WhatDoesNotFitChangesNothing) {
  const MemoryTable table(100);
  TableSetWriter writer(schema, options("tables"));
  writer.append(table.rows(0, 50));
  ColumnTable of_one_column;
  const std::vector<std::string_view> texts{"x"};
  of_one_column.add("a", text_column(texts));
  EXPECT_THROW(writer.append(of_one_column), ConfigError);
  EXPECT_THROW(writer.append(table.with_column("b", unreadable_column(100, "b", "dates"))), ConfigError);
  EXPECT_THROW(
      writer.append(table.with_column("b", list_column(std::vector<std::uint64_t>(101), missing_column(0)))),
      ConfigError);
  writer.append(table.rows(50, 50));
  EXPECT_EQ(writer.finish().rows, 100U);
}

TEST_F(TableSetWriting, MoreColumnsThanAMatrixHasAreReportedAtOnce) {
  const Schema large = parse_schema(
      "[[feature]]\nfield = \"a\"\nencoding = \"one_hot\"\nbuckets = 2147483647\n"
      "[[feature]]\nfield = \"b\"\ncardinality = 9\n",
      "schema.toml");
  EXPECT_THAT([&] { TableSetWriter(large, options("large")); },
              ThrowsMessage<ConfigError>(HasSubstr("2147483679 columns together")));
  EXPECT_FALSE(std::filesystem::exists(folder.file("large")));
}

TEST_F(TableSetWriting, WhatStandsInTheFolderIsReplacedOnlyWhereThatIsAsked) {
  const MemoryTable table(100);
  {
    TableSetWriter unfinished(schema, options("tables"));
    unfinished.append(table.whole());
    EXPECT_THROW(TableSetWriter(schema, options("tables")), ConfigError) << "two writers in one folder";
  }
  EXPECT_FALSE(std::filesystem::exists(folder.file("tables")));
  write(table, options("tables"), 10);
  EXPECT_THAT([&] { TableSetWriter(schema, options("tables")); },
              ThrowsMessage<ConfigError>(HasSubstr("already holds tables")));
  TableSetWriterOptions given = options("tables");
  given.overwrite = true;
  EXPECT_EQ(write(MemoryTable(7), given, 10).rows, 7U);
  given.output_directory = folder.file("data");
  write_text_file(folder.file("rows.tsv"), table.tsv());
  run_transform(memory_table_schema, {folder.file("rows.tsv")}, folder.file("data"));
  EXPECT_THAT([&] { TableSetWriter(schema, given); },
              ThrowsMessage<ConfigError>(HasSubstr("holds a dataset")));
}

TEST_F(TableSetWriting, AFitOfFilesDoesNotTakeThemForItsOwn) {
  const MemoryTable table(100);
  write(table, options("tables"), 10);
  write_text_file(folder.file("rows.tsv"), table.tsv());
  EXPECT_THAT([&] { run_fit(memory_table_schema, {folder.file("rows.tsv")}, folder.file("tables")); },
              ThrowsMessage<ConfigError>(HasSubstr("already holds tables")));
}

TEST_F(TableSetWriting, WithTrimGivesTheTablesOfTheSameText) {
  const std::string toml = "trim = true\n[[feature]]\nfield = \"a\"\ncardinality = 9\n";
  const std::vector<std::string_view> texts{" x ", "x", "  ", "y z"};
  write_text_file(folder.file("rows.tsv"), "a\n x \nx\n  \ny z\n");
  run_fit(toml, {folder.file("rows.tsv")}, folder.file("of text"));
  TableSetWriter writer(parse_schema(toml, "schema.toml"), options("of memory"));
  ColumnTable table;
  table.add("a", text_column(texts));
  writer.append(table);
  const TableSet set = writer.finish();
  ASSERT_EQ(set.items.size(), 1U);
  const std::string file = set.items[0].file;
  EXPECT_EQ(read_text_file(folder.file("of memory/" + file)), read_text_file(folder.file("of text/" + file)));
}

}  // namespace
}  // namespace widehash::test
