#include "plain_table.hpp"

#include <widehash/error.hpp>
#include <widehash/internal/row_parser.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace widehash::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using Strings = std::vector<std::string>;

const Dialect tsv{};
const Dialect csv{.delimiter = ',', .quote = '"'};
const Dialect spaced{.delimiter = ',', .quote = '"', .trim = true};

RowBatch parse(const std::string& text, const Dialect& dialect, std::size_t num_fields) {
  RowBatch batch;
  RowParser parser(dialect, num_fields);
  parser.start(text);
  parser.next(batch, 1000);
  return batch;
}

std::string reason_for(const std::string& text, const Dialect& dialect, std::size_t num_fields) {
  const RowBatch batch = parse(text, dialect, num_fields);
  EXPECT_EQ(batch.num_rows, 0u);
  return batch.bad_rows.size() == 1 ? batch.bad_rows[0].reason : "";
}

TEST(RowParser, EmptyValuesAreValues) {
  const std::string text = "\t\t\n\ta\t\n";
  EXPECT_THAT(parse(text, tsv, 3).fields, ElementsAre("", "", "", "", "a", ""));
}

TEST(RowParser, EveryLengthOfValueIsFound) {
  for (std::size_t length = 0; length < 70; ++length) {
    const std::string value(length, 'v');
    const std::string text = value + '\t' + value + "\nx\t" + value;
    EXPECT_THAT(parse(text, tsv, 2).fields, ElementsAre(value, value, "x", value)) << length;
  }
}

TEST(RowParser, NeighboursOfTheDelimiterAreValues) {
  // A byte that differs by one bit from a tab or LF, right after one: inexact word-at-a-time tricks take it
  // for a second one.
  const std::string text = "a\t\x08\x08\x89\x0b\t\x08\n\x0b\x8a\t\x08\x0b\x08\t\x0b\n";
  EXPECT_THAT(parse(text, tsv, 3).fields,
              ElementsAre("a", "\x08\x08\x89\x0b", "\x08", "\x0b\x8a", "\x08\x0b\x08", "\x0b"));
}

TEST(RowParser, NulBytesAndInvalidUtf8PassUnchanged) {
  const std::string text("a\0b\t\xff\xc0\n", 7);
  EXPECT_THAT(parse(text, tsv, 2).fields, ElementsAre(std::string("a\0b", 3), "\xff\xc0"));
}

TEST(RowParser, LineEndsAreLfOrCrlf) {
  const std::string text = "a\tb\r\nc\td\ne\r\tf\r\r\ng\th\r";
  EXPECT_THAT(parse(text, tsv, 2).fields, ElementsAre("a", "b", "c", "d", "e\r", "f\r", "g", "h"));
  EXPECT_THAT(parse(text, tsv, 2).texts, ElementsAre("a\tb", "c\td", "e\r\tf\r", "g\th"));
}

TEST(RowParser, BlankLinesAreRowsOnlyOfSingleFields) {
  const std::string text = "a\n\n\r\nb\n\r";
  EXPECT_THAT(parse(text, tsv, 1).fields, ElementsAre("a", "", "", "b", ""));
  EXPECT_THAT(parse("\n\r\n\n", tsv, 2).bad_rows, IsEmpty());
  const std::string wide = "\na\tb\n\r\n\nc\td\n\r";
  EXPECT_THAT(parse(wide, tsv, 2).fields, ElementsAre("a", "b", "c", "d"));
  EXPECT_THAT(parse(wide, tsv, 2).lines, ElementsAre(1, 4));
}

TEST(RowParser, QuotedValuesHoldDelimitersLineEndsAndQuotes) {
  const std::string text = "\"a,b\",\"c\n\nd\"\n\"say \"\"hi\"\"\",\"\"\n\"\"\"\",5\" wide\n";
  const RowBatch batch = parse(text, csv, 2);
  EXPECT_THAT(batch.fields, ElementsAre("a,b", "c\n\nd", "say \"hi\"", "", "\"", "5\" wide"));
  EXPECT_THAT(batch.lines, ElementsAre(0, 3, 4));
}

TEST(RowParser, WithoutAQuoteQuotesAreBytes) {
  const std::string text = "\"a\tb\"\n";
  EXPECT_THAT(parse(text, tsv, 2).fields, ElementsAre("\"a", "b\""));
}

TEST(RowParser, TrimDropsSpacesOutsideOfQuotes) {
  const std::string text = " a , \" b \" ,\t c  \r\n";
  EXPECT_THAT(parse(text, spaced, 3).fields, ElementsAre("a", " b ", "\t c"));
  EXPECT_THAT(parse(text, {.delimiter = ',', .trim = true}, 3).fields, ElementsAre("a", "\" b \"", "\t c"));
  EXPECT_THAT(parse("   ,   \n", spaced, 2).fields, ElementsAre("", ""));
}

TEST(RowParser, SpacesThatDelimitAreNotTrimmed) {
  const std::string text = "a  b\n";
  for (const char quote : {'\0', '"'}) {
    EXPECT_THAT(parse(text, {.delimiter = ' ', .quote = quote, .trim = true}, 3).fields,
                ElementsAre("a", "", "b"));
  }
}

TEST(RowParser, BadRowsSayWhy) {
  EXPECT_EQ(reason_for("a\tb\tc\n", tsv, 2), "3 fields, but 2 are expected");
  EXPECT_EQ(reason_for("a\n", tsv, 2), "1 field, but 2 are expected");
  EXPECT_EQ(reason_for("a\tb", tsv, 1), "2 fields, but 1 is expected");
  EXPECT_EQ(reason_for("\"a\"b,c\n", csv, 2), "text after the closing quote");
  EXPECT_EQ(reason_for("\"a\" ,c\n", csv, 2), "text after the closing quote");
  EXPECT_EQ(reason_for("a,\"c\n", csv, 2), "a quote that is never closed");
  EXPECT_EQ(reason_for("a\tb\t12345\n", {.max_field_bytes = 4}, 3),
            "field 3 has 5 bytes; at most 4 are allowed (max_field_bytes)");
}

TEST(RowParser, AFieldMayBeAsLongAsTheBound) {
  const std::string text = "1234\t1234\n";
  EXPECT_THAT(parse(text, {.max_field_bytes = 4}, 2).fields, ElementsAre("1234", "1234"));
}

TEST(RowParser, BadRowsKeepPlaceAndTheBeginningOfTheirText) {
  const std::string text = "a\tb\nlonely\nc\td\n" + std::string(500, 'x') + "\n";
  const RowBatch batch = parse(text, tsv, 2);
  EXPECT_THAT(batch.fields, ElementsAre("a", "b", "c", "d"));
  ASSERT_THAT(batch.bad_rows, SizeIs(2));
  EXPECT_EQ(batch.bad_rows[0].line, 1u);
  EXPECT_EQ(batch.bad_rows[0].text, "lonely");
  EXPECT_EQ(batch.bad_rows[1].line, 3u);
  EXPECT_EQ(batch.bad_rows[1].text, std::string(200, 'x'));
}

TEST(RowParser, BatchesTakeGoodAndBadRowsTogether) {
  for (const std::size_t num_rows : {0, 1, 31, 32, 33}) {
    std::string text;
    for (std::size_t i = 0; i < num_rows; ++i) text += i % 3 == 0 ? "bad\n" : "a\tb\n";
    RowParser parser(tsv, 2);
    parser.start(text);
    RowBatch batch;
    std::size_t seen = 0;
    while (parser.next(batch, 32)) {
      const std::size_t rows = batch.num_rows + batch.bad_rows.size();
      EXPECT_EQ(rows, std::min<std::size_t>(32, num_rows - seen));
      EXPECT_EQ(batch.fields.size(), 2 * batch.num_rows);
      seen += rows;
    }
    EXPECT_EQ(seen, num_rows);
  }
}

TEST(RowParser, ABatchUsedAgainDoesNotAllocate) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "value\tvalue\n";
  RowParser parser(tsv, 2);
  RowBatch batch;
  parser.start(text);
  ASSERT_TRUE(parser.next(batch, 500));
  const void* const fields = batch.fields.data();
  const void* const texts = batch.texts.data();
  ASSERT_TRUE(parser.next(batch, 500));
  EXPECT_EQ(batch.fields.data(), fields);
  EXPECT_EQ(batch.texts.data(), texts);
}

TEST(RowParser, NoFieldsAndNoRowsAreRefused) {
  EXPECT_THROW(RowParser(tsv, 0), ShapeError);
  RowParser parser(tsv, 1);
  RowBatch batch;
  EXPECT_THROW(parser.next(batch, 0), ShapeError);
}

TEST(ParseFields, TakesAsManyFieldsAsThereAre) {
  EXPECT_EQ(parse_fields(tsv, ""), Strings{""});
  EXPECT_EQ(parse_fields(tsv, "a\t\tb\r\n"), (Strings{"a", "", "b"}));
  EXPECT_EQ(parse_fields(csv, "\"a,\"\"b\"\"\",c"), (Strings{"a,\"b\"", "c"}));
  EXPECT_EQ(parse_fields(spaced, " a , \"b\""), (Strings{"a", "b"}));
}

}  // namespace
}  // namespace widehash::test
