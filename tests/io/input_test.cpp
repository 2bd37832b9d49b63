#include <widehash/error.hpp>
#include <widehash/input.hpp>
#include <widehash/internal/file.hpp>

#include <filesystem>

#include <base/temp_folder.hpp>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace widehash::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

std::vector<std::string> paths_of(const std::vector<Input>& inputs) {
  std::vector<std::string> paths;
  for (const Input& input : inputs) paths.push_back(input.path);
  return paths;
}

std::string refusal(const std::vector<std::string>& patterns) {
  try {
    expand_inputs(patterns);
  } catch (const ConfigError& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

// The sample covers small files entirely, and pieces of large files, including both ends.
TEST(Input, ASampleShowsAChangeOfTheSameSize) {
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

TEST(Input, AFileGivenTwiceIsRefusedWithBothSpellings) {
  const TempFolder folder;
  make_directories(folder.file("many"));
  for (const char* name : {"many/d1.csv", "many/d2.csv"}) write_text_file(folder.file(name), "x");
  const std::string plain = folder.file("many/d1.csv");
  for (const std::string& other :
       {plain, folder.file("many/./d1.csv"), folder.file("many/../many//d1.csv")}) {
    EXPECT_THAT(refusal({plain, other}),
                AllOf(HasSubstr("'" + plain + "' is given"), HasSubstr("as '" + other)));
  }
  const std::string pattern = folder.file("many/*.csv");
  EXPECT_THAT(refusal({folder.file("many/./d1.csv"), pattern}),
              AllOf(HasSubstr("many/./d1.csv"), HasSubstr("'" + plain + "' (of '" + pattern + "')")));
  EXPECT_THAT(refusal({pattern, pattern}), HasSubstr("d1.csv"));
}

TEST(Input, LinksToAFileAreOtherFiles) {
  const TempFolder folder;
  write_text_file(folder.file("a"), "x");
  std::filesystem::create_symlink(folder.file("a"), folder.file("b"));
  std::filesystem::create_hard_link(folder.file("a"), folder.file("c"));
  const std::vector<Input> inputs = expand_inputs({folder.file("?")});
  ASSERT_EQ(inputs.size(), 3u);
  EXPECT_EQ(inputs[0].linked_to, "");
  EXPECT_EQ(inputs[1].linked_to, folder.file("a"));
  EXPECT_EQ(inputs[2].linked_to, folder.file("a"));
  // After a link to a folder, `..` is not the folder that the text suggests.
  make_directories(folder.file("there/days"));
  write_text_file(folder.file("there/a"), "y");
  std::filesystem::create_directory_symlink(folder.file("there/days"), folder.file("days"));
  EXPECT_EQ(expand_inputs({folder.file("a"), folder.file("days/../a")}).size(), 2u);
}

TEST(Input, FoldersOfAnyDepthAreRefusedAndNotTakenForOne) {
  const TempFolder folder;
  make_directories(folder.file("days/deep/deeper"));
  write_text_file(folder.file("days/deep/a.tsv"), "x");
  write_text_file(folder.file("days/deep/deeper/b.tsv"), "x");
  EXPECT_THAT(refusal({folder.file("days/**/*.tsv")}), AllOf(HasSubstr("**"), HasSubstr("find")));
  // Names that contain asterisks.
  write_text_file(folder.file("a**"), "x");
  EXPECT_EQ(expand_inputs({folder.file("a**")}).size(), 1u);
  EXPECT_EQ(expand_inputs({folder.file("a\\**")}).size(), 1u);
}

TEST(Input, AClosedStandardInputIsRefused) {
  const int kept = ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
  ::close(STDIN_FILENO);
  EXPECT_THAT(refusal({"-"}), HasSubstr("'-' (standard input) is closed"));
  // The state in which nohup leaves standard input.
  ASSERT_EQ(::open("/dev/null", O_WRONLY), STDIN_FILENO);
  EXPECT_THAT(refusal({"-"}), HasSubstr("'-' (standard input) is closed"));
  if (kept >= 0) {
    ::dup2(kept, STDIN_FILENO);
    ::close(kept);
  } else {
    ASSERT_EQ(::dup2(::open("/dev/null", O_RDONLY), STDIN_FILENO), STDIN_FILENO);
  }
  EXPECT_EQ(expand_inputs({"-"}).size(), 1u);
}

TEST(Input, NoneAreRefused) {
  EXPECT_THAT([] { expand_inputs({}); }, ThrowsMessage<ConfigError>(HasSubstr("no inputs are given")));
}

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
