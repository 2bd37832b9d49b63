#include "decimal_text.hpp"

#include <widehash/canonical_text.hpp>
#include <widehash/code.hpp>
#include <widehash/xxh64.hpp>

#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace widehash {
namespace {

struct StringText {
  std::string text;

  std::uint64_t length() const { return text.size(); }
  std::uint64_t word(std::uint64_t offset) const { return bytes(offset, 8); }
  std::uint64_t tail(std::uint64_t offset, std::uint64_t count) const { return bytes(offset, count); }
  std::uint64_t bytes(std::uint64_t offset, std::uint64_t count) const {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + offset, count);
    return word;
  }
};

template <class Integer>
std::string text_of(const DecimalText& decimal) {
  std::string text;
  for (std::uint64_t k = 0; k < decimal.length(); ++k) {
    text += static_cast<char>(decimal.word(k / 8 * 8) >> (8 * (k % 8)) & 0xFF);
  }
  return text;
}

template <class Integer, class Wide>
std::vector<Integer> numbers_of_every_length() {
  std::vector<Integer> numbers{0, 1, std::numeric_limits<Integer>::max(),
                               std::numeric_limits<Integer>::min()};
  for (Integer power = 10; power <= std::numeric_limits<Integer>::max() / 10;
       power = static_cast<Integer>(power * 10)) {
    for (const Integer number : {static_cast<Integer>(power - 1), power, static_cast<Integer>(power + 1)}) {
      numbers.push_back(number);
      if constexpr (std::is_signed_v<Integer>) numbers.push_back(static_cast<Integer>(-number));
    }
  }
  return numbers;
}

template <class Integer, class Wide>
void expect_canonical_text() {
  for (const Integer number : numbers_of_every_length<Integer, Wide>()) {
    const std::string expected = canonical_text(static_cast<Wide>(number));
    EXPECT_EQ(text_of<Integer>(DecimalText(number)), expected);
    EXPECT_EQ(xxh64(DecimalText(number), 5), hash_xxh64(expected, 5)) << number;
  }
}

TEST(Xxh64, IsThatOfTheLibraryAtEveryLength) {
  std::mt19937_64 random(1);
  for (std::size_t length = 0; length <= 300; ++length) {
    StringText value;
    for (std::size_t k = 0; k < length; ++k) value.text += static_cast<char>(random());
    for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{7}, random()}) {
      ASSERT_EQ(xxh64(value, seed), hash_xxh64(value.text, seed)) << length << " bytes";
    }
  }
}

TEST(DecimalText, IsTheCanonicalTextOfIntegers) {
  expect_canonical_text<std::int32_t, std::int64_t>();
  expect_canonical_text<std::uint32_t, std::uint64_t>();
  expect_canonical_text<std::int64_t, std::int64_t>();
  expect_canonical_text<std::uint64_t, std::uint64_t>();
}

}  // namespace
}  // namespace widehash
