#include <widehash/internal/json_count.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace widehash::detail {
namespace {

nlohmann::json parsed(const char* text) { return nlohmann::json::parse(text); }

TEST(JsonCount, WholeNumbersAreTaken) {
  EXPECT_EQ(json_count(parsed(R"({"rows": 0})"), "rows"), 0u);
  EXPECT_EQ(json_count(parsed(R"({"rows": 18446744073709551615})"), "rows"), ~std::uint64_t{0});
  EXPECT_EQ(json_counts<std::uint32_t>(parsed(R"({"heads": [0, 4294967295]})"), "heads"),
            (std::vector<std::uint32_t>{0, ~0u}));
}

TEST(JsonCount, NothingElseIsTurnedIntoOne) {
  for (const char* text :
       {"-1", "-1.2", "1.0", "1e60", "18446744073709551616", "\"1\"", "true", "null", "[1]"}) {
    const nlohmann::json json = {{"rows", parsed(text)}};
    EXPECT_THROW(json_count(json, "rows"), std::invalid_argument) << text;
  }
  EXPECT_THROW(json_count<std::uint32_t>(parsed(R"({"rows": 4294967296})"), "rows"), std::invalid_argument);
  EXPECT_THROW(json_counts(parsed(R"({"heads": [1, -1]})"), "heads"), std::invalid_argument);
  EXPECT_ANY_THROW(json_count(parsed("{}"), "rows"));
  EXPECT_ANY_THROW(json_counts(parsed(R"({"heads": 1})"), "heads"));
}

}  // namespace
}  // namespace widehash::detail
