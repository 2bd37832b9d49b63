#include "cuda_test.hpp"
#include "on_device.hpp"

#include <widehash/canonical_text.hpp>
#include <widehash/code.hpp>
#include <widehash/device_hash.hpp>
#include <widehash/error.hpp>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace widehash::cuda {
namespace {

struct Hashes {
  std::vector<std::uint64_t> hashes;
  std::vector<std::uint8_t> is_missing;
};

class DeviceHash : public CudaTest {
 protected:
  void SetUp() override {
    CudaTest::SetUp();
    if (!IsSkipped()) context_ = std::make_unique<DeviceContext>(0);
  }

  Hashes hash(const DeviceColumn& column, std::size_t num_rows, std::uint64_t seed,
              const MissingTexts& missing = {}) {
    const DeviceBuffer<std::uint64_t> hashes(*context_, num_rows, "hashes");
    const DeviceBuffer<std::uint8_t> is_missing(*context_, num_rows, "missing");
    hash_column(column, num_rows, seed, missing, hashes.data(), is_missing.data(), context_->stream().get());
    return {on_host(*context_, hashes), on_host(*context_, is_missing)};
  }

  /// Hashes the texts, stored one after another from `lead` bytes into their buffer on, so that they begin
  /// anywhere in a word.
  Hashes hash_texts(const std::vector<std::string>& texts, std::uint64_t seed,
                    const MissingTexts& missing = {}, std::size_t lead = 0,
                    const std::vector<std::uint8_t>& valid = {}) {
    std::vector<std::uint8_t> bytes(lead, 0xEE);
    std::vector<std::uint64_t> offsets{0};
    for (const std::string& text : texts) {
      bytes.insert(bytes.end(), text.begin(), text.end());
      offsets.push_back(bytes.size() - lead);
    }
    const auto device_bytes = on_device(*context_, bytes);
    const auto device_offsets = on_device(*context_, offsets);
    const auto device_valid = on_device(*context_, valid);
    DeviceColumn column;
    column.values = device_bytes.data() + lead;
    column.num_bytes = bytes.size() - lead;
    column.offsets = device_offsets.data();
    column.valid = device_valid.data();
    return hash(column, texts.size(), seed, missing);
  }

  template <class Integer>
  Hashes hash_numbers(DeviceValues kind, const std::vector<Integer>& numbers, std::uint64_t seed) {
    const auto device_numbers = on_device(*context_, numbers);
    DeviceColumn column;
    column.kind = kind;
    column.values = device_numbers.data();
    return hash(column, numbers.size(), seed);
  }

  std::unique_ptr<DeviceContext> context_;
};

std::vector<std::uint64_t> expected_hashes(const std::vector<std::string>& texts, std::uint64_t seed) {
  std::vector<std::uint64_t> hashes;
  for (const std::string& text : texts) hashes.push_back(hash_xxh64(text, seed));
  return hashes;
}

std::vector<std::string> random_texts(std::size_t count, std::size_t longest, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::string> texts(count);
  for (std::string& text : texts) {
    text.resize(random() % (longest + 1));
    for (char& c : text) c = static_cast<char>(random());
  }
  return texts;
}

TEST_F(DeviceHash, AgreesWithTheConformanceVectors) {
  // The tests may run on another machine, where the sources are in another place.
  const char* const folder = std::getenv("WIDEHASH_SOURCE_DIR");
  std::ifstream file(std::string(folder == nullptr ? WIDEHASH_SOURCE_DIR : folder) +
                     "/tests/hashing/four_split.jsonl");
  std::vector<std::string> texts;
  std::vector<std::uint64_t> expected;
  for (std::string line; std::getline(file, line);) {
    const auto vector = nlohmann::json::parse(line);
    const std::string hex = vector["value_hex"];
    std::string text;
    for (std::size_t k = 0; k < hex.size(); k += 2)
      text += static_cast<char>(std::stoi(hex.substr(k, 2), nullptr, 16));
    texts.push_back(text);
    expected.push_back(std::stoull(vector["xxh64"].get<std::string>(), nullptr, 16));
  }
  ASSERT_EQ(texts.size(), 500u);
  EXPECT_EQ(hash_texts(texts, 0).hashes, expected);
}

TEST_F(DeviceHash, TextsOfEveryLengthAtEveryAlignment) {
  std::vector<std::string> texts;
  std::mt19937_64 random(2);
  for (std::size_t length = 0; length <= 300; ++length) {
    std::string text(length, ' ');
    for (char& c : text) c = static_cast<char>(random());
    texts.push_back(text);
  }
  for (std::size_t lead = 0; lead < 8; ++lead) {
    EXPECT_EQ(hash_texts(texts, 11, {}, lead).hashes, expected_hashes(texts, 11)) << lead;
  }
}

TEST_F(DeviceHash, AnyNumberOfRows) {
  for (const std::size_t count : {0, 1, 31, 32, 33, 1000}) {
    const auto texts = random_texts(count, 40, count);
    EXPECT_EQ(hash_texts(texts, 3).hashes, expected_hashes(texts, 3)) << count;
  }
}

TEST_F(DeviceHash, OneLongValueAmongShortOnes) {
  auto texts = random_texts(100, 8, 4);
  texts[50] = random_texts(1, 100000, 5).front();
  EXPECT_EQ(hash_texts(texts, 0).hashes, expected_hashes(texts, 0));
}

TEST_F(DeviceHash, FixedTextsAreCutByTheirSize) {
  for (const std::uint32_t value_bytes : {1u, 3u, 8u, 13u, 40u}) {
    std::mt19937_64 random(value_bytes);
    std::vector<std::string> texts(65, std::string(value_bytes, ' '));
    std::vector<std::uint8_t> bytes;
    for (std::string& text : texts) {
      for (char& c : text) c = static_cast<char>(random());
      bytes.insert(bytes.end(), text.begin(), text.end());
    }
    const auto device_bytes = on_device(*context_, bytes);
    DeviceColumn column;
    column.kind = DeviceValues::fixed_text;
    column.values = device_bytes.data();
    column.num_bytes = bytes.size();
    column.value_bytes = value_bytes;
    EXPECT_EQ(hash(column, texts.size(), 1).hashes, expected_hashes(texts, 1)) << value_bytes;
  }
}

template <class Integer, class Wide>
std::vector<std::uint64_t> expected_of_numbers(const std::vector<Integer>& numbers, std::uint64_t seed) {
  std::vector<std::uint64_t> hashes;
  for (const Integer number : numbers)
    hashes.push_back(hash_xxh64(canonical_text(static_cast<Wide>(number)), seed));
  return hashes;
}

template <class Integer>
std::vector<Integer> random_numbers() {
  std::mt19937_64 random(6);
  std::vector<Integer> numbers{0, 1, std::numeric_limits<Integer>::min(),
                               std::numeric_limits<Integer>::max()};
  for (int k = 0; k < 500; ++k) numbers.push_back(static_cast<Integer>(random() >> (random() % 64)));
  return numbers;
}

TEST_F(DeviceHash, NumbersHashAsTheirCanonicalText) {
  const auto int32s = random_numbers<std::int32_t>();
  EXPECT_EQ(hash_numbers(DeviceValues::int32, int32s, 9).hashes,
            (expected_of_numbers<std::int32_t, std::int64_t>(int32s, 9)));
  const auto uint32s = random_numbers<std::uint32_t>();
  EXPECT_EQ(hash_numbers(DeviceValues::uint32, uint32s, 9).hashes,
            (expected_of_numbers<std::uint32_t, std::uint64_t>(uint32s, 9)));
  const auto int64s = random_numbers<std::int64_t>();
  EXPECT_EQ(hash_numbers(DeviceValues::int64, int64s, 9).hashes,
            (expected_of_numbers<std::int64_t, std::int64_t>(int64s, 9)));
  const auto uint64s = random_numbers<std::uint64_t>();
  EXPECT_EQ(hash_numbers(DeviceValues::uint64, uint64s, 9).hashes,
            (expected_of_numbers<std::uint64_t, std::uint64_t>(uint64s, 9)));
}

TEST_F(DeviceHash, ColumnsTogetherHaveTheHashesOfEachByItself) {
  // More columns of a kind than one launch takes, alternating with other kinds.
  constexpr std::size_t num_columns = 75;
  constexpr std::size_t num_rows = 300;
  std::mt19937_64 random(10);
  std::vector<std::uint64_t> numbers(num_columns * num_rows);
  for (std::uint64_t& number : numbers) number = random() >> (random() % 64);
  const auto values = on_device(*context_, numbers);
  const DeviceBuffer<std::uint64_t> hashes(*context_, numbers.size(), "hashes");
  const DeviceBuffer<std::uint8_t> is_missing(*context_, numbers.size(), "missing");
  is_missing.clear(context_->stream());
  std::vector<DeviceHashes> columns(num_columns);
  for (std::size_t j = 0; j < num_columns; ++j) {
    columns[j].column.kind = j % 5 == 0 ? DeviceValues::int64 : DeviceValues::uint64;
    if (j % 9 == 0) {
      columns[j].column.kind = DeviceValues::fixed_text;
      columns[j].column.value_bytes = 8;
      columns[j].column.num_bytes = num_rows * sizeof(std::uint64_t);
    }
    columns[j].column.values = values.data() + j * num_rows;
    columns[j].hashes = hashes.data() + j * num_rows;
    columns[j].is_missing = j % 2 == 0 ? is_missing.data() + j * num_rows : nullptr;
  }
  const MissingTexts missing(std::vector<std::string>{"0", "1"});
  hash_columns(columns, num_rows, 4, missing, context_->stream().get());
  const std::vector<std::uint64_t> together = on_host(*context_, hashes);
  const std::vector<std::uint8_t> missing_together = on_host(*context_, is_missing);
  std::size_t num_missing = 0;
  for (std::size_t j = 0; j < num_columns; ++j) {
    const Hashes alone = hash(columns[j].column, num_rows, 4, missing);
    const auto begin = static_cast<std::ptrdiff_t>(j * num_rows);
    EXPECT_TRUE(std::equal(alone.hashes.begin(), alone.hashes.end(), together.begin() + begin)) << j;
    if (columns[j].is_missing == nullptr) continue;
    EXPECT_TRUE(
        std::equal(alone.is_missing.begin(), alone.is_missing.end(), missing_together.begin() + begin))
        << j;
    num_missing += static_cast<std::size_t>(std::count(alone.is_missing.begin(), alone.is_missing.end(), 1));
  }
  EXPECT_GT(num_missing, 100u);
}

TEST_F(DeviceHash, MissingValuesHashAsTheEmptyText) {
  // One text is "NA" and a zero byte, which differs from "NA" only in length.
  const std::vector<std::string> texts{
      "", "NA", "NAN", "N", "sixteen bytes ok", "sixteen bytes no", "ninebytes", "NA" + std::string(1, 0),
      "a"};
  const std::vector<std::string> means_missing{"NA", "sixteen bytes ok", "ninebytes"};
  // The first bit of each byte of the bitmap stands for its first row: "NAN" and "a" are not valid.
  const Hashes found = hash_texts(texts, 8, MissingTexts(means_missing), 3, {0b11111011, 0b0});
  EXPECT_THAT(found.is_missing, ::testing::ElementsAre(1, 1, 1, 0, 1, 0, 1, 0, 1));
  for (std::size_t i = 0; i < texts.size(); ++i) {
    EXPECT_EQ(found.hashes[i], hash_xxh64(found.is_missing[i] != 0 ? "" : texts[i], 8)) << texts[i];
  }
}

TEST(MissingTextsTest, WhatADeviceCannotCompareIsRefused) {
  EXPECT_THROW(MissingTexts(std::vector<std::string>{"seventeen bytes!!"}), ConfigError);
  EXPECT_THROW(MissingTexts(std::vector<std::string>{"1", "2", "3", "4", "5"}), ConfigError);
}

}  // namespace
}  // namespace widehash::cuda
