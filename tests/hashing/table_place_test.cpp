#include "base/temp_folder.hpp"

#include <widehash/error.hpp>
#include <widehash/internal/file.hpp>
#include <widehash/internal/table_place.hpp>
#include <widehash/table_set.hpp>

#include <filesystem>
#include <map>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace widehash {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class TablePlaceTest : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) { write_text_file(folder_.file(name), text); }
  void write_old() {
    for (const char* name : {"tables.json", "000-a.table", "001-b.table", "rejected.tsv"}) write(name, "old");
    write("notes.txt", "somebody's");
  }
  void write_new() {
    for (const char* name : {"tables.json", "000-a.table", "001-c.table"})
      write(std::string("fit.tmp/") + name, "new");
  }
  std::map<std::string, std::string> files() const {
    std::map<std::string, std::string> found;
    for (const auto& entry : fs::recursive_directory_iterator(folder_.path())) {
      if (!entry.is_regular_file()) continue;
      found[fs::relative(entry.path(), folder_.path()).string()] = read_text_file(entry.path().string());
    }
    return found;
  }

  const std::vector<std::string> outdated_ = {"000-a.table", "001-b.table", "rejected.tsv"};
  const std::map<std::string, std::string> placed_ = {
      {"tables.json", "new"}, {"000-a.table", "new"}, {"001-c.table", "new"}, {"notes.txt", "somebody's"}};
  test::TempFolder folder_;
};

TEST_F(TablePlaceTest, TheOldSetStaysUntilTheNewOneIsWhole) {
  write_old();
  const auto before = files();
  {
    const TablePlace place(folder_.path());
    write_new();
  }
  EXPECT_EQ(files(), before);
  EXPECT_FALSE(file_exists(TablePlace::folder_in(folder_.path())));
}

TEST_F(TablePlaceTest, TheNewSetReplacesTheOldOneAndLeavesNothingOfIt) {
  write_old();
  TablePlace place(folder_.path());
  write_new();
  place.commit(outdated_);
  EXPECT_EQ(files(), placed_);
  EXPECT_FALSE(TablePlace::is_unfinished(folder_.path()));
}

TEST_F(TablePlaceTest, WhatAKilledRunHasLeftIsNotTaken) {
  make_directories(folder_.file("fit.tmp"));
  write("fit.tmp/005-left.table", "half");
  write_old();
  TablePlace place(folder_.path());
  write_new();
  place.commit(outdated_);
  EXPECT_EQ(files(), placed_);
}

// Covers every state between the deciding rename and the end.
TEST_F(TablePlaceTest, APlacingThatWasKilledAnywhereIsReportedAndFinished) {
  const std::vector<std::string> moves = {"000-a.table", "001-c.table", "tables.json"};
  for (std::size_t done = 0; done <= moves.size(); ++done) {
    for (const bool is_removed : {false, true}) {
      fs::remove_all(folder_.path());
      make_directories(folder_.path());
      write_old();
      make_directories(folder_.file("fit.ready"));
      for (const std::string& name : moves) write("fit.ready/" + name, "new");
      for (const char* name : {"001-b.table", "rejected.tsv"}) {
        if (is_removed || done == moves.size()) {
          fs::remove(folder_.file(name));
        } else {
          write("fit.ready/" + std::string(name) + ".gone", "");
        }
      }
      for (std::size_t i = 0; i < done; ++i)
        fs::rename(folder_.file("fit.ready/" + moves[i]), folder_.file(moves[i]));
      EXPECT_TRUE(TablePlace::is_unfinished(folder_.path()));
      try {
        load_table_set(folder_.path());
        ADD_FAILURE() << "read as a set after " << done << " moves";
      } catch (const DataError& error) {
        EXPECT_THAT(error.what(), HasSubstr("run the same fit again"));
      }
      TablePlace::finish(folder_.path());
      EXPECT_EQ(files(), placed_) << done;
      EXPECT_FALSE(file_exists(folder_.file("fit.ready")));
    }
  }
}

TEST_F(TablePlaceTest, NothingToFinishIsNoError) {
  write_old();
  const auto before = files();
  TablePlace::finish(folder_.path());
  EXPECT_EQ(files(), before);
}

TEST_F(TablePlaceTest, AFirstSetThatWasNotFinishedIsReported) {
  make_directories(folder_.file("fit.tmp"));
  try {
    load_table_set(folder_.path());
    ADD_FAILURE() << "read as a set";
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), HasSubstr("did not finish"));
  }
}

}  // namespace
}  // namespace widehash
