#include <widehash/cross.hpp>
#include <widehash/error.hpp>

#include <random>

#include <gtest/gtest.h>

namespace widehash {
namespace {

using Parts = std::vector<std::string_view>;
using namespace std::string_literals;

TEST(Cross, LengthsComeBeforeBytes) {
  EXPECT_EQ(cross_value(Parts{"ab", "c"}), "\x02\0\0\0ab\x01\0\0\0c"s);
  EXPECT_EQ(cross_value(Parts{"", ""}), "\0\0\0\0\0\0\0\0"s);
  EXPECT_EQ(cross_value(Parts{}), "");
}

TEST(Cross, CutPointsMatter) {
  EXPECT_NE(cross_value(Parts{"ab", "c"}), cross_value(Parts{"a", "bc"}));
  EXPECT_NE(cross_value(Parts{"", "x"}), cross_value(Parts{"x", ""}));
  EXPECT_NE(cross_value(Parts{"x", "x"}), cross_value(Parts{"y", "y"}));
}

TEST(Cross, LongPartsUseAllLengthBytes) {
  const std::string part(0x12345, 'z');
  EXPECT_EQ(cross_value(Parts{part}).substr(0, 4), "\x45\x23\x01\0"s);
}

TEST(Cross, PartsReadBack) {
  std::mt19937 random(4);
  for (int trial = 0; trial < 2000; ++trial) {
    std::vector<std::string> owned(random() % 5);
    for (auto& part : owned) {
      part.resize(random() % 40);
      for (char& c : part) c = static_cast<char>(random() % 4);  // bytes that could be taken for lengths
    }
    const Parts parts(owned.begin(), owned.end());
    ASSERT_EQ(cross_parts(cross_value(parts)), parts);
  }
}

TEST(Cross, TextShowsTheParts) {
  EXPECT_EQ(cross_text(cross_value(Parts{"ab", "", "c"})), "ab ×  × c");
  EXPECT_THROW(cross_text("ab"), ConfigError);
}

TEST(Cross, RefusesWhatIsNotACross) {
  const std::string value = cross_value(Parts{"abc", "de"});
  for (std::size_t size = 1; size < value.size(); ++size) {
    if (size == 7) continue;  // the first part alone is a cross of one part
    EXPECT_THROW(cross_parts(value.substr(0, size)), ConfigError) << size;
  }
  EXPECT_THROW(cross_parts("\xFF\xFF\xFF\xFFx"), ConfigError);
}

}  // namespace
}  // namespace widehash
