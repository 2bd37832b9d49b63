#include "line_count.hpp"

#include "vector_targets.hpp"

#include <random>
#include <string>

#include <gtest/gtest.h>

namespace widehash::detail {
namespace {

LineCount counted_byte_by_byte(std::string_view text) {
  LineCount count;
  for (std::size_t i = 2; i < text.size(); ++i) {
    if (text[i] != '\n') continue;
    ++count.lines;
    count.blank += text[i - 1] == '\n' || (text[i - 1] == '\r' && text[i - 2] == '\n');
  }
  return count;
}

void expect_counted(const std::string& text) {
  const LineCount expected = counted_byte_by_byte(text);
  for_each_vector_target([&] {
    const LineCount seen = count_line_ends(text);
    ASSERT_EQ(seen.lines, expected.lines) << testing::PrintToString(text);
    ASSERT_EQ(seen.blank, expected.blank) << testing::PrintToString(text);
  });
}

TEST(LineCount, CountsAsByteByByte) {
  std::mt19937_64 random(1);
  for (int repeat = 0; repeat < 4000; ++repeat) {
    const std::string_view bytes = repeat % 2 == 0 ? "\n\r" : "\n\rab\t";
    std::string text(random() % 300, ' ');
    for (char& byte : text) byte = bytes[random() % bytes.size()];
    expect_counted(text);
  }
}

TEST(LineCount, BlankLinesOnTheEdgeOfAStep) {
  for (const std::string_view blank : {"\n\n", "\n\r\n", "\r\n\r\n", "\n\n\n"}) {
    for (std::size_t at = 0; at < 200; ++at) {
      std::string text(200, 'x');
      text.insert(at, blank);
      expect_counted(text);
    }
  }
}

}  // namespace
}  // namespace widehash::detail
