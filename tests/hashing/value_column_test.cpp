#include <widehash/canonical_text.hpp>
#include <widehash/column_table.hpp>
#include <widehash/error.hpp>
#include <widehash/internal/value_list.hpp>
#include <widehash/value_column.hpp>

#include <array>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace widehash {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> texts_of(const ValueColumn& column, std::size_t begin, std::size_t count) {
  TextRoom room;
  std::vector<std::string_view> texts(count);
  column.read(begin, count, texts.data(), 1, room);
  return {texts.begin(), texts.end()};
}

std::vector<std::string> texts_of(const ValueColumn& column) {
  return texts_of(column, 0, column.num_rows());
}

template <class Number>
std::vector<std::string> texts_of_numbers(const std::vector<Number>& values) {
  return texts_of(*number_column(std::span<const Number>(values)));
}

template <class Number>
void expect_limits_are_whole() {
  using Limits = std::numeric_limits<Number>;
  EXPECT_THAT(texts_of_numbers<Number>({Limits::min(), 0, Limits::max()}),
              ElementsAre(std::to_string(Limits::min()), "0", std::to_string(Limits::max())));
}

TEST(ValueColumn, IntegersOfAnySizeAreDecimal) {
  expect_limits_are_whole<std::int8_t>();
  expect_limits_are_whole<std::int16_t>();
  expect_limits_are_whole<std::int32_t>();
  expect_limits_are_whole<std::int64_t>();
  expect_limits_are_whole<std::uint8_t>();
  expect_limits_are_whole<std::uint16_t>();
  expect_limits_are_whole<std::uint32_t>();
  expect_limits_are_whole<std::uint64_t>();
}

TEST(ValueColumn, FloatsAreTheirCanonicalTextAndNanIsMissing) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(texts_of_numbers<double>({3.0, 0.1, nan, -0.0, 1e300}),
              ElementsAre("3", "0.1", "", "0", canonical_text(1e300)));
  EXPECT_THAT(texts_of_numbers<float>({0.1F, -2.0F}), ElementsAre("0.1", "-2"));
}

TEST(ValueColumn, ValuesWithoutTheirBitAreMissing) {
  const std::vector<std::int32_t> values{1, 2, 3};
  const std::uint8_t bits = 0b00101000;  // from bit 3 on: present, missing, present
  EXPECT_THAT(texts_of(*number_column(std::span<const std::int32_t>(values), {&bits, 3})),
              ElementsAre("1", "", "3"));
}

TEST(ValueColumn, BooleansAreWordsFromBytesAndFromBits) {
  const std::vector<std::uint8_t> bytes{0, 1, 2};
  EXPECT_THAT(texts_of(*boolean_column(bytes)), ElementsAre("false", "true", "true"));
  const std::array<std::uint8_t, 2> bits{0b10000000, 0b00000010};
  EXPECT_THAT(texts_of(*bit_column(bits.data(), 7, 3)), ElementsAre("true", "false", "true"));
  const std::uint8_t there = 0b101;
  EXPECT_THAT(texts_of(*boolean_column(bytes, {&there, 0})), ElementsAre("false", "", "true"));
}

TEST(ValueColumn, TextsLieWhereTheyWere) {
  const std::string bytes = "abcde";
  const std::vector<std::int32_t> offsets{0, 1, 1, 5};
  const auto column = text_column(std::span<const std::int32_t>(offsets), bytes);
  TextRoom room;
  std::array<std::string_view, 3> texts;
  column->read(0, 3, texts.data(), 1, room);
  EXPECT_THAT(texts, ElementsAre("a", "", "bcde"));
  EXPECT_EQ(texts[2].data(), bytes.data() + 1);
}

TEST(ValueColumn, OffsetsThatFallOrPassTheEndAreRefused) {
  const auto make = [](std::vector<std::int64_t> offsets) {
    text_column(std::span<const std::int64_t>(offsets), "abc");
  };
  EXPECT_NO_THROW(make({0, 3}));
  EXPECT_THROW(make({0, 4}), ShapeError);
  EXPECT_THROW(make({2, 1, 3}), ShapeError);
  EXPECT_THROW(make({-1, 3}), ShapeError);
}

TEST(ValueColumn, DictionariesGiveTheirValuesAndNegativeIndicesNone) {
  const std::vector<std::string_view> values{"x", "yy"};
  const std::vector<std::int8_t> indices{1, -1, 0, 1};
  const auto column = dictionary_column(std::span<const std::int8_t>(indices), text_column(values));
  EXPECT_THAT(texts_of(*column), ElementsAre("yy", "", "x", "yy"));
}

TEST(ValueColumn, DictionariesOfNumbersKeepTheTextsTheyMade) {
  const std::vector<double> values{1.5, 2};
  const std::vector<std::uint16_t> indices{1, 0};
  const auto column = dictionary_column(std::span<const std::uint16_t>(indices),
                                        number_column(std::span<const double>(values)));
  EXPECT_THAT(texts_of(*column), ElementsAre("2", "1.5"));
}

TEST(ValueColumn, AnIndexPastItsDictionaryIsRefusedWhereItIsThere) {
  const std::vector<std::string_view> values{"x"};
  const std::vector<std::uint8_t> indices{0, 1};
  const std::span<const std::uint8_t> given(indices);
  EXPECT_THROW(dictionary_column(given, text_column(values)), ShapeError);
  const std::uint8_t only_first = 0b1;
  EXPECT_THAT(texts_of(*dictionary_column(given, text_column(values), {&only_first, 0})),
              ElementsAre("x", ""));
}

TEST(ValueColumn, ReadsAnyRunOfRowsWithAnyStride) {
  std::vector<std::int64_t> values(1000);
  std::mt19937_64 random(1);
  for (auto& value : values) value = static_cast<std::int64_t>(random());
  const auto column = number_column(std::span<const std::int64_t>(values));
  TextRoom room;
  std::vector<std::string_view> texts(3 * 500, "untouched");
  column->read(400, 500, texts.data() + 1, 3, room);
  for (std::size_t i = 0; i < 500; ++i) {
    ASSERT_EQ(texts[3 * i], "untouched");
    ASSERT_EQ(texts[3 * i + 1], std::to_string(values[400 + i]));
  }
}

/// The lists of values in rows [begin, begin + count).
std::vector<std::vector<std::string>> lists_of(const ValueColumn& column, std::size_t begin,
                                               std::size_t count) {
  TextRoom room;
  std::vector<std::string_view> texts(count);
  column.read_lists(begin, count, texts.data(), 1, room);
  std::vector<std::vector<std::string>> lists(count);
  for (std::size_t i = 0; i < count; ++i) {
    for_each_listed(texts[i], [&](std::string_view value) { lists[i].emplace_back(value); });
  }
  return lists;
}

TEST(ValueColumn, ListsHoldTheirValuesWhateverBytesTheseHave) {
  using namespace std::string_view_literals;
  const std::vector<std::string_view> values{"before", "a|b", "", "\0\n"sv, "c"};
  const std::uint8_t there = 0b1101;
  const auto column = list_column({1, 3, 4, 4, 5}, text_column(values), {&there, 0});
  EXPECT_TRUE(column->is_list());
  EXPECT_THAT(lists_of(*column, 0, 4),
              ElementsAre(ElementsAre("a|b", ""), ElementsAre(), ElementsAre(), ElementsAre("c")));
  EXPECT_THAT(lists_of(*column, 3, 1), ElementsAre(ElementsAre("c")));
  EXPECT_THROW(texts_of(*column), ConfigError);
  EXPECT_THROW(lists_of(*text_column(values), 0, 1), ShapeError);
}

TEST(ValueColumn, ListsOfNumbersAreTheirTextsInRowsOfAnyLength) {
  std::vector<std::int32_t> values(100000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int32_t>(i * i);
  const std::vector<std::uint64_t> offsets{0, 1, 99998, 99998, 100000};
  const auto column = list_column(offsets, number_column(std::span<const std::int32_t>(values)));
  const auto lists = lists_of(*column, 0, 4);
  for (std::size_t row = 0; row < 4; ++row) {
    ASSERT_EQ(lists[row].size(), offsets[row + 1] - offsets[row]);
    for (std::size_t i = 0; i < lists[row].size(); ++i) {
      ASSERT_EQ(lists[row][i], std::to_string(values[offsets[row] + i]));
    }
  }
}

TEST(ValueColumn, ListsThatFallPassTheEndOrHoldListsAreRefused) {
  const std::vector<std::string_view> values{"a", "b"};
  EXPECT_THROW(list_column({0, 2, 1}, text_column(values)), ShapeError);
  EXPECT_THROW(list_column({0, 3}, text_column(values)), ShapeError);
  EXPECT_THROW(list_column({0, 1}, list_column({0, 2}, text_column(values))), ShapeError);
  EXPECT_EQ(list_column({}, text_column(values))->num_rows(), 0u);
}

TEST(TextRoom, TakesTextsOfAnyLength) {
  TextRoom room;
  for (int turn = 0; turn < 2; ++turn) {
    std::vector<std::string> expected;
    std::vector<std::string_view> texts;
    for (const std::size_t size : {10u, 200000u, 3u, 65536u, 65537u, 0u, 40000u, 40000u}) {
      expected.emplace_back(size, static_cast<char>('a' + expected.size()));
      texts.push_back(room.keep(std::ranges::copy(expected.back(), room.begin(size)).out));
    }
    EXPECT_TRUE(std::ranges::equal(texts, expected));
    room.clear();
  }
}

TEST(TextRoom, TextsStayUntilItIsCleared) {
  TextRoom room;
  for (int round = 0; round < 2; ++round) {
    std::vector<std::string_view> texts;
    for (int i = 0; i < 20000; ++i) {
      char* const begin = room.begin(max_canonical_bytes);
      texts.push_back(room.keep(write_canonical_text(std::int64_t{i}, begin)));
    }
    for (int i = 0; i < 20000; ++i) ASSERT_EQ(texts[static_cast<std::size_t>(i)], std::to_string(i));
    room.clear();
  }
}

TEST(ColumnTable, ColumnsOfOtherLengthsAndTwiceTheSameNameAreRefused) {
  ColumnTable table;
  EXPECT_EQ(table.num_rows(), 0u);
  table.add("a", missing_column(3));
  EXPECT_EQ(table.num_rows(), 3u);
  EXPECT_THAT([&] { table.add("b", missing_column(2)); },
              testing::ThrowsMessage<ShapeError>(testing::HasSubstr("column 'b' has 2 rows, but 'a' has 3")));
  EXPECT_THROW(table.add("a", missing_column(3)), ShapeError);
  EXPECT_THAT(table.names(), ElementsAre("a"));
}

TEST(ColumnTable, NullPointersAreNoColumns) {
  const std::array<std::int32_t, 1> indices{0};
  EXPECT_THROW(ColumnTable().add("c", nullptr), ShapeError);
  EXPECT_THROW(dictionary_column(std::span<const std::int32_t>(indices), nullptr), ShapeError);
  EXPECT_THROW(list_column({0, 1}, nullptr), ShapeError);
}

TEST(ColumnTable, OwnersLiveAsLongAsTheLastCopy) {
  auto owner = std::make_shared<int>(1);
  const std::weak_ptr<int> watch = owner;
  auto table = std::make_unique<ColumnTable>();
  table->keep(std::move(owner));
  auto copy = std::make_unique<ColumnTable>(*table);
  table.reset();
  EXPECT_FALSE(watch.expired());
  copy.reset();
  EXPECT_TRUE(watch.expired());
}

}  // namespace
}  // namespace widehash
