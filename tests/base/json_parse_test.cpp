#include <widehash/internal/json_parse.hpp>

#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace widehash::detail {
namespace {

using Json = nlohmann::ordered_json;

std::string nested(std::size_t depth, const std::string& open, const std::string& close) {
  std::string text;
  for (std::size_t i = 0; i < depth; ++i) text += open;
  text += "1";
  for (std::size_t i = 0; i < depth; ++i) text += close;
  return text;
}

TEST(JsonParse, WhatIsNestedTooDeepIsRefusedBeforeItIsParsed) {
  for (const auto& [open, close] : {std::pair{"[", "]"}, {"{\"a\":", "}"}, {"[[], {}, ", "]"}}) {
    const bool holds_more = std::string(open).size() > 5;  // it contains lists and objects itself
    const std::size_t most = max_json_depth - (holds_more ? 1 : 0);
    EXPECT_EQ(parse_json<Json>(nested(most, open, close)), Json::parse(nested(most, open, close)));
    EXPECT_THROW(parse_json<Json>(nested(most + 1, open, close)), std::invalid_argument);
    EXPECT_THROW(parse_json<Json>(nested(1'000'000, open, close)), std::invalid_argument);
    EXPECT_THROW(parse_json<Json>(nested(1'000'000, open, "")), std::invalid_argument) << "cut";
  }
}

TEST(JsonParse, BracketsOfTextsDoNotCount) {
  const std::string text = R"({"a\\": ")" + std::string(100, '[') + R"(\"[{\\", "b": [[1]]})";
  EXPECT_EQ(parse_json<Json>(text).at("b"), Json::parse("[[1]]"));
  EXPECT_THROW(parse_json<Json>(R"(["\\", )" + nested(1000, "[", "]") + "]"), std::invalid_argument);
}

TEST(JsonParse, WhatIsNoJsonIsTheLibrarysError) {
  for (const char* text : {"", "]", "[1", "\"", "\"\\", "{]}", "[\"\\]"})
    EXPECT_THROW(parse_json<Json>(text), Json::parse_error) << text;
}

}  // namespace
}  // namespace widehash::detail
