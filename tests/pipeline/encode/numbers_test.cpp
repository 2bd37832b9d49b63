#include <widehash/encoder.hpp>
#include <widehash/schema.hpp>

#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace widehash {
namespace {

using testing::HasSubstr;
using testing::Not;

struct Read {
  std::vector<float> numbers;
  std::vector<EncodeIssue> issues;
};

Read read(const std::string& missing_values, const std::vector<std::string_view>& values) {
  const std::string feature = "[[feature]]\nfield = \"n\"\nencoding = \"numeric\"\n";
  const Encoder encoder(
      parse_schema(fmt::format("missing_values = {}\n{}", missing_values, feature), "schema.toml"));
  CodeBatch batch(encoder.layout());
  Read found;
  encoder.encode({values, 1}, encoder.bind(encoder.field_names(), "rows", true), batch, found.issues);
  found.numbers.assign(batch.numbers.begin(), batch.numbers.end());
  return found;
}

TEST(Numbers, ThatMeanMissingDoSoHoweverTheyAreWritten) {
  const Read found = read(
      R"(["-999", "NA", "1e39"])",
      {"-999", "-999.0", "-9.99e2", "NA", "1000000000000000000000000000000000000000", "-998", "999", "0"});
  EXPECT_THAT(found.numbers, testing::ElementsAre(0, 0, 0, 0, 0, -998, 999, 0));
  EXPECT_TRUE(found.issues.empty());
  EXPECT_THAT(read(R"(["7.0"])", {"7", "+7", "7.00", "8"}).numbers, testing::ElementsAre(0, 0, 0, 8));
}

TEST(Numbers, OfAnotherWritingAreBadRowsThatSayHow) {
  const Read found = read("[]", {"17,22", "1,234,567", "a,b", "4.5"});
  ASSERT_EQ(found.issues.size(), 3u);
  EXPECT_THAT(found.issues[0].reason, HasSubstr("with a decimal point"));
  EXPECT_THAT(found.issues[2].reason, Not(HasSubstr("with a decimal point")));
  EXPECT_THAT(found.numbers, testing::ElementsAre(4.5F));
}

}  // namespace
}  // namespace widehash
