#include "inspect/other_writing.hpp"

#include <functional>
#include <random>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace widehash {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

OtherWriting writing_of(const std::function<std::string(std::mt19937_64&, int)>& make, int num_values = 500) {
  OtherWriting writing;
  std::mt19937_64 random(1);
  for (int i = 0; i < num_values; ++i) writing.add(make(random, i));
  return writing;
}

std::string fraction(std::mt19937_64& random, char point) {
  return fmt::format("{}{}{:02}", random() % 5000, point, random() % 100);
}

TEST(OtherWriting, NumbersInOtherWritingsAreFound) {
  EXPECT_THAT(writing_of([](auto& random, int) { return fraction(random, ','); }).description(),
              StartsWith("numbers with a decimal comma, such as "));
  EXPECT_THAT(writing_of([](auto& random, int) {
                return "1." + fmt::format("{:03}", random() % 1000) + ",5";
              }).description(),
              StartsWith("numbers with a decimal comma"));
  // 4,237 alone is ambiguous: beside 12,5 it has a fraction, beside 12 a thousands separator.
  EXPECT_THAT(writing_of([](auto& random, int i) {
                return i % 2 == 0 ? "12,5" : fmt::format("4,{:03}", random() % 1000);
              }).description(),
              StartsWith("numbers with a decimal comma"));
  EXPECT_THAT(writing_of([](auto& random, int i) {
                return i % 3 == 0 ? "12" : fmt::format("4,{:03}", random() % 1000);
              }).description(),
              StartsWith("numbers with thousands separators, such as 4,"));
  for (const char* number : {"1,234,567", "-4,237.17", "1 234", "12'345.5"})
    EXPECT_EQ(writing_of([&](auto&, int) { return number; }).description(),
              fmt::format("numbers with thousands separators, such as {}", number));
  EXPECT_EQ(writing_of([](auto&, int) { return "76.4%"; }).description(),
            "numbers with percent signs, such as 76.4%");
  for (const char* amount : {"$25.51", "25,51 €", "£1,250.00"})
    EXPECT_EQ(writing_of([&](auto&, int) { return amount; }).description(),
              fmt::format("amounts with a currency sign, such as {}", amount));
  EXPECT_EQ(writing_of([](auto&, int i) { return i % 2 == 0 ? "3.2 kg" : "12 kg"; }).description(),
            "numbers with a unit, such as 3.2 kg");
}

TEST(OtherWriting, ATwentiethMayBeAnythingElse) {
  const auto with_others = [](int each) {
    return writing_of([&](auto& random, int i) { return i % each == 1 ? "unknown" : fraction(random, ','); })
        .description();
  };
  EXPECT_THAT(with_others(25), HasSubstr("decimal comma"));
  EXPECT_EQ(with_others(15), "");
}

TEST(OtherWriting, OtherTextsAreNone) {
  for (const char* text : {"12A", "9E", "shop 12", "12", "3.5", "-", "1,2,3", "12,", ",5", "1.2.3",
                           "10.0.0.1", "a,b", "12 monkeys", "1,23,456", "2026-11-28", "AA%"})
    EXPECT_EQ(writing_of([&](auto&, int) { return text; }).description(), "") << text;
  EXPECT_EQ(writing_of([](auto&, int i) { return i % 2 == 0 ? "3.2 kg" : "3.2 lb"; }).description(), "")
      << "two units";
  EXPECT_EQ(writing_of([](auto& random, int) { return fraction(random, ','); }, 9).description(), "")
      << "too few to tell";
  EXPECT_EQ(OtherWriting().description(), "");
}

TEST(OtherWriting, TimesHaveThePatternsThatReadAllOfThem) {
  const OtherWriting points = writing_of([](auto& random, int) {
    return fmt::format("{:02}.{:02}.2024 {:02}:{:02}", 1 + random() % 28, 1 + random() % 12, random() % 24,
                       random() % 60);
  });
  EXPECT_TRUE(points.holds_times());
  EXPECT_THAT(points.description(), HasSubstr("which time_format = \"%d.%m.%Y %H:%M\" reads"));
  const auto slashes = [](int most) {
    return writing_of([&](auto& random, int) {
             return fmt::format("{:02}/{:02}/2024", 1 + random() % 12, 1 + random() % most);
           })
        .description();
  };
  EXPECT_THAT(slashes(28), HasSubstr("= \"%m/%d/%Y\" reads"));
  EXPECT_THAT(slashes(12), HasSubstr("= \"%m/%d/%Y\" or \"%d/%m/%Y\" reads"));
  EXPECT_FALSE(writing_of([](auto&, int i) { return i == 400 ? "soon" : "16.08.2024"; }).holds_times());
}

}  // namespace
}  // namespace widehash
