#include "arrow_kit.hpp"

#include <widehash/error.hpp>

#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace widehash {
namespace {

using test::lists_of;
using test::Producer;
using test::texts_of;
using testing::ElementsAre;

TEST(Arrow, IntegersFloatsAndBooleansAreTheirCanonicalTexts) {
  const std::int8_t c[] = {-1, 2};
  const std::uint8_t u8[] = {255, 2};
  const std::int16_t s[] = {-300, 2};
  const std::uint16_t u16[] = {65535, 2};
  const std::int32_t i[] = {-70000, 2};
  const std::uint32_t u32[] = {4294967295u, 2};
  const std::int64_t l[] = {-5000000000, 2};
  const std::uint64_t u64[] = {18446744073709551615u, 2};
  const float f[] = {0.5F, 2};
  const double g[] = {0.1, 2};
  const std::uint8_t b[] = {0b01};
  Producer arrow;
  arrow.column("c", "c", 2, {nullptr, c});
  arrow.column("C", "C", 2, {nullptr, u8});
  arrow.column("s", "s", 2, {nullptr, s});
  arrow.column("S", "S", 2, {nullptr, u16});
  arrow.column("i", "i", 2, {nullptr, i});
  arrow.column("I", "I", 2, {nullptr, u32});
  arrow.column("l", "l", 2, {nullptr, l});
  arrow.column("L", "L", 2, {nullptr, u64});
  arrow.column("f", "f", 2, {nullptr, f});
  arrow.column("g", "g", 2, {nullptr, g});
  arrow.column("b", "b", 2, {nullptr, b});
  arrow.column("n", "n", 2, {});
  const ColumnTable table = arrow.table(2);
  std::vector<std::string> first;
  for (std::size_t position = 0; position < 12; ++position) {
    const auto texts = texts_of(table, position);
    first.push_back(texts[0]);
    EXPECT_EQ(texts[1], position < 10 ? "2" : position == 10 ? "false" : "") << table.names()[position];
  }
  EXPECT_THAT(first, ElementsAre("-1", "255", "-300", "65535", "-70000", "4294967295", "-5000000000",
                                 "18446744073709551615", "0.5", "0.1", "true", ""));
}

TEST(Arrow, TextsOfEveryLayoutAreTheSame) {
  const std::int32_t offsets32[] = {0, 3, 3, 33};
  const std::int64_t offsets64[] = {0, 3, 3, 33};
  const std::string bytes = "abcthirty bytes, so not in the view";
  struct View {
    std::int32_t length;
    char rest[12];
  };
  View views[3] = {{3, "abc"}, {0, ""}, {30, ""}};
  std::memcpy(views[2].rest, "thir", 4);
  const std::int32_t place[2] = {1, 3};  // buffer, offset
  std::memcpy(views[2].rest + 4, place, sizeof place);
  const std::int64_t data_bytes[] = {0, static_cast<std::int64_t>(bytes.size())};
  for (const char* format : {"u", "z", "U", "Z", "vu", "vz"}) {
    Producer arrow;
    if (format[0] == 'v') {
      arrow.column(format, "text", 3, {nullptr, views, nullptr, bytes.data(), data_bytes});
    } else if (format[0] == 'U' || format[0] == 'Z') {
      arrow.column(format, "text", 3, {nullptr, offsets64, bytes.data()});
    } else {
      arrow.column(format, "text", 3, {nullptr, offsets32, bytes.data()});
    }
    EXPECT_THAT(texts_of(arrow.table(3), 0), ElementsAre("abc", "", bytes.substr(3, 30))) << format;
  }
}

TEST(Arrow, TextsOfOneSizeLieSideBySide) {
  const std::uint8_t there[] = {0b1101};
  Producer arrow;
  arrow.column("w:3", "id", 3, {there, "abcdefg\0ijkl"}, 1, 1);
  EXPECT_THAT(texts_of(arrow.table(3), 0), ElementsAre("", std::string("g\0i", 3), "jkl"));
}

TEST(Arrow, OffsetsOfBatchAndColumnAddUp) {
  const std::int32_t values[] = {0, 1, 2, 3, 4, 5};
  const std::uint8_t there[] = {0b00101111};  // value 4 is missing
  const std::uint8_t bits[] = {0b00010100};
  const std::int32_t offsets[] = {0, 1, 2, 3, 4, 5, 6};
  Producer arrow;
  arrow.column("i", "number", 5, {there, values}, 1, 1);
  arrow.column("b", "bit", 5, {nullptr, bits}, 1);
  arrow.column("u", "text", 5, {nullptr, offsets, "abcdef"}, 1);
  const ColumnTable table = arrow.table(3, 1);
  EXPECT_THAT(texts_of(table, 0), ElementsAre("2", "3", ""));
  EXPECT_THAT(texts_of(table, 1), ElementsAre("true", "false", "true"));
  EXPECT_THAT(texts_of(table, 2), ElementsAre("c", "d", "e"));
}

TEST(Arrow, ANullCountThatNobodyKnowsLooksAtTheBits) {
  const std::int32_t values[] = {7, 8};
  const std::uint8_t there[] = {0b10};
  Producer arrow;
  arrow.column("i", "a", 2, {there, values}, 0, -1);
  EXPECT_THAT(texts_of(arrow.table(2), 0), ElementsAre("", "8"));
}

TEST(Arrow, ABatchWhoseBitsSayThatAllRowsAreThereIsTaken) {
  const std::int32_t values[] = {7, 8, 9};
  // The batch consists of rows 1 and 2.
  for (const auto& [bits, is_taken] : {std::pair<std::uint8_t, bool>{0b110, true}, {0b011, false}}) {
    Producer arrow;
    arrow.column("i", "a", 3, {nullptr, values});
    ArrowArray batch = arrow.batch(2, 1);
    const void* validity = &bits;
    batch.buffers = &validity;
    batch.null_count = -1;
    if (is_taken) {
      EXPECT_THAT(texts_of(arrow_table(arrow.schema(), batch), 0), ElementsAre("8", "9"));
    } else {
      EXPECT_THROW(arrow_table(arrow.schema(), batch), ShapeError);
    }
  }
}

TEST(Arrow, LengthsAndOffsetsThatContradictOneAnotherAreRefused) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  struct Case {
    std::int64_t length, offset, batch_length, batch_offset;
    const char* words;
  };
  const Case cases[] = {{1, 0, 2, 0, "1 rows, but the batch has 2"},
                        {-1, 0, 0, 0, "negative length or offset"},
                        {1, -1, 1, 0, "negative length or offset"},
                        {1, 0, most, 1, "are too large"},
                        {most, 1, 1, 0, "are too large"},
                        {most, 0, most, most, "are too large"}};
  const std::int32_t values[] = {7};
  for (const Case& wrong : cases) {
    Producer arrow;
    arrow.column("i", "a", wrong.length, {nullptr, values}, wrong.offset);
    ArrowArray batch = arrow.batch(wrong.batch_length, wrong.batch_offset);
    EXPECT_THAT([&] { arrow_table(arrow.schema(), batch); },
                testing::ThrowsMessage<ShapeError>(testing::HasSubstr(wrong.words)));
  }
}

TEST(Arrow, BuffersThatAreMissingAreRefusedWhereThereAreRows) {
  const std::int32_t offsets[] = {0, 1, 1, 3};
  const std::int32_t empty[] = {0, 0, 0, 0};
  const std::pair<const char*, std::vector<const void*>> cases[] = {{"i", {nullptr, nullptr}},
                                                                    {"b", {nullptr, nullptr}},
                                                                    {"tdD", {nullptr, nullptr}},
                                                                    {"u", {nullptr, nullptr, "abc"}},
                                                                    {"u", {nullptr, offsets, nullptr}}};
  for (const auto& [format, buffers] : cases) {
    Producer arrow;
    arrow.column(format, "a", 3, buffers);
    EXPECT_THAT([&] { texts_of(arrow.table(3), 0); },
                testing::ThrowsMessage<ShapeError>(testing::HasSubstr("is missing")))
        << format;
  }
  Producer arrow;
  arrow.column("u", "a", 3, {nullptr, empty, nullptr});
  EXPECT_EQ(texts_of(arrow.table(3), 0), std::vector<std::string>(3));
  Producer no_rows;
  no_rows.column("u", "a", 0, {nullptr, nullptr, nullptr});
  no_rows.column("i", "b", 0, {nullptr, nullptr});
  EXPECT_EQ(texts_of(no_rows.table(0), 0), std::vector<std::string>());
}

TEST(Arrow, DictionariesGiveTheirValues) {
  const std::int32_t offsets[] = {0, 1, 3};
  Producer arrow;
  arrow.column("u", "", 2, {nullptr, offsets, "xyy"});
  Producer::Column& dictionary = arrow.as_dictionary();
  const std::uint8_t indices[] = {1, 0, 1};
  Producer::Column& column = arrow.column("C", "d", 3, {nullptr, indices});
  column.schema.dictionary = &dictionary.schema;
  column.array.dictionary = &dictionary.array;
  EXPECT_THAT(texts_of(arrow.table(3), 0), ElementsAre("yy", "x", "yy"));
}

TEST(Arrow, FloatsOf16BitsAreTheShortestTextOfTheirSize) {
  const std::uint16_t values[] = {0x2E66, 0x4248, 0xC000, 0x7E00, 0x0001};
  Producer arrow;
  arrow.column("e", "h", 5, {nullptr, values});
  EXPECT_THAT(texts_of(arrow.table(5), 0), ElementsAre("0.1", "3.14", "-2", "", "6e-08"));
}

TEST(Arrow, DecimalsWithoutAFractionAreIntegers) {
  // Integers of 128 bits as two words each, lower word first. The words of the second column are not aligned
  // as 128-bit integers would be.
  const std::int64_t words[] = {7, 0, -1, -1, 0, std::numeric_limits<std::int64_t>::min(), 0, 1, 0, 0};
  const std::int64_t odd[] = {99, 7, 0, -1, -1};
  const std::int32_t narrow[] = {-5, 6, 7, 8, 9};
  const std::uint8_t there[] = {0b01111};
  Producer arrow;
  arrow.column("d:38,0", "a", 5, {there, words}, 0, 1);
  arrow.column("d:38,0,128", "b", 2, {nullptr, odd + 1});
  arrow.column("d:9,0,32", "c", 4, {nullptr, narrow}, 1);
  arrow.column("d:18,0,64", "d", 5, {nullptr, words});
  EXPECT_THAT(texts_of(arrow.table(2), 1), ElementsAre("7", "-1"));
  EXPECT_THAT(texts_of(arrow.table(2), 2), ElementsAre("6", "7"));
  EXPECT_THAT(texts_of(arrow.table(2), 3), ElementsAre("7", "0"));
  Producer wide;
  wide.column("d:38,0", "a", 5, {there, words}, 0, 1);
  EXPECT_THAT(texts_of(wide.table(5), 0),
              ElementsAre("7", "-1", "-170141183460469231731687303715884105728", "18446744073709551616", ""));
  EXPECT_THAT(texts_of(wide.table(2, 2), 0),
              ElementsAre("-170141183460469231731687303715884105728", "18446744073709551616"));
}

TEST(Arrow, ListsOfEveryLayoutAreTheSame) {
  // In lists of fixed size, row 1 begins at value 2; the offsets of the other layouts are chosen to give the
  // same rows.
  const std::int32_t offsets32[] = {0, 2, 4, 6, 8};
  const std::int64_t offsets64[] = {0, 2, 4, 6, 8};
  const std::uint8_t there[] = {0b1011};
  const std::int32_t values[] = {99, 1, 2, 3, 4, 5, 6, 7, 8};
  for (const char* format : {"+l", "+L", "+w:2"}) {
    Producer arrow;
    // The batch has rows 1 to 3 of the lists, and row 2 is missing. The values begin at the second one.
    std::vector<const void*> buffers{there};
    if (format[1] == 'l') buffers.push_back(offsets32);
    if (format[1] == 'L') buffers.push_back(offsets64);
    auto& list = arrow.column(format, "tags", 3, buffers, 1, 1);
    arrow.as_values_of(list, arrow.column("i", "item", 8, {nullptr, values}, 1));
    EXPECT_THAT(lists_of(arrow.table(3)),
                ElementsAre(ElementsAre("3", "4"), ElementsAre(), ElementsAre("7", "8")))
        << format;
  }
}

TEST(Arrow, ListsOfDictionariesAndOfNothing) {
  const std::int32_t offsets[] = {0, 2, 2};
  const std::int32_t text_offsets[] = {0, 1, 3};
  const std::uint8_t indices[] = {1, 0};
  Producer arrow;
  auto& list = arrow.column("+l", "tags", 2, {nullptr, offsets});
  arrow.column("u", "", 2, {nullptr, text_offsets, "xyy"});
  Producer::Column& dictionary = arrow.as_dictionary();
  Producer::Column& values = arrow.column("C", "item", 2, {nullptr, indices});
  values.schema.dictionary = &dictionary.schema;
  values.array.dictionary = &dictionary.array;
  arrow.as_values_of(list, values);
  EXPECT_THAT(lists_of(arrow.table(2)), ElementsAre(ElementsAre("yy", "x"), ElementsAre()));
}

}  // namespace
}  // namespace widehash
