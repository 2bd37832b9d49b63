// The oracle is the C library's gmtime_r().
#include <widehash/time_column.hpp>
#include <widehash/time_format.hpp>

#include <cstdint>
#include <ctime>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace widehash {
namespace {

using testing::ElementsAre;

std::string text_of(std::int64_t units, TimeUnit unit) {
  char text[max_time_bytes];
  return {text, write_time_text(units, unit, text)};
}

std::string expected(std::int64_t second) {
  std::tm time{};
  const std::time_t given = second;
  gmtime_r(&given, &time);
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}", time.tm_year + 1900, time.tm_mon + 1,
                     time.tm_mday, time.tm_hour, time.tm_min, time.tm_sec);
}

TEST(TimeColumn, TextsAreThoseOfTheCLibrary) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 50000; ++i) {
    const auto second = std::uniform_int_distribution<std::int64_t>(-62135596800, 253402300799)(random);
    const std::string text = expected(second);
    EXPECT_EQ(text_of(second, TimeUnit::second), text);
    EXPECT_EQ(text_of(second * 1000, TimeUnit::millisecond), text);
    EXPECT_EQ(text_of(second * 1000 + 250, TimeUnit::millisecond), text + ".25");
    EXPECT_EQ(text_of(second * 1000000 + 1, TimeUnit::microsecond), text + ".000001");
    const auto day = second / 86400 - (second % 86400 < 0 ? 1 : 0);
    EXPECT_EQ(text_of(day, TimeUnit::day), text.substr(0, 10));
    EXPECT_EQ(text_of(day * 86400000, TimeUnit::day_in_milliseconds), text.substr(0, 10));
    EXPECT_EQ(text_of(day * 86400000 + 5000, TimeUnit::day_in_milliseconds),
              text.substr(0, 10) + " 00:00:05");
    EXPECT_TRUE(TimeFormat().parse(text));
  }
  for (int i = 0; i < 10000; ++i) {  // nanoseconds cover the years 1677 to 2262
    const auto nanosecond = std::uniform_int_distribution<std::int64_t>(not_a_time + 1)(random);
    const std::int64_t second = nanosecond / 1000000000 - (nanosecond % 1000000000 < 0 ? 1 : 0);
    const std::string text = text_of(nanosecond, TimeUnit::nanosecond);
    EXPECT_EQ(text.substr(0, 19), expected(second));
    EXPECT_TRUE(TimeFormat().parse(text)) << text;
  }
}

TEST(TimeColumn, TheFarthestTimesHaveATextToo) {
  constexpr std::int64_t last = std::numeric_limits<std::int64_t>::max();
  for (const TimeUnit unit :
       {TimeUnit::second, TimeUnit::millisecond, TimeUnit::microsecond, TimeUnit::nanosecond}) {
    for (const std::int64_t units : {last, not_a_time + 1}) {
      const std::string text = text_of(units, unit);
      EXPECT_LE(text.size(), max_time_bytes);
      EXPECT_EQ(TimeFormat().parse(text).has_value(), unit == TimeUnit::nanosecond) << text;
    }
  }
  EXPECT_EQ(text_of(0, TimeUnit::day), "1970-01-01");
  EXPECT_EQ(text_of(std::numeric_limits<std::int32_t>::max(), TimeUnit::day), "32767-12-31");
  EXPECT_EQ(text_of(std::numeric_limits<std::int32_t>::min(), TimeUnit::day), "-32767-01-01");
  EXPECT_EQ(text_of(-719529, TimeUnit::day), "-1-12-31");
  EXPECT_FALSE(TimeFormat().parse(text_of(last, TimeUnit::day)));
  EXPECT_FALSE(TimeFormat().parse(text_of(not_a_time + 1, TimeUnit::day)));
  EXPECT_EQ(text_of(not_a_time, TimeUnit::day), "");
}

TEST(TimeColumn, MissingTimesAreMissing) {
  const std::vector<std::int64_t> values = {0, not_a_time, 86400, 1};
  const std::uint8_t bits = 0b0111;
  const auto column = time_column(std::span(values), TimeUnit::second, {&bits, 0});
  std::vector<std::string_view> texts(4);
  TextRoom room;
  column->read(0, 4, texts.data(), 1, room);
  EXPECT_THAT(texts, ElementsAre("1970-01-01 00:00:00", "", "1970-01-02 00:00:00", ""));
}

}  // namespace
}  // namespace widehash
