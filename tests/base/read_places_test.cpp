#include "base/damage.hpp"
#include "base/temp_folder.hpp"

#include <widehash/error.hpp>
#include <widehash/internal/file.hpp>
#include <widehash/internal/read_places.hpp>

#include <filesystem>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace widehash {
namespace {

namespace fs = std::filesystem;
using test::overwrite;
using testing::AllOf;
using testing::HasSubstr;

/// The message of the refusal; "" if there is none.
std::string refusal(const std::function<void()>& check) {
  try {
    check();
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

class ReadPlacesTest : public testing::Test {
 protected:
  ReadPlacesTest() {
    make_directories(day_ + "/inside");
    overwrite(input_, "rows");
    overwrite(day_ + "/manifest.json", "{}");
  }
  std::string refused(const std::string& output) const {
    return refusal([&] { require_apart(output, {{input_}, {day_, ""}, {}}); });
  }
  std::string folder_refused(const std::string& output) const {
    const auto is_written = [](std::string_view name) { return name == "rows.tsv"; };
    return refusal([&] { require_folder_apart(output, is_written, {{input_}, {day_}, {}}); });
  }

  test::TempFolder folder_;
  std::string input_ = folder_.file("rows.tsv");
  std::string day_ = folder_.file("day");
};

TEST_F(ReadPlacesTest, WhatADatasetWasMadeFromIsNotWrittenOver) {
  const ReadPlaces read{.sources = {input_, folder_.file("gone.tsv")}};
  fs::create_symlink(input_, folder_.file("link"));
  for (const std::string& output : {input_, folder_.file("link")}) {
    EXPECT_THAT(refusal([&] { require_apart(output, read); }),
                AllOf(HasSubstr(output), HasSubstr("an input the dataset was made from")));
  }
  EXPECT_EQ(refusal([&] { require_apart(folder_.file("gone.tsv"), read); }), "");
  EXPECT_EQ(refusal([&] { require_apart(day_ + "/new", read); }), "");
}

TEST_F(ReadPlacesTest, AnInputIsNoOutputUnderAnyName) {
  EXPECT_THAT(refused(input_), AllOf(HasSubstr(input_), HasSubstr("another place")));
  EXPECT_NE(refused(day_ + "/../rows.tsv"), "");
  fs::create_symlink(input_, folder_.file("link"));
  fs::create_hard_link(input_, folder_.file("twin"));
  EXPECT_THAT(refused(folder_.file("link")), AllOf(HasSubstr("link"), HasSubstr(input_)));
  EXPECT_THAT(refused(folder_.file("twin")), AllOf(HasSubstr("twin"), HasSubstr(input_)));
}

TEST_F(ReadPlacesTest, WhatStandsBesideAnOutputIsNoInput) {
  for (const char* ending : {".tmp", ".lock"}) {
    fs::create_hard_link(input_, folder_.file("out") + ending);
    EXPECT_THAT(refused(folder_.file("out")), HasSubstr(ending));
    fs::remove(folder_.file("out") + ending);
  }
  EXPECT_EQ(refused(folder_.file("out")), "");
}

TEST_F(ReadPlacesTest, NothingIsWrittenIntoAFolderThatIsRead) {
  for (const std::string name : {"/manifest.json", "/new", "/inside/new"}) {
    EXPECT_THAT(refused(day_ + name), AllOf(HasSubstr(day_ + name), HasSubstr("outside")));
  }
  fs::create_directory_symlink(day_, folder_.file("other"));
  EXPECT_NE(refused(folder_.file("other/new")), "");
  fs::create_symlink(day_ + "/manifest.json", folder_.file("link"));
  EXPECT_NE(refused(folder_.file("link")), "");
  fs::create_symlink(day_ + "/new", folder_.file("dangling"));
  EXPECT_NE(refused(folder_.file("dangling")), "");
  EXPECT_EQ(refused(folder_.file("day.model")), "");
  EXPECT_EQ(refused(day_ + "/../day.model"), "");
}

TEST_F(ReadPlacesTest, WhatIsNoRegularFileMayBeReadAndWritten) {
  EXPECT_EQ(refused("-"), "");
  EXPECT_EQ(refusal([] { require_apart("/dev/null", {{"/dev/null"}, {}}); }), "");
}

TEST_F(ReadPlacesTest, AFolderIsRefusedWhereARunWouldWriteAnInputInIt) {
  EXPECT_THAT(folder_refused(folder_.path()), AllOf(HasSubstr(folder_.path()), HasSubstr("rows.tsv")));
  fs::rename(input_, folder_.file("kept.tsv"));
  EXPECT_EQ(folder_refused(folder_.path()), "");
  EXPECT_EQ(folder_refused(folder_.file("none/yet")), "");
  EXPECT_NE(folder_refused(day_), "");
  EXPECT_NE(folder_refused(day_ + "/none/yet"), "");
}

}  // namespace
}  // namespace widehash
