#include "line_count.hpp"

#include <random>
#include <string>

#include <gtest/gtest.h>
#include <hwy/targets.h>

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

class LineCountTargets : public testing::TestWithParam<std::int64_t> {
 protected:
  void SetUp() override { hwy::SetSupportedTargetsForTest(GetParam()); }
  void TearDown() override { hwy::SetSupportedTargetsForTest(0); }
};

INSTANTIATE_TEST_SUITE_P(LineCount, LineCountTargets, testing::ValuesIn(hwy::SupportedAndGeneratedTargets()),
                         [](const auto& target) { return hwy::TargetName(target.param); });

TEST_P(LineCountTargets, CountsAsByteByByte) {
  std::mt19937_64 random(1);
  for (int repeat = 0; repeat < 4000; ++repeat) {
    const std::string_view bytes = repeat % 2 == 0 ? "\n\r" : "\n\rab\t";
    std::string text(random() % 300, ' ');
    for (char& byte : text) byte = bytes[random() % bytes.size()];
    const LineCount expected = counted_byte_by_byte(text);
    const LineCount seen = count_line_ends(text);
    ASSERT_EQ(seen.lines, expected.lines) << testing::PrintToString(text);
    ASSERT_EQ(seen.blank, expected.blank) << testing::PrintToString(text);
  }
}

TEST_P(LineCountTargets, BlankLinesOnTheEdgeOfAStep) {
  for (const std::string_view blank : {"\n\n", "\n\r\n", "\r\n\r\n", "\n\n\n"}) {
    for (std::size_t at = 0; at < 200; ++at) {
      std::string text(200, 'x');
      text.insert(at, blank);
      const LineCount expected = counted_byte_by_byte(text);
      const LineCount seen = count_line_ends(text);
      ASSERT_EQ(seen.lines, expected.lines) << at;
      ASSERT_EQ(seen.blank, expected.blank) << at;
    }
  }
}

}  // namespace
}  // namespace widehash::detail
