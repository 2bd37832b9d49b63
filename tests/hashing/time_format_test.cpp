// The oracle is the C library: gmtime_r(), strptime().
#include <widehash/error.hpp>
#include <widehash/time_format.hpp>

#include <cstdint>
#include <ctime>
#include <optional>
#include <random>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace widehash {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

CivilTime civil(const std::tm& time) {
  return {.year = static_cast<std::uint32_t>(time.tm_year + 1900),
          .month = static_cast<std::uint32_t>(time.tm_mon + 1),
          .day = static_cast<std::uint32_t>(time.tm_mday),
          .hour = static_cast<std::uint32_t>(time.tm_hour),
          .minute = static_cast<std::uint32_t>(time.tm_min)};
}

std::tm utc(std::time_t second) {
  std::tm time{};
  gmtime_r(&second, &time);
  return time;
}

std::string written(const std::tm& time, const char* pattern) {
  char text[128];
  return {text, std::strftime(text, sizeof text, pattern, &time)};
}

/// A random second in the years 1 to 9999.
std::int64_t any_second(std::mt19937_64& random) {
  return std::uniform_int_distribution<std::int64_t>(-62135596800, 253402300799)(random);
}

TEST(TimeFormat, IsoTimesOfEverySecondAreRead) {
  std::mt19937_64 random(1);
  const TimeFormat iso;
  for (int i = 0; i < 20000; ++i) {
    const std::tm time = utc(any_second(random));
    std::string day = fmt::format("{:04}-{:02}-{:02}", time.tm_year + 1900, time.tm_mon + 1, time.tm_mday);
    const std::string clock = written(time, "%H:%M:%S");
    CivilTime expected = civil(time);
    EXPECT_EQ(iso.parse(day + " " + clock), expected) << day << clock;
    EXPECT_EQ(iso.parse(day + "T" + clock + ".125Z"), expected);
    EXPECT_EQ(iso.parse(day + " " + clock.substr(0, 5) + "+02:00"), expected);
    EXPECT_EQ(iso.parse(day + "T" + written(time, "%H%M%S") + ".125Z"), expected);
    EXPECT_EQ(iso.parse(day + "T" + written(time, "%H%M") + "+0200"), expected);
    EXPECT_EQ(iso.parse(day + " " + clock.substr(0, 5) + "-02"), expected);
    for (const char* const zone : {"+2", "+020", "+02:0", "+02:", "+02000", "+0260"})
      EXPECT_EQ(iso.parse(day + " " + clock.substr(0, 5) + zone), std::nullopt) << zone;
    EXPECT_EQ(part_of(expected, TimePart::weekday), static_cast<std::uint32_t>((time.tm_wday + 6) % 7 + 1));
    expected.minute = 0;
    EXPECT_EQ(iso.parse(day + " " + clock.substr(0, 2)), expected);
    expected.hour = 0;
    EXPECT_EQ(iso.parse(day), expected);
    std::erase(day, '-');
    EXPECT_EQ(iso.parse(day), expected);
  }
}

TEST(TimeFormat, SecondsAndMillisecondsOfUnixAreRead) {
  std::mt19937_64 random(2);
  const TimeFormat seconds("unix");
  const TimeFormat milliseconds("unix_ms");
  for (int i = 0; i < 20000; ++i) {
    const std::int64_t second = any_second(random);
    const CivilTime expected = civil(utc(second));
    EXPECT_EQ(seconds.parse(fmt::format("{}", second)), expected) << second;
    const auto millisecond = std::uniform_int_distribution<std::int64_t>(0, 999)(random);
    EXPECT_EQ(milliseconds.parse(fmt::format("{}", second * 1000 + millisecond)), expected) << second;
  }
  EXPECT_EQ(seconds.parse("-0.5"), civil(utc(-1)));
  EXPECT_EQ(seconds.parse("-3600.00"), civil(utc(-3600)));
  EXPECT_EQ(seconds.parse("-3600.01"), civil(utc(-3601)));
  EXPECT_EQ(milliseconds.parse("-1.0"), civil(utc(-1)));
  EXPECT_EQ(seconds.parse("1413849600.999"), civil(utc(1413849600)));
  for (const char* text :
       {"", "-", "1.", ".5", "+5", "1e9", "0x10", " 1", "1 ", "253402300800", "-62135596801",
        "999999999999999999", "9999999999999999999", "99999999999999999999999"}) {
    EXPECT_EQ(seconds.parse(text), std::nullopt) << text;
  }
}

TEST(TimeFormat, PatternsReadWhatTheCLibraryWrites) {
  std::mt19937_64 random(3);
  // strftime() has no %f and writes no year below 1000 with four digits; the years of %y span two centuries.
  for (const char* pattern : {"%Y-%m-%d %H:%M:%S", "%d/%b/%Y:%H:%M:%S %z", "%m/%d/%Y %I:%M:%S %p",
                              "%y%m%d%H%M", "%a %b %d %H:%M:%S %Y", "%H%%%M at %d.%m.%Y", "%FT%T",
                              "%A, %e %B %Y, %H:%M", "%B %d, %Y %I:%M %p", "%Y.%j %H:%M"}) {
    const TimeFormat format(pattern);
    for (int i = 0; i < 3000; ++i) {
      const std::tm time = utc(std::uniform_int_distribution<std::int64_t>(0, 3092169600)(random));
      EXPECT_EQ(format.parse(written(time, pattern)), civil(time)) << pattern << written(time, pattern);
    }
  }
  EXPECT_EQ(TimeFormat("%y%m%d%H").parse("14102123"),
            (CivilTime{.year = 2014, .month = 10, .day = 21, .hour = 23}));
  EXPECT_EQ(TimeFormat("%y").parse("68")->year, 2068u);
  EXPECT_EQ(TimeFormat("%y").parse("69")->year, 1969u);
  EXPECT_EQ(TimeFormat("%H:%M:%S.%f").parse("7:05:09.000001"), (CivilTime{.hour = 7, .minute = 5}));
  EXPECT_EQ(TimeFormat("%I %p").parse("12 am")->hour, 0u);
  EXPECT_EQ(TimeFormat("%I %p").parse("12 PM")->hour, 12u);
  EXPECT_EQ(TimeFormat("%I %p").parse("13 PM"), std::nullopt);
  EXPECT_EQ(TimeFormat("%Y%j").parse("2016366"), (CivilTime{.year = 2016, .month = 12, .day = 31}));
  EXPECT_EQ(TimeFormat("%Y%j").parse("2015366"), std::nullopt);
  EXPECT_EQ(TimeFormat("%Y%j").parse("2015000"), std::nullopt);
  EXPECT_EQ(TimeFormat("%b").parse("Sept"), std::nullopt);
  EXPECT_EQ(TimeFormat("%b %d %H:%M:%S").parse("Feb 29 13:05:09"),
            (CivilTime{.month = 2, .day = 29, .hour = 13, .minute = 5}));
  EXPECT_EQ(TimeFormat("%b %d").parse("Feb 30"), std::nullopt);
  EXPECT_EQ(TimeFormat("%j %H").parse("366 13")->hour, 13u);
  EXPECT_EQ(TimeFormat("%j").parse("367"), std::nullopt);
  EXPECT_FALSE(TimeFormat("%j").gives(TimePart::month));  // the month of that day depends on the year
  EXPECT_TRUE(TimeFormat("%y-%j").gives(TimePart::weekday));
  EXPECT_TRUE(TimeFormat("%F %T").gives(TimePart::minute));
}

TEST(TimeFormat, WhatIsNoTimeIsNone) {
  const TimeFormat iso;
  for (const char* text : {"",
                           "2014",
                           "2014-10",
                           "2014-1-05",
                           "14-10-21",
                           "2014-10-21 ",
                           "2014-10-21T",
                           "2014-10-21 24:00",
                           "2014-10-21 7:00",
                           "2014-10-21 07:60",
                           "2014-10-21 07:00:61",
                           "2014-10-21 07:00:00.",
                           "2014-02-30",
                           "2015-02-29",
                           "2014-13-01",
                           "2014-00-10",
                           "2014-01-00",
                           "0000-01-01",
                           "2014-10-21 07:00 +2",
                           "2014-10-21 07:00+25:00",
                           "2014-10-21 07:00 CEST",
                           "2014/10/21",
                           "2014-1021",
                           "20141021T130",
                           "20141021T13056",
                           "2014-10-21 13:0509",
                           "yesterday",
                           "-2014-10-21",
                           "2014-10-21\n",
                           "20141021x",
                           "２０14-10-21"}) {
    EXPECT_EQ(iso.parse(text), std::nullopt) << text;
  }
  EXPECT_EQ(iso.parse(std::string_view("2014-10-21\0", 11)), std::nullopt);
  EXPECT_TRUE(iso.parse("2016-02-29"));
  EXPECT_TRUE(iso.parse("2016-12-31T23:59:60Z"));  // a leap second
  EXPECT_TRUE(iso.parse("2014-10-21 07:00:00 UTC"));
  EXPECT_TRUE(iso.parse("2014-10-21 07:00:00 +0000"));
}

TEST(TimeFormat, AnyBytesAreReadWithoutHarm) {
  std::mt19937_64 random(4);
  const std::string alphabet("0123456789-: TZ+./%apmUTCJan\xff\0", 30);
  const TimeFormat formats[] = {TimeFormat(), TimeFormat("unix"),
                                TimeFormat("%d/%b/%Y %I:%M:%S.%f %p %z%%%a"), TimeFormat("%Y%j %T")};
  for (int i = 0; i < 200000; ++i) {
    std::string text(std::uniform_int_distribution<std::size_t>(0, 30)(random), '0');
    for (char& c : text)
      c = alphabet[std::uniform_int_distribution<std::size_t>(0, alphabet.size() - 1)(random)];
    for (const TimeFormat& format : formats) {
      const auto time = format.parse(text);
      if (!time) continue;
      EXPECT_TRUE(time->month >= 1 && time->month <= 12 && time->hour < 24 && time->minute < 60) << text;
    }
  }
}

TEST(TimeFormat, FormatsThatAreNoneAreRefused) {
  EXPECT_THAT([] { TimeFormat("ISO"); }, ThrowsMessage<ConfigError>(HasSubstr("not iso, unix, unix_ms")));
  EXPECT_THAT([] { TimeFormat(""); }, ThrowsMessage<ConfigError>(HasSubstr("not iso")));
  EXPECT_THAT([] { TimeFormat("%F %j"); },
              ThrowsMessage<ConfigError>(HasSubstr("already gives month and day")));
  EXPECT_THAT([] { TimeFormat("%Y-%Q"); },
              ThrowsMessage<ConfigError>(HasSubstr("%Q, which is not one of %Y")));
  EXPECT_THAT([] { TimeFormat("%Y%"); }, ThrowsMessage<ConfigError>(HasSubstr("time_format has %, which")));
}

TEST(TimeFormat, ItIsKnownWhichPartsItGives) {
  const TimeFormat clock("%I:%M %p");
  EXPECT_TRUE(clock.gives(TimePart::hour) && clock.gives(TimePart::minute));
  EXPECT_FALSE(clock.gives(TimePart::weekday) || clock.gives(TimePart::day) || clock.gives(TimePart::year));
  EXPECT_FALSE(TimeFormat("%I").gives(TimePart::hour));
  EXPECT_FALSE(TimeFormat("%m %%d %Y").gives(TimePart::day));
  EXPECT_TRUE(TimeFormat("%d %b %y").gives(TimePart::weekday));
  EXPECT_TRUE(TimeFormat("unix").gives(TimePart::weekday) && TimeFormat().gives(TimePart::minute));
}

}  // namespace
}  // namespace widehash
