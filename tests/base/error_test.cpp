#include <widehash/error.hpp>

#include <cerrno>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace widehash {
namespace {

using testing::HasSubstr;

TEST(Error, DataErrorNamesPathAndRow) {
  const DataError error("day_0.tsv", 17, "3 fields");
  EXPECT_STREQ(error.what(), "day_0.tsv:17: 3 fields");
  EXPECT_EQ(error.path(), "day_0.tsv");
  EXPECT_EQ(error.row(), 17u);
}

TEST(Error, RowZeroStandsForTheWholeFile) { EXPECT_STREQ(DataError("a", 0, "cut").what(), "a: cut"); }

TEST(Error, FileErrorSaysWhatTheSystemSaidAndWhatToDo) {
  const FileError error("out/part", "cannot write", ENOSPC);
  EXPECT_EQ(error.code(), ENOSPC);
  EXPECT_THAT(error.what(), HasSubstr("out/part: cannot write: No space left on device"));
  EXPECT_THAT(error.what(), HasSubstr("free some space"));
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
