#include <widehash/code.hpp>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace widehash {
namespace {

using Wide = unsigned __int128;

bool is_smallest_width(std::uint64_t cardinality, std::uint64_t width) {
  if (width < 8) return false;
  if (Wide{width} * width < cardinality) return false;
  return width == 8 || Wide{width - 1} * (width - 1) < cardinality;
}

std::string from_hex(const std::string& hex) {
  std::string bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  }
  return bytes;
}

/// Compares the library with vectors from an independent implementation. Returns the number of vectors in the file.
std::size_t compare_with_vectors(std::istream& file) {
  std::size_t num_vectors = 0;
  for (std::string line; std::getline(file, line); ++num_vectors) {
    const auto vector = nlohmann::json::parse(line);
    const std::string value = from_hex(vector.at("value_hex"));
    const std::uint32_t width = split_width(vector.at("cardinality"));
    const std::uint64_t hash = hash_xxh64(value);
    const Buckets buckets = four_split(hash, width);
    std::vector<std::uint32_t> columns;
    for (std::uint32_t k = 0; k < num_splits; ++k) columns.push_back(k * width + buckets[k]);

    EXPECT_EQ(width, vector.at("width").get<std::uint32_t>()) << line;
    EXPECT_EQ(hash, std::stoull(vector.at("xxh64").get<std::string>(), nullptr, 16)) << line;
    EXPECT_EQ(std::vector<std::uint32_t>(buckets.begin(), buckets.end()),
              vector.at("four_split").get<std::vector<std::uint32_t>>())
        << line;
    EXPECT_EQ(columns, vector.at("columns").get<std::vector<std::uint32_t>>()) << line;
    EXPECT_EQ(one_hot(hash, num_splits * width), vector.at("one_hot").get<std::uint32_t>()) << line;
    if (testing::Test::HasFailure()) break;
  }
  return num_vectors;
}

TEST(Code, AgreesWithTheConformanceVectors) {
  // A quarter of the vectors is kept here.
  std::ifstream file(WIDEHASH_SOURCE_DIR "/tests/hashing/four_split.jsonl");
  EXPECT_EQ(compare_with_vectors(file), 500u);
}

TEST(Code, AgreesWithAllConformanceVectors) {
  const std::string path = WIDEHASH_SHARED_DIR "/conformance/four_split.jsonl";
  std::ifstream file(path);
  if (!file) GTEST_SKIP() << "no conformance vectors at " << path;
  EXPECT_GE(compare_with_vectors(file), 1000u);
}

TEST(Code, EmptyValueHashesAsXxh64Says) {
  // The published XXH64 of no bytes with seed 0.
  EXPECT_EQ(hash_xxh64(""), 0xEF46DB3751D8E999u);
}

TEST(Code, Xxh3OfNothingIsAsPublished) {
  const Hash128 hash = hash_xxh3_128("");
  EXPECT_EQ(hash.high, 0x99AA06D3014798D8u);
  EXPECT_EQ(hash.low, 0x6001C324468D497Fu);
}

TEST(Code, SeedChangesTheHash) {
  EXPECT_NE(hash_xxh64("a", 1), hash_xxh64("a", 0));
  EXPECT_NE(hash_xxh3_128("a", 1).low, hash_xxh3_128("a", 0).low);
}

TEST(Code, WidthIsTheSmallestWhoseSquareHoldsTheCardinality) {
  std::vector<std::uint64_t> cardinalities = {1,
                                              2,
                                              63,
                                              64,
                                              65,
                                              80,
                                              81,
                                              82,
                                              99856,
                                              max_cardinality_xxh64,
                                              max_cardinality_xxh3_128,
                                              max_cardinality_xxh3_128 - 1};
  for (std::uint64_t root = 8; root <= (std::uint64_t{1} << 29); root = root * 33 / 32 + 1) {
    for (const std::uint64_t n : {root * root - 1, root * root, root * root + 1}) cardinalities.push_back(n);
  }
  for (std::uint64_t root = 65500; root <= 65536; ++root) {
    for (const std::uint64_t n : {root * root - 1, root * root}) cardinalities.push_back(n);
  }
  for (std::uint64_t root = (std::uint64_t{1} << 29) - 100; root <= (std::uint64_t{1} << 29); ++root) {
    for (const std::uint64_t n : {root * root - 1, root * root}) cardinalities.push_back(n);
  }
  for (const std::uint64_t n : cardinalities) {
    if (n > max_cardinality_xxh3_128) continue;
    ASSERT_TRUE(is_smallest_width(n, split_width(n))) << n << " -> " << split_width(n);
  }
}

TEST(Code, LargestCardinalitiesFillTheSplits) {
  EXPECT_EQ(split_width(max_cardinality_xxh64), 1u << 16);
  EXPECT_EQ(split_width(max_cardinality_xxh3_128), 1u << 29);
}

TEST(Code, SplitsAreCutMostSignificantFirst) {
  EXPECT_EQ(four_split(std::uint64_t{0x0001'0002'0003'0004}, 1u << 16), (Buckets{1, 2, 3, 4}));
  EXPECT_EQ(four_split(Hash128{0x0000'0001'0000'0002, 0x0000'0003'0000'0004}, 1u << 16),
            (Buckets{1, 2, 3, 4}));
  EXPECT_EQ(four_split(Hash128{0xFFFF'FFFF'0000'0000, 0xFFFF'FFFF'0000'0000}, 10), (Buckets{5, 0, 5, 0}));
}

}  // namespace
}  // namespace widehash
