#include <widehash/error.hpp>

#include <cerrno>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace widehash {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

TEST(Error, DataErrorNamesPathAndRow) {
  const DataError error("day_0.tsv", 17, "3 fields");
  EXPECT_STREQ(error.what(), "day_0.tsv:17: 3 fields");
  EXPECT_EQ(error.path(), "day_0.tsv");
  EXPECT_EQ(error.row(), 17u);
}

TEST(Error, RowZeroStandsForTheWholeFile) { EXPECT_STREQ(DataError("a", 0, "cut").what(), "a: cut"); }

TEST(Error, FileErrorGivesTheSystemsMessageAndTheRemedy) {
  const FileError error("out/part", "cannot write", ENOSPC);
  EXPECT_EQ(error.code(), ENOSPC);
  EXPECT_THAT(error.what(), HasSubstr("out/part: cannot write: No space left on device"));
  EXPECT_THAT(error.what(), EndsWith("; free some space and start again"));
}

TEST(Error, WhoeverKnowsSaysWhatIsKeptOnAFullDisk) {
  const FileError full = FileError("out/part", "cannot write", ENOSPC).when_full("finished work is kept");
  EXPECT_THAT(full.what(), EndsWith("; free some space and start again; finished work is kept"));
  EXPECT_EQ(full.code(), ENOSPC);
  EXPECT_EQ(full.path(), "out/part");
  EXPECT_THAT(FileError("a", "cannot read", EIO).when_full("kept").what(), Not(HasSubstr("kept")));
}

TEST(Error, OneRootCatchesAll) {
  EXPECT_THROW(throw ConfigError("x"), Error);
  EXPECT_THROW(throw DataError("x", 1, "y"), Error);
  EXPECT_THROW(throw FileError("x", "y", EIO), Error);
  EXPECT_THROW(throw ShapeError("x"), Error);
  EXPECT_THROW(throw DeviceError("x"), Error);
  EXPECT_THROW(throw CommError("x"), Error);
}

}  // namespace
}  // namespace widehash
