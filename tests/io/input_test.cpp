#include <widehash/error.hpp>
#include <widehash/file.hpp>
#include <widehash/input.hpp>

#include <base/temp_folder.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

namespace widehash::test {
namespace {

using testing::HasSubstr;

std::vector<std::string> paths_of(const std::vector<Input>& inputs) {
  std::vector<std::string> paths;
  for (const Input& input : inputs) paths.push_back(input.path);
  return paths;
}

// Small files wholly; of large ones pieces, the ends among them.
TEST(Input, ASampleTellsAChangeOfTheSameSize) {
  const TempFolder folder;
  const std::string path = folder.file("a.tsv");
  const auto sample = [&](const std::string& text) {
    write_text_file(path, text);
    return sample_checksum(expand_inputs({path}).front());
  };
  for (const std::size_t size :
       {std::size_t{1}, std::size_t{1} << 16, (std::size_t{1} << 20) + 1, std::size_t{5} << 20}) {
    std::string text(size, 'x');
    const std::uint64_t before = sample(text);
    EXPECT_NE(before, 0u);
    EXPECT_EQ(sample(text), before);
    for (const std::size_t at : {std::size_t{0}, size - 1}) {
      text[at] = 'y';
      EXPECT_NE(sample(text), before) << size << ", byte " << at;
      text[at] = 'x';
    }
    if (size > 1 << 20) continue;
    text[size / 2] = 'y';
    EXPECT_NE(sample(text), before) << size;
  }
  EXPECT_EQ(sample(""), 0u);
  EXPECT_EQ(sample_checksum(Input{.path = "-", .size_bytes = 0, .is_stream = true}), 0u);
}

TEST(Input, GlobsAreSortedByBytes) {
  const TempFolder folder;
  for (const char* name : {"b.tsv", "a.tsv", "B.tsv", "c.csv"}) write_text_file(folder.file(name), "x");
  EXPECT_EQ(paths_of(expand_inputs({folder.file("*.tsv")})),
            (std::vector{folder.file("B.tsv"), folder.file("a.tsv"), folder.file("b.tsv")}));
}

TEST(Input, PatternsKeepTheirOrder) {
  const TempFolder folder;
  for (const char* name : {"1", "2", "3"}) write_text_file(folder.file(name), "abc");
  const auto inputs = expand_inputs({folder.file("3"), "-", folder.file("[12]")});
  EXPECT_EQ(paths_of(inputs),
            (std::vector<std::string>{folder.file("3"), "-", folder.file("1"), folder.file("2")}));
  EXPECT_EQ(inputs[0].size_bytes, 3);
  EXPECT_FALSE(inputs[0].is_stream);
  EXPECT_EQ(inputs[1].size_bytes, 0);
  EXPECT_TRUE(inputs[1].is_stream);
}

TEST(Input, AFileMayBeNamedLikeAPattern) {
  const TempFolder folder;
  write_text_file(folder.file("day[1].tsv"), "x");
  EXPECT_EQ(paths_of(expand_inputs({folder.file("day[1].tsv")})), std::vector{folder.file("day[1].tsv")});
}

TEST(Input, APipeIsAStream) {
  const TempFolder folder;
  ASSERT_EQ(::mkfifo(folder.file("pipe").c_str(), 0600), 0);
  const auto inputs = expand_inputs({folder.file("pipe")});
  ASSERT_EQ(inputs.size(), 1u);
  EXPECT_TRUE(inputs[0].is_stream);
  EXPECT_EQ(inputs[0].size_bytes, 0);
}

TEST(Input, NothingGivesNothing) { EXPECT_TRUE(expand_inputs({}).empty()); }

TEST(Input, WhatCannotBeReadIsNamed) {
  const TempFolder folder;
  EXPECT_THROW(expand_inputs({folder.file("missing.tsv")}), FileError);
  EXPECT_THROW(expand_inputs({folder.file("")}), FileError);
  EXPECT_THROW(expand_inputs({"-", "-"}), ConfigError);
  try {
    expand_inputs({folder.file("*.tsv")});
    FAIL() << "a pattern that matches nothing must be an error";
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), HasSubstr("no file matches '" + folder.file("*.tsv") + "'"));
  }
}

}  // namespace
}  // namespace widehash::test
