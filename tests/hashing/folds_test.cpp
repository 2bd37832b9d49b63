#include <widehash/code.hpp>
#include <widehash/error.hpp>
#include <widehash/folds.hpp>

#include <cmath>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace widehash {
namespace {

using testing::HasSubstr;

std::string complaint(const std::string& text) {
  try {
    parse_folds(text);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

TEST(Folds, AreReadAndWritten) {
  for (const std::string text : {"10/10", "1-9/10", "1-3,5-10/10", "1,3,7/8", "4294967295/4294967295"}) {
    EXPECT_EQ(to_text(parse_folds(text)), text);
  }
  EXPECT_EQ(parse_folds("1-3,5/6"), (Folds{.count = 6, .taken = {{1, 3}, {5, 5}}}));
  EXPECT_EQ(parse_folds("2-2/6"), (Folds{.count = 6, .taken = {{2, 2}}}));
  EXPECT_EQ(parse_folds("1/1"), Folds{});
}

TEST(Folds, OfNoSenseAreRefused) {
  for (const std::string text : {"", "/", "1", "1/", "/10", "a/10", "1-/10", "-1/10", "1,/10", "1 /10",
                                 "1/10/10", "+1/10", "1-2-3/10", "1/4294967296", "1/-10", "0x1/10"}) {
    EXPECT_THAT(complaint(text), HasSubstr("does not name folds")) << text;
  }
  for (const std::string text : {"3-2/10", "2,1/10", "1,1/10", "1-3,3-4/10"}) {
    EXPECT_THAT(complaint(text), HasSubstr("out of order or twice")) << text;
  }
  for (const std::string text : {"0/10", "0-3/10"})
    EXPECT_THAT(complaint(text), HasSubstr("names fold 0; folds are numbered from 1")) << text;
  EXPECT_THAT(complaint("9-11/10"), HasSubstr("names fold 11, but there are only 10"));
  EXPECT_THAT(complaint("1/0"), HasSubstr("names fold 1, but there are only 0"));
}

TEST(Folds, OfProgramsAreCheckedToo) {
  EXPECT_NO_THROW(check_folds({}));
  EXPECT_THROW(check_folds({.count = 0}), ConfigError);
  EXPECT_THROW(check_folds({.count = 10}), ConfigError);
  EXPECT_THROW(check_folds({.count = 10, .taken = {{2, 11}}}), ConfigError);
  EXPECT_THROW(check_folds({.by = "user"}), ConfigError);
  EXPECT_THROW(check_folds({.count = 2, .taken = {{1, 1}}, .by = "\xff"}), ConfigError);
}

// The expected folds come from Python's xxhash: 1 + xxh64_intdigest(value, seed=0x666F6C6473) % count.
TEST(Folds, AreThoseOfTheFormula) {
  EXPECT_EQ(fold_of("", 10), 5u);
  EXPECT_EQ(fold_of("a", 10), 9u);
  EXPECT_EQ(fold_of("u1\tx\t5", 10), 7u);
  EXPECT_EQ(fold_of("u1\tx\t5", 1000003), 538697u);
}

TEST(Folds, AreEvenAndWithoutAWordOnBuckets) {
  constexpr std::uint32_t num_folds = 10;
  constexpr std::uint32_t num_buckets = 8;  // buckets of the same values; 8 is even, and the smallest width
  constexpr int num_values = 80000;
  std::vector<int> counts(num_folds * num_buckets, 0);
  for (int i = 0; i < num_values; ++i) {
    const std::string value = "user" + std::to_string(i);
    const auto bucket = static_cast<std::uint32_t>(hash_xxh64(value) & 0xFFFF) % num_buckets;
    ++counts[(fold_of(value, num_folds) - 1) * num_buckets + bucket];
  }
  const double expected = static_cast<double>(num_values) / (num_folds * num_buckets);
  for (const int count : counts) EXPECT_NEAR(count, expected, 5 * std::sqrt(expected));
}

TEST(Folds, AreTakenByRange) {
  const Folds folds = parse_folds("2-3,7/9");
  std::string taken;
  for (std::uint32_t fold = 1; fold <= 9; ++fold) taken += folds.take(fold) ? 'x' : '.';
  EXPECT_EQ(taken, ".xx...x..");
}

}  // namespace
}  // namespace widehash
