#include "placed_text.hpp"
#include "vector_targets.hpp"

#include <widehash/code.hpp>
#include <widehash/internal/placed_codes.hpp>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace widehash {
namespace {

BucketReducer reducer_of(std::mt19937_64& random, std::size_t num_features,
                         std::vector<std::uint32_t>& widths) {
  widths.clear();
  for (std::size_t i = 0; i < num_features; ++i) {
    widths.push_back(1 + static_cast<std::uint32_t>(random() % 65536));
  }
  return BucketReducer(widths);
}

TEST(PlacedRows, DistinguishValuesAndRows) {
  const PlacedText placed(3, {"1", "ab", "", "", "c", "d"});
  const PlacedRows rows = placed.rows();
  EXPECT_EQ(rows.value(0, 0), "1");
  EXPECT_EQ(rows.value(0, 1), "ab");
  EXPECT_EQ(rows.value(0, 2), "");
  EXPECT_EQ(rows.value(1, 0), "");
  EXPECT_EQ(rows.value(1, 2), "d");
  EXPECT_EQ(rows.row_text(0), "1\tab\t");
  EXPECT_EQ(rows.row_text(1), "\tc\td");
  EXPECT_EQ(rows.rows(1, 1).value(0, 1), "c");
  EXPECT_EQ(rows.text_bytes(), std::string_view("1\tab\t\n\tc\td\n").size());
  EXPECT_EQ(rows.rows(0, 0).text_bytes(), 0u);
}

TEST(PlacedRows, EndInCrLfToo) {
  const PlacedText placed(2, {"1", "ab", "", ""}, "\r\n");
  const PlacedRows rows = placed.rows();
  EXPECT_EQ(rows.value(0, 1), "ab");
  EXPECT_EQ(rows.value(1, 0), "");
  EXPECT_EQ(rows.value(1, 1), "");
  EXPECT_EQ(rows.row_text(0), "1\tab");
  EXPECT_EQ(rows.row_text(1), "\t");
  EXPECT_EQ(rows.rows(1, 1).row_text(0), "\t");
  EXPECT_EQ(rows.text_bytes(), std::string_view("1\tab\r\n\t\r\n").size());
}

TEST(PlacedCodes, AreThoseOfHashAndDivision) {
  std::mt19937_64 random(3);
  std::vector<std::uint32_t> widths;
  for (const std::size_t longest : {0u, 1u, 3u, 7u, 8u, 12u, 16u, 31u, 32u, 200u}) {
    for (const std::size_t num_features : {1u, 2u, 3u, 7u, 8u, 9u, 26u, 39u}) {
      const std::size_t first_field = random() % 3;
      const std::size_t num_fields = first_field + num_features + random() % 3;
      constexpr std::size_t num_rows = 23;
      const PlacedText placed(num_fields, random_values(random, num_rows * num_fields, longest),
                              random() % 2 == 0 ? "\n" : "\r\n");
      const BucketReducer reducer = reducer_of(random, num_features, widths);
      const std::uint64_t seed = random() % 2 == 0 ? 0 : random();
      for_each_vector_target([&] {
        constexpr std::uint16_t untouched = 0xABCD;
        const std::size_t num_codes = num_rows * num_features * num_splits;
        std::vector<std::uint16_t> codes(num_codes + 64, untouched);
        encode_places(placed.rows().fields(first_field, num_features), seed, {}, reducer, codes.data());
        for (std::size_t i = 0; i < num_codes; ++i) {
          const std::size_t value = i / num_splits;
          const std::size_t feature = value % num_features;
          const auto text = placed.rows().value(value / num_features, first_field + feature);
          ASSERT_EQ(codes[i], four_split(hash_xxh64(text, seed), widths[feature])[i % num_splits])
              << "value " << value << " of " << text.size() << " bytes";
        }
        for (std::size_t i = num_codes; i < codes.size(); ++i) ASSERT_EQ(codes[i], untouched);
      });
    }
  }
}

TEST(PlacedCodes, AllLengthsOfTheSameKindInAGroup) {
  // Groups of 8-byte words only, of words and empty values, and of one length each: they take different paths
  // through the hash.
  std::mt19937_64 random(4);
  std::vector<std::uint32_t> widths;
  const BucketReducer reducer = reducer_of(random, 8, widths);
  for (std::size_t length = 0; length <= 40; ++length) {
    std::vector<std::string> values(64, std::string(length, 'x'));
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (length == 8 && random() % 3 == 0) values[i].clear();
      for (char& byte : values[i]) byte = static_cast<char>(random());
    }
    const PlacedText placed(8, values);
    for_each_vector_target([&] {
      std::vector<std::uint16_t> codes(values.size() * num_splits);
      encode_places(placed.rows().fields(0, 8), 0, {}, reducer, codes.data());
      for (std::size_t i = 0; i < codes.size(); ++i) {
        const std::size_t value = i / num_splits;
        ASSERT_EQ(codes[i], four_split(hash_xxh64(values[value]), widths[value % 8])[i % num_splits])
            << length;
      }
    });
  }
}

TEST(PlacedCodes, MissingTextsAreEmptyValues) {
  const std::vector<std::string> texts = {
      "NA", "-", "12345678", std::string("a\0", 2), "", "(not set)", "none was given to us here, sorry"};
  const MissingWords missing = MissingWords(std::vector<std::string>(texts));
  // Prefixes and extensions of the missing texts, and near misses.
  std::vector<std::string> kinds = {"N",
                                    "NAN",
                                    "--",
                                    "1234567",
                                    "123456789",
                                    "a",
                                    std::string("a\0\0", 3),
                                    "na",
                                    "(not set",
                                    "(not sat)",
                                    "(not set))",
                                    "none was given to us here, SORRY"};
  kinds.insert(kinds.end(), texts.begin(), texts.end());
  std::mt19937_64 random(9);
  std::vector<std::uint32_t> widths;
  for (const std::size_t num_features : {1u, 3u, 8u, 11u}) {
    const BucketReducer reducer = reducer_of(random, num_features, widths);
    std::vector<std::string> values(13 * num_features);
    for (std::string& value : values) value = kinds[random() % kinds.size()];
    const PlacedText placed(num_features, values);
    for_each_vector_target([&] {
      std::vector<std::uint16_t> codes(values.size() * num_splits);
      encode_places(placed.rows().fields(0, num_features), 1, missing.words(), reducer, codes.data());
      for (std::size_t i = 0; i < codes.size(); ++i) {
        const std::string& value = values[i / num_splits];
        const bool is_missing = std::find(texts.begin(), texts.end(), value) != texts.end();
        const std::uint32_t width = widths[i / num_splits % num_features];
        ASSERT_EQ(codes[i], four_split(hash_xxh64(is_missing ? "" : value, 1), width)[i % num_splits])
            << value;
      }
    });
  }
}

TEST(PlacedCodes, EmptyValuesThatAreSkippedHaveNone) {
  const MissingWords missing(std::vector<std::string>{"NA", "(not set)"});
  static constexpr std::string_view kinds[] = {"", "NA", "(not set)", "a", "NAN", "a value of several words"};
  std::mt19937_64 random(12);
  std::vector<std::uint32_t> widths;
  for (const std::size_t num_features : {1u, 3u, 8u, 11u}) {
    const BucketReducer reducer = reducer_of(random, num_features, widths);
    std::vector<std::string> values(13 * num_features);
    for (std::string& value : values) value = kinds[random() % std::size(kinds)];
    std::vector<std::uint64_t> skipped(num_features);
    for (std::uint64_t& word : skipped) word = random() % 2 == 0 ? ~std::uint64_t{0} : 0;
    const PlacedText placed(num_features, values);
    for (const auto texts : {missing.words(), std::span<const MissingWord>()}) {
      for_each_vector_target([&] {
        std::vector<std::uint16_t> codes(values.size() * num_splits);
        encode_places(placed.rows().fields(0, num_features), 1, texts, reducer, codes.data(), skipped);
        for (std::size_t i = 0; i < codes.size(); ++i) {
          std::string_view value = values[i / num_splits];
          if (!texts.empty() && (value == "NA" || value == "(not set)")) value = {};
          const std::size_t feature = i / num_splits % num_features;
          const bool is_absent = value.empty() && skipped[feature] != 0;
          const std::uint32_t code = four_split(hash_xxh64(value, 1), widths[feature])[i % num_splits];
          ASSERT_EQ(codes[i], is_absent ? 0xFFFFu : code) << value;
        }
      });
    }
  }
}

TEST(PlacedCodes, NoRowsGiveNoCodes) {
  std::uint16_t code = 7;
  encode_places({.num_fields = 1}, 0, {}, BucketReducer(std::vector<std::uint32_t>{8}), &code);
  EXPECT_EQ(code, 7);
}

}  // namespace
}  // namespace widehash
