#include "inspect/list_census.hpp"

#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace widehash {
namespace {

/// What is found about the values make(0), make(1), ...
template <class Make>
std::optional<ListCensus::Lists> found(std::size_t num_values, double distinct, const Make& make) {
  ListCensus census;
  for (std::size_t i = 0; i < num_values; ++i) census.add(make(i));
  return census.lists(distinct);
}

std::string list(std::mt19937_64& random, std::size_t length, char separator, std::size_t num_items) {
  std::string text;
  for (std::size_t i = 0; i < length; ++i)
    text += fmt::format("{}tag{}", i == 0 ? "" : std::string(1, separator), random() % num_items);
  return text;
}

TEST(ListCensus, ListsOfVaryingLengthAreFound) {
  for (const char separator : {'|', ';'}) {
    std::mt19937_64 random(1);
    const auto lists =
        found(5000, 4000, [&](std::size_t) { return list(random, 1 + random() % 4, separator, 300); });
    ASSERT_TRUE(lists);
    EXPECT_EQ(lists->separator, separator);
    EXPECT_NEAR(lists->distinct_items, 300, 15);
  }
}

TEST(ListCensus, MostMayHaveOneItem) {
  std::mt19937_64 random(2);
  EXPECT_TRUE(found(2000, 300, [&](std::size_t i) { return list(random, i % 5 == 0 ? 2 : 1, '|', 40); }));
  EXPECT_FALSE(found(2000, 300, [&](std::size_t i) { return list(random, i % 20 == 0 ? 2 : 1, '|', 40); }));
}

TEST(ListCensus, OtherTextsAreNone) {
  std::mt19937_64 random(3);
  EXPECT_FALSE(found(2000, 1000, [&](std::size_t) { return list(random, 3, '|', 40); }))
      << "a code of three parts";
  EXPECT_FALSE(found(2000, 1000, [&](std::size_t i) { return fmt::format("Smith, John {}", i % 1000); }));
  EXPECT_FALSE(found(2000, 2000, [&](std::size_t i) {
    return fmt::format("{} said{} that{}", i, i % 2 == 0 ? ";" : "", i % 3 == 0 ? ";" : "");
  })) << "sentences, whose parts are as many as they";
  EXPECT_FALSE(found(2000, 300, [&](std::size_t i) { return fmt::format("site{}", i % 300); }));
  EXPECT_FALSE(found(10, 8, [&](std::size_t) { return list(random, 1 + random() % 4, '|', 3); }))
      << "too few to tell";
  EXPECT_FALSE(ListCensus().lists(0));
}

}  // namespace
}  // namespace widehash
