#include "placed_text.hpp"
#include "vector_targets.hpp"

#include <widehash/code.hpp>
#include <widehash/internal/placed_values.hpp>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace widehash {
namespace {

void expect_equal_to_one_by_one(const PlacedText& text, std::size_t field, std::uint64_t seed,
                                const std::vector<std::string>& missing = {}) {
  const PlacedRows rows = text.rows();
  std::vector<HashedValue> values(rows.num_rows + 1);
  values.back().hash = 77;
  hash_places(rows.fields(field, 1), seed, MissingWords(missing).words(), values.data());
  for (std::size_t row = 0; row < rows.num_rows; ++row) {
    std::string_view value = rows.value(row, field);
    if (std::find(missing.begin(), missing.end(), value) != missing.end()) value = {};
    const HashedValue expected(value, hash_xxh64(value, seed));
    ASSERT_EQ(values[row].hash, expected.hash) << value.size() << " bytes";
    ASSERT_EQ(values[row].tag, expected.tag) << value.size() << " bytes";
    ASSERT_EQ(values[row].rest, expected.rest) << value.size() << " bytes";
  }
  EXPECT_EQ(values.back().hash, 77u);
}

TEST(PlacedValues, AreHashedAsOneByOne) {
  std::mt19937_64 random(6);
  for (const std::size_t longest : {0u, 1u, 4u, 8u, 12u, 13u, 16u, 31u, 32u, 100u}) {
    for (const std::size_t num_rows : {0u, 1u, 3u, 7u, 8u, 9u, 40u}) {
      const std::size_t num_fields = 1 + random() % 5;
      const PlacedText text(num_fields, random_values(random, num_rows * num_fields, longest),
                            random() % 2 == 0 ? "\n" : "\r\n");
      for_each_vector_target([&] {
        for (std::size_t field = 0; field < num_fields; ++field) expect_equal_to_one_by_one(text, field, 9);
      });
    }
  }
}

TEST(PlacedValues, MissingTextsAreEmptyValues) {
  const std::vector<std::string> kinds = {"NA",        "N",         "NAN",       "?",
                                          "",          "12345678",  "1234567",   "a longer value",
                                          "(not set)", "(not seT)", "(not set))"};
  std::mt19937_64 random(8);
  std::vector<std::string> values(3 * 41);
  for (std::string& value : values) value = kinds[random() % kinds.size()];
  const PlacedText text(3, values);
  for_each_vector_target([&] {
    for (std::size_t field = 0; field < 3; ++field)
      expect_equal_to_one_by_one(text, field, 9, {"NA", "?", "12345678", "(not set)"});
  });
}

TEST(PlacedValues, ColumnsOfOneLengthToo) {
  std::mt19937_64 random(7);
  for (std::size_t length = 0; length <= 40; ++length) {
    std::vector<std::string> values(32, std::string(length, '\0'));
    for (auto& value : values) {
      for (char& byte : value) byte = static_cast<char>(random());
    }
    const PlacedText text(1, values);
    for_each_vector_target([&] { expect_equal_to_one_by_one(text, 0, 0); });
  }
}

}  // namespace
}  // namespace widehash
