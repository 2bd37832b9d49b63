#include <widehash/canonical_text.hpp>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>

#include <gtest/gtest.h>

namespace widehash {
namespace {

TEST(CanonicalText, IntegersAreDecimal) {
  EXPECT_EQ(canonical_text(std::int64_t{0}), "0");
  EXPECT_EQ(canonical_text(std::int64_t{-7}), "-7");
  EXPECT_EQ(canonical_text(std::numeric_limits<std::int64_t>::min()), "-9223372036854775808");
  EXPECT_EQ(canonical_text(std::numeric_limits<std::uint64_t>::max()), "18446744073709551615");
}

TEST(CanonicalText, IntegralFloatsAreThatInteger) {
  EXPECT_EQ(canonical_text(3.0), "3");
  EXPECT_EQ(canonical_text(-0.0), "0");
  EXPECT_EQ(canonical_text(-12.0f), "-12");
  EXPECT_EQ(canonical_text(9007199254740992.0), "9007199254740992");
  // The double nearest to 1e23 is this integer, not a 1 followed by zeros.
  EXPECT_EQ(canonical_text(1e23), "99999999999999991611392");
  EXPECT_EQ(canonical_text(std::numeric_limits<double>::max()).size(), 309u);
  EXPECT_EQ(canonical_text(-std::numeric_limits<double>::max()).size(), 310u);
}

TEST(CanonicalText, OtherFloatsAreTheShortestTextOfTheirType) {
  EXPECT_EQ(canonical_text(0.1), "0.1");
  EXPECT_EQ(canonical_text(0.1f), "0.1");
  EXPECT_EQ(canonical_text(1e-7), "1e-07");
  EXPECT_EQ(canonical_text(-2.5), "-2.5");
}

TEST(CanonicalText, HalvesAreTheShortestTextOfTheirSize) {
  EXPECT_EQ(canonical_text(Half{0x2E66}), "0.1");  // as a float: 0.099975586
  EXPECT_EQ(canonical_text(Half{0xB555}), "-0.3333");
  EXPECT_EQ(canonical_text(Half{0x6400}), "1024");
  EXPECT_EQ(canonical_text(Half{0x7BFF}), "65504");  // an integer keeps all of its digits
  EXPECT_EQ(canonical_text(Half{0x0001}), "6e-08");
  EXPECT_EQ(canonical_text(Half{0x0400}), "6.104e-05");
  EXPECT_EQ(canonical_text(Half{0x2400}), "0.01563");  // stands for 0.015625: 0.01562 is another half
  EXPECT_EQ(canonical_text(Half{0x8000}), "0");
  EXPECT_EQ(canonical_text(Half{0x7C00}), "inf");
  EXPECT_EQ(canonical_text(Half{0xFC00}), "-inf");
  EXPECT_EQ(canonical_text(Half{0xFE01}), "");
}

TEST(CanonicalText, SpecialNumbersHaveWords) {
  EXPECT_EQ(canonical_text(std::numeric_limits<double>::infinity()), "inf");
  EXPECT_EQ(canonical_text(-std::numeric_limits<float>::infinity()), "-inf");
  EXPECT_EQ(canonical_text(std::nan("")), "");
}

TEST(CanonicalText, BooleansAreWords) {
  EXPECT_EQ(canonical_text(true), "true");
  EXPECT_EQ(canonical_text(false), "false");
}

TEST(CanonicalText, EveryFiniteDoubleReadsBack) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 20000; ++i) {
    const std::uint64_t bits = random();
    double value;
    std::memcpy(&value, &bits, sizeof value);
    if (!std::isfinite(value)) continue;
    ASSERT_EQ(std::strtod(canonical_text(value).c_str(), nullptr), value);
  }
}

TEST(CanonicalText, IntegralDoublesAgreeWithIntegers) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 20000; ++i) {
    const auto value = static_cast<std::int64_t>(random()) >> (11 + i % 50);
    ASSERT_EQ(canonical_text(static_cast<double>(value)), canonical_text(value));
  }
}

}  // namespace
}  // namespace widehash
