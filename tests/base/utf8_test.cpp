#include <widehash/internal/utf8.hpp>

#include <cstdint>
#include <set>
#include <string>

#include <gtest/gtest.h>

namespace widehash {
namespace {

std::string encoded(std::uint32_t point) {
  const auto byte = [](std::uint32_t bits) { return static_cast<char>(bits); };
  if (point < 0x80) return {byte(point)};
  const char last = byte(0x80 | (point & 0x3F));
  if (point < 0x800) return {byte(0xC0 | point >> 6), last};
  const char third = byte(0x80 | (point >> 6 & 0x3F));
  if (point < 0x10000) return {byte(0xE0 | point >> 12), third, last};
  return {byte(0xF0 | point >> 18), byte(0x80 | (point >> 12 & 0x3F)), third, last};
}

/// Every character that exists, as UTF-8.
const std::set<std::string>& characters() {
  static const std::set<std::string> all = [] {
    std::set<std::string> made;
    for (std::uint32_t point = 0; point <= 0x10FFFF; ++point) {
      if (point < 0xD800 || point > 0xDFFF) made.insert(encoded(point));
    }
    return made;
  }();
  return all;
}

TEST(Utf8, CharactersAreThoseThatACodePointIsWrittenAs) {
  for (const std::string& character : characters()) {
    ASSERT_EQ(utf8_character_bytes(character), character.size());
    ASSERT_EQ(utf8_character_bytes(character + "\xBF"), character.size());
    ASSERT_TRUE(is_utf8(character));
  }
}

TEST(Utf8, NoOtherSequenceOfUpToThreeBytesIsOne) {
  for (std::uint32_t bytes = 0; bytes < 1 << 24; ++bytes) {
    const std::string text{static_cast<char>(bytes), static_cast<char>(bytes >> 8),
                           static_cast<char>(bytes >> 16)};
    const std::size_t length = utf8_character_bytes(text);
    // Sequences shorter than three bytes do not depend on the third byte.
    if (length == 0 || (bytes >> 16 != 0 && length < 3)) continue;
    ASSERT_TRUE(characters().contains(text.substr(0, length))) << std::hex << bytes;
  }
}

TEST(Utf8, FourBytesAreOneWhereACodePointIsWrittenSo) {
  for (std::uint32_t lead = 0xEF; lead <= 0xFF; ++lead) {
    for (std::uint32_t second = 0; second < 256; ++second) {
      for (const std::uint32_t third : {0x00, 0x7F, 0x80, 0xBF, 0xC0, 0xFF}) {
        for (const std::uint32_t last : {0x00, 0x7F, 0x80, 0xBF, 0xC0, 0xFF}) {
          const std::string text{static_cast<char>(lead), static_cast<char>(second), static_cast<char>(third),
                                 static_cast<char>(last)};
          ASSERT_EQ(utf8_character_bytes(text) == 4, characters().contains(text))
              << std::hex << lead << second;
        }
      }
    }
  }
}

TEST(Utf8, TextsAreWholeCharacters) {
  EXPECT_TRUE(is_utf8(""));
  EXPECT_TRUE(is_utf8("gr\xC3\xBC\xC3\x9F"));
  EXPECT_FALSE(is_utf8("gr\xC3"));
  EXPECT_FALSE(is_utf8("\xBC"));
  EXPECT_FALSE(is_utf8("\xED\xA0\x80"));
  EXPECT_EQ(utf8_character_bytes("\xF0\x9F\x99"), 0u);
}

TEST(Utf8, WhatIsNoneIsReplacedByteByByte) {
  EXPECT_EQ(to_utf8(""), "");
  EXPECT_EQ(to_utf8("gr\xC3\xBC\xC3\x9F"), "gr\xC3\xBC\xC3\x9F");
  EXPECT_EQ(to_utf8("d\xFF.tsv"), "d\xEF\xBF\xBD.tsv");
  EXPECT_EQ(to_utf8("\xED\xA0"), "\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST(Utf8, APrintableBeginningIsOfWholeCharactersThatShow) {
  EXPECT_EQ(printable("", 9), "");
  EXPECT_EQ(printable("gr\xC3\xBC\xC3\x9F", 9), "gr\xC3\xBC\xC3\x9F");
  EXPECT_EQ(printable("gr\xC3\xBC\xC3\x9F", 5), "gr\xC3\xBC");
  EXPECT_EQ(printable("gr\xC3\xBC\xC3\x9F", 0), "");
  EXPECT_EQ(printable("a\tb\x1B[2J\x7F", 99), "a?b?[2J?");
  // An escape sequence may also begin with a single two-byte character.
  EXPECT_EQ(printable("\xC2\x9B[J\xC2\xA0", 99), "?[J\xC2\xA0");
  EXPECT_EQ(printable("d\xFF\xC3", 99), "d??");
}

}  // namespace
}  // namespace widehash
