#include "pipeline/memory_table.hpp"
#include "pipeline/pipeline_kit.hpp"

#include <widehash/column_table.hpp>
#include <widehash/threads.hpp>

#include <algorithm>
#include <deque>
#include <random>

#include <fmt/format.h>

namespace widehash::test {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(TableEncoding, GiveTheBatchOfTheSameRows) {
  const Encoder encoder(parse_schema(memory_table_schema, "schema.toml"));
  for (const std::size_t num_rows : {0, 1, 255, 256, 257, 4095, 4096, 4097, 10000}) {
    const MemoryTable table(num_rows);
    const std::vector<std::string> names = MemoryTable::column_names();
    const std::vector<std::string_view> values = table.values();
    const FieldBinding binding = encoder.bind(names, "rows", true);
    CodeBatch expected(encoder.layout());
    std::vector<EncodeIssue> issues;
    encoder.encode({values, names.size()}, binding, expected, issues);
    for (const std::size_t threads : {1, 2, 5}) {
      with_threads(threads, [&] {
        const CodeBatch batch = encoder.encode(table.whole());
        ASSERT_EQ(batch.num_rows(), num_rows);
        ASSERT_EQ(matrix_rows(batch.view()), matrix_rows(expected.view()));
        ASSERT_EQ(batch.targets, expected.targets);
        ASSERT_EQ(batch.weights, expected.weights);
      });
    }
  }
}

TEST(TableEncoding, NumbersAreTheCodesOfTheirTexts) {
  const Encoder encoder(parse_schema("[[feature]]\nfield = \"a\"\ncardinality = 1000\n", "schema.toml"));
  const std::vector<std::int64_t> numbers{-7, 0, 12345678901};
  const std::vector<double> floats{-7, 0, 12345678901};
  const std::vector<std::string_view> texts{"-7", "0", "12345678901"};
  const auto rows = [&](ValueColumnPointer column) {
    ColumnTable table;
    table.add("a", std::move(column));
    return matrix_rows(encoder.encode(table).view());
  };
  EXPECT_EQ(rows(number_column(std::span<const std::int64_t>(numbers))), rows(text_column(texts)));
  EXPECT_EQ(rows(number_column(std::span<const double>(floats))), rows(text_column(texts)));
}

TEST(TableEncoding, ABadRowIsNamedWhereverItStands) {
  const Encoder encoder(parse_schema(memory_table_schema, "schema.toml"));
  for (const std::size_t bad_row : {0, 300, 4096, 9999}) {
    const MemoryTable of_memory(10000, {bad_row});
    const ColumnTable table = of_memory.whole();
    try {
      encoder.encode(table);
      FAIL() << bad_row;
    } catch (const DataError& error) {
      EXPECT_EQ(error.row(), bad_row + 1);
      EXPECT_THAT(error.what(), HasSubstr("'n'"));
    }
    CodeBatch batch(encoder.layout());
    std::vector<EncodeIssue> issues;
    encoder.encode(table, encoder.bind(table.names(), "table", true), batch, issues);
    EXPECT_EQ(batch.num_rows(), 9999u);
    ASSERT_EQ(issues.size(), 1u);
    EXPECT_EQ(issues[0].row, bad_row);
  }
}

TEST(TableEncoding, RowsAfterBadOnesAndBehindOthersAreThoseOfTheSameRows) {
  const Encoder encoder(parse_schema(memory_table_schema, "schema.toml"));
  const MemoryTable of_memory(10000, {0, 1, 255, 4095, 4096, 5000, 9999});
  const ColumnTable table = of_memory.whole();
  const std::vector<std::string_view> values = of_memory.values();
  const FieldBinding binding = encoder.bind(table.names(), "rows", true);
  CodeBatch expected(encoder.layout());
  CodeBatch batch(encoder.layout());
  std::vector<EncodeIssue> expected_issues;
  std::vector<EncodeIssue> issues;
  for (int round = 0; round < 2; ++round) {
    encoder.encode({values, table.names().size()}, binding, expected, expected_issues);
    with_threads(3, [&] { encoder.encode(table, binding, batch, issues); });
  }
  ASSERT_EQ(batch.num_rows(), 2 * (10000u - 7u));
  EXPECT_EQ(matrix_rows(batch.view()), matrix_rows(expected.view()));
  EXPECT_EQ(batch.targets, expected.targets);
  EXPECT_EQ(batch.weights, expected.weights);
  ASSERT_EQ(issues.size(), expected_issues.size());
  for (std::size_t i = 0; i < issues.size(); ++i) {
    EXPECT_EQ(issues[i].row, expected_issues[i].row);
    EXPECT_EQ(issues[i].reason, expected_issues[i].reason);
  }
}

/// A text column as dictionary indices; absent texts have negative indices.
struct DictionaryForm {
  std::vector<std::string_view> values;
  std::vector<std::int16_t> indices;

  explicit DictionaryForm(const std::vector<std::string_view>& texts) {
    for (const std::string_view text : texts) {
      if (text.empty()) {
        indices.push_back(-1);
        continue;
      }
      const auto found = std::ranges::find(values, text);
      indices.push_back(static_cast<std::int16_t>(found - values.begin()));
      if (found == values.end()) values.push_back(text);
    }
  }
  ValueColumnPointer column() const {
    return dictionary_column(std::span<const std::int16_t>(indices), text_column(values));
  }
};

TEST(TableEncoding, DictionariesGiveTheCodesOfTheirTexts) {
  // Codes of one and two bytes, absent values of both, and other features of the same fields.
  constexpr const char* schema_text = R"(
label = "y"
weight = "w"
missing_values = ["a3"]
[[feature]]
field = "a"
cardinality = 100000
[[feature]]
name = "a again"
field = "a"
cardinality = 90000
missing = "skip"
[[feature]]
field = "b"
cardinality = 50
missing = "skip"
[[feature]]
name = "a x b"
cross = ["a", "b"]
cardinality = 1000
[[feature]]
field = "c"
encoding = "one_hot"
buckets = 11
[[feature]]
name = "c as a code"
field = "c"
cardinality = 3
[[feature]]
field = "d"
cardinality = 70000
[[feature]]
name = "weight"
field = "w"
cardinality = 10
)";
  const std::vector<std::string> names{"y", "w", "a", "b", "c", "d"};
  std::mt19937_64 random(11);
  for (const std::string hash : {"", "hash = \"xxh3_128\"\n"}) {
    const Encoder encoder(parse_schema(hash + schema_text, "schema.toml"));
    for (const std::size_t num_rows : {0, 1, 100, 255, 257, 4097, 9000}) {
      std::vector<std::vector<std::string>> texts(names.size());
      for (std::size_t row = 0; row < num_rows; ++row) {
        const auto text = [&](const char* format, unsigned values) {
          const std::uint64_t value = random() % (values + 1);
          return value == values ? std::string() : fmt::format(fmt::runtime(format), value);
        };
        texts[0].push_back(random() % 300 == 0 ? "neither" : fmt::format("{}", random() % 2));
        texts[1].push_back(fmt::format("{}", 1 + random() % 3));
        texts[2].push_back(text("a{}", 40));
        texts[3].push_back(text("{}b", 7));
        texts[4].push_back(text("value {} of c, which is a long one", 20));
        texts[5].push_back(text("d{}", 3000));  // too many for a dictionary to pay
      }
      ColumnTable table;
      ColumnTable dictionaries;
      std::vector<std::vector<std::string_view>> views(names.size());
      std::deque<DictionaryForm> forms;
      for (std::size_t i = 0; i < names.size(); ++i) {
        views[i].assign(texts[i].begin(), texts[i].end());
        table.add(names[i], text_column(views[i]));
        dictionaries.add(names[i], forms.emplace_back(views[i]).column());
      }
      const FieldBinding binding = encoder.bind(names, "table", true);
      const auto encode = [&](const ColumnTable& columns, CodeBatch& batch) {
        std::vector<EncodeIssue> issues;
        encoder.encode(columns, binding, batch, issues);
        std::vector<std::size_t> rows;
        for (const EncodeIssue& issue : issues) rows.push_back(issue.row);
        return rows;
      };
      CodeBatch expected(encoder.layout());
      const auto bad_rows = encode(table, expected);
      for (const std::size_t threads : {1, 3}) {
        with_threads(threads, [&] {
          CodeBatch batch(encoder.layout());
          EXPECT_EQ(encode(dictionaries, batch), bad_rows);
          ASSERT_EQ(batch.num_rows(), expected.num_rows());
          EXPECT_TRUE(batch.codes == expected.codes) << num_rows << " rows";
          EXPECT_EQ(batch.columns, expected.columns);
          EXPECT_EQ(batch.targets, expected.targets);
          EXPECT_EQ(batch.weights, expected.weights);
        });
      }
    }
  }
}

/// Rows of lists, and the same rows as texts with `separator` between the values.
struct ListForm {
  std::vector<std::uint64_t> offsets{0};
  std::vector<std::string> values;
  std::vector<std::string> texts;
  std::vector<std::string_view> value_views;

  ListForm(std::size_t num_rows, char separator, const std::string& inside) {
    std::mt19937_64 random(5);
    for (std::size_t row = 0; row < num_rows; ++row) {
      std::string text;
      const std::uint64_t count = random() % 5;
      for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t value = random() % 30;
        // A missing value is empty or a text from the schema.
        values.push_back(value == 0 ? "" : value == 1 ? "NA" : fmt::format("tag{}{}", inside, value));
        text += (i == 0 ? "" : std::string(1, separator)) + values.back();
      }
      texts.push_back(text);
      offsets.push_back(values.size());
    }
    value_views.assign(values.begin(), values.end());
  }
  ValueColumnPointer column() const { return list_column(offsets, text_column(value_views)); }
};

constexpr const char* lists_schema = R"(
missing_values = ["NA"]
[[feature]]
field = "tags"
cardinality = 5000
separator = "|"
[[feature]]
name = "tags that are there"
field = "tags"
encoding = "one_hot"
buckets = 9
separator = "|"
missing = "skip"
[[feature]]
name = "tags x a"
cross = ["tags", "a"]
cardinality = 2000
separator = "|"
[[feature]]
field = "a"
cardinality = 20
)";

TEST(TableEncoding, ListsAreTheSeparatedTextsOfTheirValues) {
  std::string comma = lists_schema;
  std::ranges::replace(comma, '|', ',');
  for (const std::size_t num_rows : {0, 1, 257, 9000}) {
    std::vector<std::string> texts;
    for (std::size_t row = 0; row < num_rows; ++row) texts.push_back(fmt::format("a{}", row % 20));
    const std::vector<std::string_view> a(texts.begin(), texts.end());
    // A separator inside a value of a list is an ordinary byte.
    for (const auto& [separator, inside] : {std::pair('|', ""), std::pair(',', "|")}) {
      const ListForm form(num_rows, separator, inside);
      const std::vector<std::string_view> separated(form.texts.begin(), form.texts.end());
      ColumnTable lists;
      lists.add("tags", form.column());
      lists.add("a", text_column(a));
      ColumnTable table;
      table.add("tags", text_column(separated));
      table.add("a", text_column(a));
      const Encoder of_lists(parse_schema(lists_schema, "schema.toml"));
      const Encoder of_texts(parse_schema(separator == '|' ? lists_schema : comma, "schema.toml"));
      const auto expected = matrix_rows(of_texts.encode(table).view());
      for (const std::size_t threads : {1, 3}) {
        with_threads(threads,
                     [&] { EXPECT_EQ(matrix_rows(of_lists.encode(lists).view()), expected) << num_rows; });
      }
    }
  }
}

TEST(TableEncoding, CombinationsOfListsHaveTheBoundOfThoseOfTexts) {
  const Encoder encoder(
      parse_schema("[[feature]]\nname = \"c\"\ncross = [\"a\", \"b\"]\ncardinality = 9\nseparator = \"|\"\n",
                   "schema.toml"));
  const std::vector<std::string_view> values(1028, "x|y");
  ColumnTable table;
  table.add("a", list_column({0, 256, 513, 514}, text_column(values)));
  table.add("b", list_column({514, 770, 1026, 1026}, text_column(values)));
  CodeBatch batch(encoder.layout());
  std::vector<EncodeIssue> issues;
  encoder.encode(table, encoder.bind(table.names(), "table", true), batch, issues);
  EXPECT_EQ(batch.num_rows(), 2u);
  ASSERT_EQ(issues.size(), 1u);
  EXPECT_EQ(issues[0].row, 1u);
  EXPECT_THAT(issues[0].reason, HasSubstr("more than 65536 combinations"));
}

TEST(TableEncoding, ListsAreForMultiValuedFeaturesOnly) {
  const std::vector<std::string_view> values{"x", "y"};
  ColumnTable table;
  table.add("tags", list_column({0, 2}, text_column(values)));
  table.add("y", list_column({0, 2}, text_column(values)));
  const auto refused = [&](const char* schema, const char* words) {
    const Encoder encoder(parse_schema(schema, "schema.toml"));
    EXPECT_THAT([&] { encoder.encode(table); }, ThrowsMessage<ConfigError>(HasSubstr(words)));
  };
  refused(
      "[[feature]]\nfield = \"tags\"\ncardinality = 9\n",
      "feature 'tags' takes one value a row, but column 'tags' holds lists; give feature 'tags' a separator");
  refused(
      "[[feature]]\nname = \"two\"\ncross = [\"tags\", \"tags\"]\ncardinality = 9\n",
      "feature 'two' takes one value a row, but column 'tags' holds lists; give feature 'two' a separator");
  refused("label = \"y\"\n[[feature]]\nfield = \"tags\"\ncardinality = 9\nseparator = \"|\"\n",
          "the label takes one value a row, but column 'y' holds lists");
  const Encoder numbers(
      parse_schema("[[feature]]\nfield = \"tags\"\nencoding = \"numeric\"\n", "schema.toml"));
  EXPECT_THAT(
      complaint<ConfigError>([&] { numbers.encode(table); }),
      testing::AllOf(HasSubstr("column 'tags' holds lists"), HasSubstr("a column with a single number"),
                     testing::Not(HasSubstr("separator"))));
}

TEST(TableEncoding, AMissingFieldIsNamed) {
  const Encoder encoder(parse_schema("[[feature]]\nfield = \"a\"\ncardinality = 1000\n", "schema.toml"));
  ColumnTable table;
  table.leave_out("A");
  table.add("b", missing_column(1));
  table.leave_out("when");
  EXPECT_THAT([&] { encoder.encode(table); },
              ThrowsMessage<ConfigError>(
                  HasSubstr("table in memory: has no field 'a', which the schema uses in a feature; "
                            "its fields are: A, b, when; did you mean 'A'?")));
}

// A data frame has no lines and no delimiter.
TEST(TableEncoding, AMissingFieldIsNotBlamedOnTheFormOfAFile) {
  const Encoder encoder(parse_schema("[[feature]]\nfield = \"a\"\ncardinality = 1000\n", "schema.toml"));
  for (const char* name : {"price (USD; net)", "\"quoted\"", "7"}) {
    ColumnTable table;
    table.add(name, missing_column(1));
    EXPECT_THAT([&] { encoder.encode(table); },
                ThrowsMessage<ConfigError>(testing::EndsWith(fmt::format("its fields are: {}", name))));
  }
}

TEST(TableEncoding, OfManyFieldsSomeAreNamed) {
  const Encoder encoder(parse_schema("[[feature]]\nfield = \"a\"\ncardinality = 1000\n", "schema.toml"));
  ColumnTable table;
  for (int i = 0; i < 10'000; ++i) table.leave_out("field " + std::to_string(i));
  table.leave_out(std::string(1'000'000, 'x'));
  try {
    encoder.encode(table);
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), HasSubstr("its fields are: field 0, field 1, "));
    EXPECT_THAT(error.what(), HasSubstr("... (10001 in all)"));
    EXPECT_LT(std::string(error.what()).size(), 1500U);
  }
}

TEST(TableEncoding, ABindingOfOtherColumnsIsRefused) {
  const Encoder encoder(parse_schema("[[feature]]\nfield = \"a\"\ncardinality = 1000\n", "schema.toml"));
  const std::vector<std::string> names{"a", "b"};
  ColumnTable table;
  table.add("a", missing_column(1));
  CodeBatch batch(encoder.layout());
  std::vector<EncodeIssue> issues;
  EXPECT_THROW(encoder.encode(table, encoder.bind(names, "rows", true), batch, issues), ShapeError);
}

TEST(TableEncoding, ABindingOfColumnsInAnotherOrderIsRefused) {
  const Encoder encoder(parse_schema(
      "[[feature]]\nfield = \"a\"\ncardinality = 1000\n[[feature]]\nfield = \"b\"\ncardinality = 1000\n",
      "schema.toml"));
  const auto table_of = [](const std::vector<std::string>& names) {
    ColumnTable table;
    for (const std::string& name : names) table.add(name, missing_column(1));
    return table;
  };
  const FieldBinding binding = encoder.bind(table_of({"a", "b"}), true);
  CodeBatch batch(encoder.layout());
  std::vector<EncodeIssue> issues;
  encoder.encode(table_of({"a", "b"}), binding, batch, issues);
  EXPECT_EQ(batch.num_rows(), 1U);
  for (const std::vector<std::string>& names : {std::vector<std::string>{"b", "a"}, {"a", "c"}})
    EXPECT_THROW(encoder.encode(table_of(names), binding, batch, issues), ShapeError);
}

TEST(TableEncoding, FoldsAreOfText) {
  const Encoder encoder(parse_schema("[[feature]]\nfield = \"a\"\ncardinality = 1000\n", "schema.toml"));
  ColumnTable table;
  table.add("a", missing_column(1));
  FieldBinding binding = encoder.bind(table, true);
  binding.folds = parse_folds("1/3");
  CodeBatch batch(encoder.layout());
  std::vector<EncodeIssue> issues;
  EXPECT_THROW(encoder.encode(table, binding, batch, issues), ConfigError);
}

TEST(TableEncoding, AFieldMayHaveAnEmptyName) {
  const Encoder encoder(
      parse_schema("[[feature]]\nname = \"index\"\nfield = \"\"\ncardinality = 1000\n", "schema.toml"));
  EXPECT_EQ(encoder.field_names(), std::vector<std::string>{""});
  const std::vector<std::string_view> values{"p", "q", "p", "q", "p", "p"};
  const CodeBatch expected = encoder.encode(RowsView{values, 1});
  ColumnTable texts;
  texts.add("", text_column(values));
  EXPECT_EQ(encoder.encode(texts).codes, expected.codes);
  const std::vector<std::int32_t> indices{0, 1, 0, 1, 0, 0};
  ColumnTable dictionary;
  dictionary.add("", dictionary_column<std::int32_t>(indices, text_column(std::span(values).first(2))));
  EXPECT_EQ(encoder.encode(dictionary).codes, expected.codes);
}

}  // namespace
}  // namespace widehash::test
