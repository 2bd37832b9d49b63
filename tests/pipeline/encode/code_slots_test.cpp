// As in code_packer.cpp, so that the instruction sets it uses are tested too.
#define HWY_WANT_AVX3_DL 1
// Compares hashing all features of a row together with hashing one feature at a time.

#include "encode/code_slots.hpp"

#include "encode/feature_encoder.hpp"
#include "hashing/placed_text.hpp"
#include "vector_targets.hpp"

#include <widehash/schema.hpp>

#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace widehash::test {
namespace {

constexpr std::size_t num_fields = 20;

struct Rows {
  std::vector<std::string> texts;
  std::vector<std::string_view> values;

  RowsView view() const { return {values, num_fields}; }
  PlacedText placed() const { return PlacedText(num_fields, texts); }
};

Rows random_rows(std::mt19937_64& random, std::size_t num_rows) {
  Rows rows;
  for (std::size_t i = 0; i < num_rows * num_fields; ++i) {
    const auto kind = random() % 10;
    std::string text;
    if (kind == 0) {
      static constexpr std::string_view missing[] = {"NA", "not known at all", "12345678"};
      text = missing[random() % std::size(missing)];
    } else if (kind < 9) {
      text.resize(kind < 8 ? random() % 10 : random() % 60);
      for (char& byte : text) byte = static_cast<char>(random());
    }
    rows.texts.push_back(text);
  }
  rows.values.assign(rows.texts.begin(), rows.texts.end());
  return rows;
}

std::string feature(const std::string& fields, std::size_t cardinality, const char* more = "") {
  return "[[feature]]\n" + fields + "\ncardinality = " + std::to_string(cardinality) + "\n" + more;
}

/// Features of adjacent fields with unchanged values, which are hashed in place.
std::string plain_schema(std::size_t num_features) {
  std::string toml = "seed = 5\n";
  for (std::size_t i = 0; i < num_features; ++i) {
    toml += feature("field = \"f" + std::to_string(i + 1) + "\"", std::size_t{1} << (2 * i % 33));
  }
  return toml;
}

/// Every kind of feature that has code slots, in mixed order.
std::string mixed_schema(const std::string& missing_values) {
  return "missing_values = [" + missing_values + "]\n" + feature("field = \"f3\"", 1000) +
         feature("field = \"f1\"", 70000, "missing = \"skip\"\n") +
         feature("cross = [\"f2\", \"f9\"]", 4000000) +
         feature("field = \"f5\"", 50, "encoding = \"one_hot\"\n") +
         feature("cross = [\"f2\", \"f1\", \"f19\"]", 100, "missing = \"skip\"\n") +
         feature("field = \"f6\"", 12, "separator = \"|\"\n") +
         feature("name = \"again\"\nfield = \"f3\"", 9);
}

WIDEHASH_FOR_VECTOR_TARGETS(CodeSlotsTest);

/// Also compares encoding by places where the schema allows it.
void expect_same_codes(const std::string& toml, const Rows& rows, const std::vector<std::size_t>& sources,
                       CodeBytes code_bytes) {
  const Schema schema = parse_schema(toml, "schema.toml");
  const auto layout = std::make_shared<const CodeLayout>(make_layout(schema, {}, code_bytes));
  FieldBinding binding;
  binding.num_fields = num_fields;
  for (const Feature& one : schema.features) {
    auto& positions = binding.features.emplace_back();
    for (const std::string& field : one.fields) positions.push_back(std::stoul(field.substr(1)));
  }
  constexpr std::size_t first_row = 3;
  const auto batch_of_ones = [&] {
    CodeBatch batch(layout);
    batch.resize(first_row + sources.size());
    std::fill(batch.codes.begin(), batch.codes.end(), std::uint16_t{1});
    return batch;
  };
  CodeBatch one_by_one = batch_of_ones();
  HashedScratch text;
  for (std::size_t i = 0; i < schema.features.size(); ++i) {
    if (!layout->blocks[i].has_codes()) continue;
    FeatureEncoder encoder(schema, schema.features[i], nullptr, nullptr);
    encoder.place(layout->blocks[i]);
    encoder.encode_hashed(rows.view(), sources, binding.features[i], one_by_one, first_row, text);
  }

  const CodeSlots slots(schema, *layout);
  CodeScratch scratch;
  CodeBatch together = batch_of_ones();
  slots.encode(rows.view(), sources, binding, together, first_row, scratch);
  ASSERT_EQ(together.codes, one_by_one.codes);
  const PlacedText placed = rows.placed();
  CodeBatch by_places = batch_of_ones();
  slots.encode(placed.rows(), sources, binding, by_places, first_row, scratch);
  ASSERT_EQ(by_places.codes, one_by_one.codes);
}

TEST_P(CodeSlotsTest, RowsTogetherHaveTheCodesOfFeaturesOneByOne) {
  std::mt19937_64 random(1);
  for (const std::size_t num_rows : {1u, 2u, 31u, 200u}) {
    const Rows rows = random_rows(random, num_rows);
    std::vector<std::size_t> all(num_rows);
    std::iota(all.begin(), all.end(), std::size_t{0});
    std::vector<std::size_t> some;
    for (const std::size_t row : all) {
      if (random() % 3 != 0) some.push_back(row);
    }
    for (const auto& sources : {all, some}) {
      for (const CodeBytes code_bytes : {CodeBytes::two, CodeBytes::least}) {
        for (const std::size_t num_features : {1u, 7u, 8u, 9u, 19u}) {
          expect_same_codes(plain_schema(num_features), rows, sources, code_bytes);
        }
        expect_same_codes(mixed_schema(R"("NA", "not known at all")"), rows, sources, code_bytes);
        expect_same_codes(mixed_schema(R"("NA", "", "12345678")"), rows, sources, code_bytes);
        expect_same_codes("missing_values = [\"NA\"]\n" + plain_schema(11), rows, sources, code_bytes);
        expect_same_codes(mixed_schema(""), rows, sources, code_bytes);
      }
    }
  }
}

}  // namespace
}  // namespace widehash::test
