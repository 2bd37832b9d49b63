#include "encode/short_integer.hpp"

#include "encode/target_parser.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <optional>
#include <random>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace widehash {
namespace {

bool is_integer(std::string_view text) {
  if (text.size() > 1 && text[0] == '-') text.remove_prefix(1);
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// Compares with parse_number(), whatever bytes follow the text.
void expect_as_parsed(std::string_view text, std::mt19937_64& random) {
  std::uint64_t word = random();
  std::memcpy(&word, text.data(), text.size());
  double number = 0;
  const bool is_read = read_short_integer(word, text.size(), number);
  ASSERT_EQ(is_read, text.empty() || is_integer(text)) << "'" << text << "'";
  if (text.empty()) {
    ASSERT_TRUE(std::isnan(number));
  } else if (is_read) {
    ASSERT_EQ(std::bit_cast<std::uint64_t>(number), std::bit_cast<std::uint64_t>(parse_number(text).value()))
        << "'" << text << "'";
  }
}

TEST(ShortInteger, EveryTextOfUpToTwoBytesIsReadAsByTheParser) {
  std::mt19937_64 random(1);
  expect_as_parsed("", random);
  for (int first = 0; first < 256; ++first) {
    const char text[] = {static_cast<char>(first), '\0'};
    expect_as_parsed({text, 1}, random);
    for (int second = 0; second < 256; ++second) {
      const char pair[] = {static_cast<char>(first), static_cast<char>(second)};
      expect_as_parsed({pair, 2}, random);
    }
  }
}

TEST(ShortInteger, RandomTextsAreReadAsByTheParser) {
  constexpr std::string_view usual = "0123456789";
  constexpr std::string_view near = "0123456789-+./: eE\x29\x2F\x3A\x3F\x40\x70\x80\xB0\xFA\xFF";
  std::mt19937_64 random(2);
  for (int i = 0; i < 300'000; ++i) {
    std::string text(random() % 9, '0');
    for (char& c : text) {
      const std::string_view alphabet = random() % 8 == 0 ? near : usual;
      c = alphabet[random() % alphabet.size()];
    }
    if (!text.empty() && random() % 4 == 0) text[0] = '-';
    expect_as_parsed(text, random);
  }
}

}  // namespace
}  // namespace widehash
