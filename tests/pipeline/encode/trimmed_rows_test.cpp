// Compares rows in memory under a schema with `trim` with the same rows in a file.

#include "pipeline/pipeline_kit.hpp"

#include <widehash/column_table.hpp>
#include <widehash/value_column.hpp>

#include <algorithm>

namespace widehash::test {
namespace {

TEST(TrimmedRows, InMemoryAreThoseOfFiles) {
  const char* const toml = R"(
trim = true
missing_values = ["NA"]
label = { field = "y", positive = ["yes"], negative = ["no"] }
[[feature]]
field = "a"
cardinality = 100000
[[feature]]
name = "a x many"
cross = ["a", "many"]
cardinality = 1000
separator = "|"
[[feature]]
field = "a"
name = "one column"
encoding = "one_hot"
buckets = 500
missing = "skip"
[[feature]]
field = "many"
cardinality = 50
separator = "|"
[[feature]]
field = "n"
encoding = "numeric"
)";
  const std::vector<std::string_view> columns[] = {{" x ", "x", "  ", " NA", "a b "},
                                                   {" p | q ", "p", " p |q", "", " "},
                                                   {" 1", "2 ", " 3 ", "", " NA "},
                                                   {"yes", " yes", "no ", " no ", "no"}};
  const char* const names[] = {"a", "many", "n", "y"};
  TempFolder folder;
  std::string text = "a\tmany\tn\ty\n";
  ColumnTable table;
  std::vector<std::string_view> values;
  for (std::size_t column = 0; column < 4; ++column) table.add(names[column], text_column(columns[column]));
  for (std::size_t row = 0; row < 5; ++row) {
    for (std::size_t column = 0; column < 4; ++column) {
      values.push_back(columns[column][row]);
      text += std::string(columns[column][row]) + (column < 3 ? '\t' : '\n');
    }
  }
  write_text_file(folder.file("rows.tsv"), text);
  run_transform(toml, {folder.file("rows.tsv")}, folder.file("data"));
  const CodeBatch expected = all_rows(Dataset(folder.file("data")));

  const Encoder encoder(parse_schema(toml, "schema.toml"));
  CodeBatch of_rows(encoder.layout());
  std::vector<EncodeIssue> issues;
  encoder.encode({values, 4}, encoder.bind(table.names(), "rows", true), of_rows, issues);
  EXPECT_TRUE(issues.empty());
  const CodeBatch of_table = encoder.encode(table);
  for (const CodeBatchView& batch : {of_rows.view(), of_table.view()}) {
    EXPECT_EQ(matrix_rows(batch), matrix_rows(expected.view()));
    EXPECT_TRUE(std::ranges::equal(batch.targets, expected.targets));
  }
}

TEST(TrimmedRows, KeepWhatQuotesAndListsHaveKept) {
  const std::vector<std::string_view> spaced{" x "};
  const std::string_view of_a[] = {" x "};
  const Encoder plain(parse_schema("[[feature]]\nfield = \"a\"\ncardinality = 100000\n", "schema.toml"));
  const Encoder trims(
      parse_schema("trim = true\n[[feature]]\nfield = \"a\"\ncardinality = 100000\n", "schema.toml"));
  EXPECT_EQ(trims.encode({spaced, 1, {}, true}).codes, plain.encode({spaced, 1}).codes);
  EXPECT_NE(trims.encode({spaced, 1}).codes, plain.encode({spaced, 1}).codes);
  const char* const multi = "[[feature]]\nfield = \"a\"\ncardinality = 100000\nseparator = \"|\"\n";
  ColumnTable lists;
  lists.add("a", list_column({0, 1}, text_column(of_a)));
  EXPECT_EQ(Encoder(parse_schema("trim = true\n" + std::string(multi), "s.toml")).encode(lists).ragged,
            Encoder(parse_schema(multi, "s.toml")).encode(lists).ragged);
}

TEST(TrimmedRows, OfDictionariesAreThoseOfTheirTexts) {
  const Encoder encoder(
      parse_schema("trim = true\n[[feature]]\nfield = \"a\"\ncardinality = 100000\n", "schema.toml"));
  const std::vector<std::string_view> values{" x ", "x"};
  const std::vector<std::int32_t> indices{0, 1, 0, 1, 0, 1};
  ColumnTable table;
  table.add("a", dictionary_column(std::span(indices), text_column(values)));
  const CodeBatch batch = encoder.encode(table);
  const std::vector<std::string_view> texts(6, "x");
  EXPECT_EQ(batch.codes, encoder.encode({texts, 1}).codes);
}

}  // namespace
}  // namespace widehash::test
