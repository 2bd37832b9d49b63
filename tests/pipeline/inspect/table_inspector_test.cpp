#include "pipeline/memory_table.hpp"
#include "pipeline/pipeline_kit.hpp"

#include <widehash/inspect.hpp>
#include <widehash/table_inspector.hpp>

namespace widehash::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

ColumnTable table_of(const std::string& name, ValueColumnPointer column) {
  ColumnTable table;
  table.add(name, std::move(column));
  return table;
}

ColumnTable texts(const std::string& name, const std::vector<std::string_view>& values) {
  return table_of(name, text_column(values));
}

TEST(TableInspection, FindsWhatInspectFindsInTheSameText) {
  const TempFolder folder;
  const MemoryTable table(9000);
  write_text_file(folder.file("rows.tsv"), table.tsv());
  InspectOptions options;
  options.inputs = {folder.file("rows.tsv")};
  options.label = "y";
  const InspectReport expected = inspect(options);
  for (const std::size_t most : {100, 10'000'000}) {
    TableInspector inspector("y");
    for (const ColumnTable& batch : table.batches(most, 3)) inspector.append(batch);
    const InspectReport found = inspector.report();
    EXPECT_EQ(found.rows, expected.rows);
    EXPECT_EQ(found.notes, expected.notes);
    ASSERT_EQ(found.fields.size(), expected.fields.size());
    for (std::size_t i = 0; i < found.fields.size(); ++i) {
      const FieldReport& a = found.fields[i];
      const FieldReport& b = expected.fields[i];
      EXPECT_EQ(a.name, b.name);
      EXPECT_EQ(std::tie(a.type, a.missing, a.distinct, a.distinct_is_exact, a.longest_bytes, a.minimum,
                         a.maximum, a.examples, a.label_explained),
                std::tie(b.type, b.missing, b.distinct, b.distinct_is_exact, b.longest_bytes, b.minimum,
                         b.maximum, b.examples, b.label_explained))
          << a.name;
    }
    // The schema is the same except for the list of fields, which a table in memory does not need.
    Schema schema = expected.schema;
    schema.fields.clear();
    EXPECT_EQ(to_toml(found.schema), to_toml(schema));
    EXPECT_EQ(to_toml(parse_schema(found.schema_toml, "proposed")), to_toml(schema));
  }
}

TEST(TableInspection, ListsBecomeMultiValuedFeatures) {
  const std::vector<std::string_view> values{"p", "q", "p", "r"};
  TableInspector inspector("");
  inspector.append(table_of("tags", missing_column(0)));  // no kind is known yet
  inspector.append(table_of("tags", list_column({0, 2, 2, 4}, text_column(values))));
  const InspectReport report = inspector.report();
  EXPECT_EQ(report.rows, 3U);
  EXPECT_EQ(report.fields[0].distinct, 3);
  EXPECT_EQ(report.fields[0].missing, 1U);
  EXPECT_EQ(report.schema.features[0].separator, "|");
  EXPECT_EQ(parse_schema(report.schema_toml, "proposed").features[0].separator, "|");
  const Encoder encoder(report.schema);
  EXPECT_EQ(encoder.encode(table_of("tags", list_column({0, 2}, text_column(values)))).num_rows(), 1U);
  EXPECT_THAT([&] { inspector.append(texts("tags", values)); },
              ThrowsMessage<ConfigError>(HasSubstr("not those of the previous table")));
  EXPECT_THAT(
      [&] {
        TableInspector("tags").append(table_of("tags", list_column({0, 2}, text_column(values))));
      },
      ThrowsMessage<ConfigError>(HasSubstr("the label takes one value a row")));
}

TEST(TableInspection, ColumnsWithoutATextAreLeftOutUnlessTheyAreTheLabel) {
  const std::vector<std::string_view> values{"a", "b"};
  ColumnTable table = texts("x", values);
  table.add("when", unreadable_column(2, "when", "the type of times"));
  TableInspector inspector("");
  inspector.append(table);
  inspector.append(table);
  const InspectReport report = inspector.report();
  ASSERT_EQ(report.schema.features.size(), 1U);
  EXPECT_EQ(report.schema.features[0].name, "x");
  EXPECT_THAT(report.notes, ElementsAre(HasSubstr("left out: column 'when' has the type of times")));
  EXPECT_THAT(report.schema_toml, HasSubstr("# left out: column 'when'"));
  EXPECT_THAT([&] { TableInspector("when").append(table); },
              ThrowsMessage<ConfigError>(HasSubstr("column 'when' has the type of times")));
}

TEST(TableInspection, MaxRowsIsExact) {
  const MemoryTable table(5000);
  TableInspector inspector("", 1234);
  for (const ColumnTable& batch : table.batches(500, 1)) inspector.append(batch);
  EXPECT_EQ(inspector.report().rows, 1234U);
}

TEST(TableInspection, WhatDoesNotFitIsRefused) {
  const std::vector<std::string_view> values{"a", "b"};
  EXPECT_THROW(TableInspector("").report(), ConfigError);
  EXPECT_THAT(
      [&] { TableInspector("late").append(texts("x", values)); },
      ThrowsMessage<ConfigError>(HasSubstr("no field 'late' to use as the label; its fields are: x")));
  TableInspector inspector("");
  inspector.append(texts("x", values));
  EXPECT_THAT([&] { inspector.append(texts("z", values)); },
              ThrowsMessage<ConfigError>(HasSubstr("not those of the previous table (x)")));
  EXPECT_EQ(inspector.report().rows, 2U);
}

TEST(TableInspection, TablesWithoutRowsHaveTheirColumns) {
  TableInspector inspector("");
  inspector.append(table_of("x", missing_column(0)));
  const InspectReport report = inspector.report();
  EXPECT_EQ(report.rows, 0U);
  EXPECT_EQ(report.fields[0].type, "empty");
  EXPECT_EQ(report.schema.features.size(), 1U);
}

TEST(TableInspection, OfATableThatIsRefusedNothingIsCounted) {
  const std::vector<std::string_view> values = {"x", "y", "x"};
  const std::vector<std::string_view> labels = {"0", "1", "1"};
  TableInspector inspector("y");
  ColumnTable bad;
  bad.add("other", text_column(values));
  bad.add("y", unreadable_column(3, "y", "the type of nothing"));
  EXPECT_THROW(inspector.append(bad), ConfigError);
  ColumnTable good;
  good.add("a", text_column(values));
  good.add("y", text_column(labels));
  inspector.append(good);
  const InspectReport report = inspector.report();
  EXPECT_EQ(report.rows, 3u);
  ASSERT_EQ(report.fields.size(), 2u);
  EXPECT_EQ(report.fields[0].missing, 0u);
  EXPECT_EQ(report.fields[0].distinct, 2);
}

}  // namespace
}  // namespace widehash::test
