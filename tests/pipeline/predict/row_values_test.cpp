// Compares the values of rows that remain once bad rows are dropped with a plain list.
#include "predict/row_values.hpp"

#include <widehash/encoder.hpp>

#include <random>
#include <string>
#include <unordered_map>
#include <vector>

#include <gtest/gtest.h>

namespace widehash::test {
namespace {

/// Rows with the interface that the cutter provides.
struct PlainRows {
  std::vector<std::vector<std::string>> cells;

  std::string_view value(std::size_t row, std::size_t field) const { return cells[row][field]; }
};

TEST(ValueNumbers, AreThoseOfAPlainMapHoweverManyAndHoweverLong) {
  std::mt19937 random(2);
  ValueNumbers numbers;  // reused
  for (const std::size_t count : {0, 5, 3000, 40, 20000}) {
    numbers.clear();
    std::unordered_map<std::string, std::uint32_t> expected;
    std::vector<std::string> order;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t length = random() % 500 == 0 ? 10000 + random() % 100000 : random() % 30;
      std::string value(length, 'a');
      if (length > 0) value[random() % length] = static_cast<char>(random() % 256);
      if (length > 2) value[length / 2] = static_cast<char>(random() % 256);
      EXPECT_EQ(numbers.find(value).has_value(), expected.contains(value));
      const auto [known, is_new] = expected.emplace(value, static_cast<std::uint32_t>(order.size()));
      if (is_new) order.push_back(value);
      ASSERT_EQ(numbers.number_of(value), known->second);
      ASSERT_EQ(numbers.find(value), known->second);
    }
    ASSERT_EQ(numbers.values().size(), order.size());
    for (std::size_t i = 0; i < order.size(); ++i) ASSERT_TRUE(numbers.values()[i] == order[i]);
  }
}

TEST(RowValues, AreThoseOfTheRowsThatAreGood) {
  std::mt19937 random(1);
  RowValues values;  // reused for every block
  for (int block = 0; block < 200; ++block) {
    values.clear();
    const std::vector<std::size_t> fields{1, 0};
    std::vector<RejectedRow> rejected;
    std::vector<std::vector<std::string>> expected(2);
    PlainRows tile;
    const auto add_tile = [&] {
      values.add(tile, tile.cells.size(), fields);
      tile.cells.clear();
    };
    const std::uint64_t num_rows = random() % 40;
    for (std::uint64_t row = 0; row < num_rows; ++row) {
      const unsigned kind = random() % 4;  // 0: not cut, 1: cut and bad, otherwise good
      const std::string tens(random() % 3, 'x');
      const std::string ones = std::to_string(random() % 5);
      if (kind != 0) tile.cells.push_back({tens, ones});
      if (kind <= 1) rejected.push_back({"in", row + 1, "bad", "", row, kind == 1});
      if (kind > 1) {
        expected[0].push_back(ones);
        expected[1].push_back(tens);
      }
      if (random() % 8 == 0) add_tile();
    }
    add_tile();
    values.leave_out(rejected);
    ASSERT_EQ(values.fields().size(), 2u);
    for (std::size_t i = 0; i < 2; ++i) {
      std::vector<std::string> found;
      for (const std::uint32_t number : values.fields()[i].of_row)
        found.emplace_back(values.fields()[i].values.values()[number]);
      EXPECT_EQ(found, expected[i]);
    }
    EXPECT_GE(values.num_bytes(), expected[0].size() * 8);
  }
}

TEST(ValueNumbers, AreInTheOrderOfTheFirst) {
  ValueNumbers numbers;
  EXPECT_FALSE(numbers.find("a"));
  EXPECT_EQ(numbers.number_of("b"), 0u);
  EXPECT_EQ(numbers.number_of(""), 1u);
  EXPECT_EQ(numbers.number_of("b"), 0u);
  EXPECT_EQ(numbers.find(""), 1u);
  EXPECT_EQ(numbers.values().size(), 2u);
  numbers.clear();
  EXPECT_FALSE(numbers.find("b"));
}

}  // namespace
}  // namespace widehash::test
