#include "vector_targets.hpp"

#include <widehash/code.hpp>
#include <widehash/internal/hash_lanes.hpp>

#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/mman.h>

namespace widehash {
namespace {

std::vector<std::uint64_t> hashed(const std::vector<std::string_view>& values, std::size_t values_per_row,
                                  std::uint64_t seed, const std::vector<std::string_view>& blanks = {}) {
  HashLanes lanes;
  const std::size_t num_rows = (values.size() + values_per_row - 1) / values_per_row;
  lanes.reshape(num_rows, values_per_row);
  for (std::size_t i = 0; i < values.size(); ++i)
    lanes.set(lanes.at(i / values_per_row, i % values_per_row), values[i]);
  for (const auto blank : blanks) lanes.blank(blank);
  lanes.hash_xxh64(seed);
  std::vector<std::uint64_t> hashes;
  for (std::size_t i = 0; i < values.size(); ++i) {
    hashes.push_back(lanes.hashes()[lanes.at(i / values_per_row, i % values_per_row)]);
  }
  return hashes;
}

void expect_equal_to_one_by_one(const std::vector<std::string_view>& values, std::size_t values_per_row,
                                std::uint64_t seed) {
  const auto hashes = hashed(values, values_per_row, seed);
  for (std::size_t i = 0; i < values.size(); ++i) {
    ASSERT_EQ(hashes[i], hash_xxh64(values[i], seed))
        << "value " << i << " of " << values[i].size() << " bytes";
  }
}

std::string random_bytes(std::mt19937_64& random, std::size_t length) {
  std::string bytes(length, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

TEST(HashLanes, EveryLengthHashesAsOneByOne) {
  std::mt19937_64 random(1);
  std::vector<std::string> texts;
  for (std::size_t length = 0; length <= 100; ++length) {
    for (int copy = 0; copy < 9; ++copy) texts.push_back(random_bytes(random, length));
  }
  const std::vector<std::string_view> values(texts.begin(), texts.end());
  for_each_vector_target([&] {
    for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{7}, ~std::uint64_t{0}}) {
      expect_equal_to_one_by_one(values, 8, seed);
    }
  });
}

TEST(HashLanes, MixedLengthsInOneGroupHashAsOneByOne) {
  std::mt19937_64 random(2);
  for (const std::size_t longest : {1u, 3u, 4u, 8u, 9u, 16u, 31u, 33u, 300u}) {
    std::vector<std::string> texts;
    for (int i = 0; i < 2000; ++i) texts.push_back(random_bytes(random, random() % (longest + 1)));
    const std::vector<std::string_view> values(texts.begin(), texts.end());
    for_each_vector_target([&] {
      for (const std::size_t values_per_row : {1u, 7u, 8u, 9u, 39u}) {
        expect_equal_to_one_by_one(values, values_per_row, 0);
      }
    });
  }
}

TEST(HashLanes, NothingIsReadPastTheEndOfAPage) {
  constexpr std::size_t page = 4096;
  auto* const pages =
      static_cast<char*>(mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(pages, MAP_FAILED);
  std::mt19937_64 random(3);
  for (std::size_t i = 0; i < page; ++i) pages[i] = static_cast<char>(random());
  ASSERT_EQ(mprotect(pages + page, page, PROT_NONE), 0);
  std::vector<std::string_view> values;
  for (std::size_t length = 0; length <= 40; ++length) values.emplace_back(pages + page - length, length);
  for_each_vector_target([&] { expect_equal_to_one_by_one(values, 8, 0); });
  munmap(pages, 2 * page);
}

TEST(HashLanes, ReshapedLanesForgetWhatTheyHeld) {
  HashLanes lanes;
  lanes.reshape(2, 8);
  for (std::size_t i = 0; i < lanes.num_lanes(); ++i)
    lanes.set(i, "a value of another tile, longer than a word");
  lanes.reshape(1, 3);
  lanes.set(lanes.at(0, 0), "x");
  lanes.hash_xxh64(0);
  EXPECT_EQ(lanes.hashes()[0], hash_xxh64("x"));
  EXPECT_EQ(lanes.hashes()[1], hash_xxh64(""));
  EXPECT_TRUE(lanes.is_empty(2));
}

TEST(HashLanes, BlankedTextsHashAsTheEmptyValue) {
  const std::vector<std::string_view> values = {"NA",       "NAN", "N", "", "not available", "not availabla",
                                                "12345678", "NA"};
  const auto hashes = hashed(values, 8, 0, {"NA", "not available", "12345678"});
  const std::vector<bool> blank = {true, false, false, true, true, false, true, true};
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(hashes[i], hash_xxh64(blank[i] ? "" : values[i])) << values[i];
  }
}

TEST(HashValues, RowsAreHashedWhereTheyStand) {
  std::mt19937_64 random(9);
  std::vector<std::string> texts;
  for (int i = 0; i < 1000; ++i) texts.push_back(random_bytes(random, random() % 12));
  const std::vector<std::string_view> values(texts.begin(), texts.end());
  for_each_vector_target([&] {
    for (const std::size_t values_per_row : {1u, 3u, 7u, 8u, 9u, 39u}) {
      const std::size_t stride = values_per_row + 2;
      const std::size_t num_rows = (values.size() - 2) / stride;
      const std::size_t hash_stride = whole_groups(values_per_row);
      std::vector<std::uint64_t> hashes(num_rows * hash_stride);
      hash_xxh64({values.data() + 2, stride, num_rows, values_per_row}, 3, hashes, hash_stride);
      for (std::size_t row = 0; row < num_rows; ++row) {
        for (std::size_t j = 0; j < values_per_row; ++j) {
          ASSERT_EQ(hashes[row * hash_stride + j], hash_xxh64(values[2 + row * stride + j], 3));
        }
      }
    }
  });
}

TEST(HashLanes, NoRowsGiveNoHashes) {
  HashLanes lanes;
  lanes.reshape(0, 5);
  lanes.hash_xxh64(0);
  EXPECT_TRUE(lanes.hashes().empty());
}

}  // namespace
}  // namespace widehash
