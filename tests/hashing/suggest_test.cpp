#include <widehash/internal/suggest.hpp>

#include <vector>

#include <gtest/gtest.h>

namespace widehash {
namespace {

const std::vector<std::string_view> keys = {"cardinality", "encoding", "field", "missing", "seed"};

TEST(Suggest, FindsSlips) {
  EXPECT_EQ(nearest("cardinallity", keys), "cardinality");
  EXPECT_EQ(nearest("ecnoding", keys), "encoding");
  EXPECT_EQ(nearest("fild", keys), "field");
  EXPECT_EQ(nearest("SEED", keys), "seed");
  EXPECT_EQ(nearest("feild", keys), "field");
}

TEST(Suggest, SaysNothingAboutOtherWords) {
  EXPECT_EQ(nearest("banana", keys), "");
  EXPECT_EQ(nearest("", keys), "");
  EXPECT_EQ(nearest("x", keys), "");
  EXPECT_EQ(nearest("x", std::vector<std::string_view>{"y"}), "");
  EXPECT_EQ(nearest(std::string(100000, 'a'), keys), "");
  EXPECT_EQ(nearest("seed", {}), "");
}

TEST(Suggest, DashesStandForUnderscores) {
  EXPECT_EQ(nearest("four-split", std::vector<std::string_view>{"one_hot", "four_split"}), "four_split");
}

TEST(Suggest, ThePhraseEndsAMessage) {
  EXPECT_EQ(did_you_mean("sed", keys), "; did you mean 'seed'?");
  EXPECT_EQ(did_you_mean("banana", keys), "");
}

}  // namespace
}  // namespace widehash
