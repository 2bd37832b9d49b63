#include "value_map.hpp"

#include "hashing/crafted_values.hpp"
#include "vector_targets.hpp"

#include <widehash/code.hpp>

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

namespace widehash::detail {
namespace {

constexpr std::uint64_t plenty = std::uint64_t{1} << 30;

using Key = std::tuple<std::uint64_t, std::uint64_t, std::string>;  // hash, its low half, bytes
using Counts = std::map<Key, std::uint64_t>;
using Hash = std::function<ValueHash(const std::string&)>;

ValueHash xxh64(const std::string& value) { return {hash_xxh64(value), 0}; }

void expect_same(ValueMap& map, const Counts& expected) {
  map.sort();
  ASSERT_EQ(map.num_values(), expected.size());
  std::size_t i = 0;
  for (const auto& [key, count] : expected) {
    const ValueRecord record = map.record(i++);
    ASSERT_EQ((Key{record.hash.high, record.hash.low, std::string(record.bytes, record.length)}), key);
    ASSERT_EQ(record.count, count);
  }
}

void count_as_a_plain_map(const std::vector<std::string>& values, const Hash& hash) {
  MemoryLedger ledger(plenty);
  ValueMap map(ledger, false);
  Counts expected;
  std::mt19937 random(3);
  std::vector<HashedValue> batch;
  for (std::size_t begin = 0; begin < values.size();) {
    const std::size_t size =
        std::min<std::size_t>(random() % 3 == 0 ? random() % 500 : random() % 30, values.size() - begin);
    batch.clear();
    for (std::size_t i = begin; i < begin + size; ++i) {
      const ValueHash hashed = hash(values[i]);
      batch.emplace_back(values[i], hashed.high);
      ++expected[{hashed.high, 0, values[i]}];
    }
    ASSERT_EQ(map.add(batch), batch.size());
    begin += size;
  }
  expect_same(map, expected);
  map.clear();
  EXPECT_EQ(ledger.held_bytes(), 0u);
}

/// Counts the values in batches of many sizes and with std::map, and compares. `hash` may be a bad hash.
void expect_counts_of_a_plain_map(const std::vector<std::string>& values, const Hash& hash) {
  for_each_vector_target([&] { count_as_a_plain_map(values, hash); });
}

/// Makes values from the numbers that `draw` gives. Their lengths cover everything up to `longest`.
std::vector<std::string> some_values(std::size_t count, std::size_t longest,
                                     const std::function<std::uint64_t(std::mt19937_64&)>& draw) {
  std::mt19937_64 random(11);
  std::vector<std::string> values;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t number = draw(random);
    // Equal numbers give equal values. The first bytes repeat, so that the last bytes must tell values apart.
    std::string value(number % (longest + 1), static_cast<char>('a' + number % 3));
    for (std::size_t k = 0; k < std::min<std::size_t>(value.size(), 6); ++k) {
      value[value.size() - 1 - k] = static_cast<char>(number >> (8 * k));
    }
    values.push_back(std::move(value));
  }
  return values;
}

std::uint64_t few(std::mt19937_64& random) { return random() % 300; }
std::uint64_t many(std::mt19937_64& random) { return random(); }
std::uint64_t skewed(std::mt19937_64& random) {
  return std::uint64_t{1} << (random() % 48) | (random() % 4 == 0 ? random() % 1000 : 0);
}

TEST(ValueMap, CountsAreThoseOfAPlainMap) {
  for (const std::size_t longest : {0, 4, 8, 12, 13, 40}) {
    for (const auto& draw : {few, many, skewed}) {
      SCOPED_TRACE(longest);
      expect_counts_of_a_plain_map(some_values(20000, longest, draw), xxh64);
    }
  }
}

TEST(ValueMap, ValuesWithOneHashAreKeptApart) {
  const std::vector<std::string> values = some_values(4000, 40, few);
  for (const std::uint64_t one : {std::uint64_t{0}, std::uint64_t{12345} << 40, ~std::uint64_t{0}}) {
    expect_counts_of_a_plain_map(values, [one](const std::string&) { return ValueHash{one, 0}; });
  }
}

TEST(ValueMap, HashesAtTheEndOfTheTableGoRoundIt) {
  // Few hashes near both ends of the range: the last run of used slots continues at the first slot.
  const std::vector<std::string> values = some_values(3000, 20, few);
  expect_counts_of_a_plain_map(values, [](const std::string& value) {
    const std::uint64_t hash = hash_xxh64(value);
    return ValueHash{hash % 3 == 0 ? hash % 7 << 55 : std::numeric_limits<std::uint64_t>::max() - hash % 5,
                     0};
  });
}

// A search ends after 512 slots; these crowds are larger.
TEST(ValueMap, CrowdsOfOneHashAreKeptApart) {
  const std::vector<std::string> values = some_values(6000, 40, many);
  for (const std::uint64_t one : {std::uint64_t{0}, std::uint64_t{12345} << 40, ~std::uint64_t{0}}) {
    expect_counts_of_a_plain_map(values, [one](const std::string&) { return ValueHash{one, 0}; });
    expect_counts_of_a_plain_map(values, [one](const std::string& value) {
      const std::uint64_t hash = hash_xxh64(value);
      return ValueHash{hash % 2 == 0 ? hash : one ^ hash % 700, 0};
    });
  }
}

TEST(ValueMap, WideCrowdsAreKeptApart) {
  MemoryLedger ledger(plenty);
  ValueMap map(ledger, true);
  Counts expected;
  for (const std::string& value : some_values(6000, 20, many)) {
    const std::uint64_t hash = hash_xxh64(value);
    const ValueHash wide{7, hash % 2};
    ASSERT_TRUE(map.add(wide, value, 1 + hash % 3));
    ASSERT_TRUE(map.add(wide, value, 1));
    expected[{wide.high, wide.low, value}] += 2 + hash % 3;
  }
  expect_same(map, expected);
  map.clear();
  EXPECT_EQ(ledger.held_bytes(), 0u);
}

// Linear probing alone would compare five billion slots here.
TEST(ValueMap, CraftedValuesAreCountedRight) {
  const std::vector<std::string> values = test::CraftedValues::with_hash(0xFEEDFACECAFEBEEF, 100'000);
  MemoryLedger ledger(plenty);
  ValueMap map(ledger, false);
  Counts expected;
  std::vector<HashedValue> batch;
  for (const std::string& value : values) {
    batch.emplace_back(value, hash_xxh64(value));
    expected[{batch.back().hash, 0, value}] += 2;
  }
  ASSERT_EQ(map.add(batch), batch.size());
  ASSERT_EQ(map.add(batch), batch.size());
  expect_same(map, expected);
}

TEST(ValueMap, CrowdsThatDoNotFitLeaveTheRestAsItIs) {
  const std::vector<std::string> values = test::CraftedValues::with_hash(1, 20'000);
  for (const std::uint64_t limit : {40'000, 200'000, 500'000, 1'300'000}) {
    MemoryLedger ledger(limit);
    ValueMap map(ledger, false);
    std::vector<HashedValue> batch;
    for (const std::string& value : values) batch.emplace_back(value, 1);
    const std::size_t taken = map.add(batch);
    ASSERT_LT(taken, values.size());
    EXPECT_LE(ledger.held_bytes(), limit);
    EXPECT_EQ(map.add(std::span(batch).first(taken)), taken);
    Counts expected;
    for (std::size_t i = 0; i < taken; ++i) expected[{1, 0, values[i]}] += 2;
    expect_same(map, expected);
    map.clear();
    EXPECT_EQ(ledger.held_bytes(), 0u);
  }
}

TEST(ValueMap, LengthIsPartOfAValue) {
  std::vector<std::string> values;
  for (std::size_t length = 0; length < 20; ++length) values.emplace_back(length, '\0');
  values.insert(values.end(), values.begin(), values.end());
  expect_counts_of_a_plain_map(values, [](const std::string&) { return ValueHash{7, 0}; });
}

TEST(ValueMap, WideHashesKeepBothHalves) {
  MemoryLedger ledger(plenty);
  ValueMap map(ledger, true);
  Counts expected;
  for (const std::string& value : some_values(20000, 20, skewed)) {
    const std::uint64_t hash = hash_xxh64(value);
    const ValueHash wide{hash % 1000 << 50, hash};
    ASSERT_TRUE(map.add(wide, value, 1 + hash % 3));
    expected[{wide.high, wide.low, value}] += 1 + hash % 3;
  }
  expect_same(map, expected);
}

TEST(ValueMap, WhatDoesNotFitLeavesTheRestAsItIs) {
  constexpr std::uint64_t limit = 64 << 10;
  MemoryLedger ledger(limit);
  ValueMap map(ledger, false);
  const std::vector<std::string> values = some_values(20000, 40, many);
  std::vector<HashedValue> batch;
  for (const std::string& value : values) batch.emplace_back(value, hash_xxh64(value));
  const std::size_t taken = map.add(batch);
  ASSERT_GT(taken, 100u);
  ASSERT_LT(taken, values.size());
  EXPECT_LE(ledger.held_bytes(), limit);
  // The next value does not fit, but values that are already in the map can still be counted.
  EXPECT_EQ(map.add(std::span(batch).subspan(taken, 1)), 0u);
  EXPECT_EQ(map.add(std::span(batch).first(taken)), taken);
  Counts expected;
  for (std::size_t i = 0; i < taken; ++i) expected[{batch[i].hash, 0, values[i]}] += 2;
  expect_same(map, expected);
  map.clear();
  EXPECT_EQ(ledger.held_bytes(), 0u);
  EXPECT_GT(map.add(std::span(batch).subspan(taken)), 100u);
}

}  // namespace
}  // namespace widehash::detail
