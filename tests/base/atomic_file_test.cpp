#include "base/damage.hpp"
#include "base/temp_folder.hpp"

#include <widehash/error.hpp>
#include <widehash/internal/file.hpp>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace widehash {
namespace {

using test::code_of;
using test::overwrite;
using test::TempFolder;

TEST(AtomicFile, APipeIsNotReplaced) {
  const TempFolder folder;
  const std::string pipe = folder.file("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::filesystem::create_symlink(pipe, folder.file("link"));
  for (const std::string& path : {pipe, folder.file("link")}) {
    EXPECT_THAT([&] { write_text_file(path, "text"); },
                testing::ThrowsMessage<ConfigError>(
                    path + ": is not a file and would be overwritten; give the path of a file"));
  }
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
  EXPECT_FALSE(file_exists(pipe + ".tmp"));
}

TEST(AtomicFile, WhatIsAsideAndNoFileIsLeftAlone) {
  const TempFolder folder;
  const std::string path = folder.file("new");
  const std::string aside = path + ".tmp";
  write_text_file(folder.file("other"), "kept");
  const auto expect_refused = [&] {
    EXPECT_THAT(test::message_of<ConfigError>([&] { write_text_file(path, "text"); }),
                testing::HasSubstr(aside));
    EXPECT_FALSE(file_exists(path));
    std::filesystem::remove(aside);
  };
  std::filesystem::create_symlink(folder.file("other"), aside);
  expect_refused();
  EXPECT_EQ(read_text_file(folder.file("other")), "kept");
  ASSERT_EQ(::mkfifo(aside.c_str(), 0600), 0);
  expect_refused();
  std::filesystem::create_directory(aside);
  expect_refused();
  // The temporary file that a killed process leaves behind.
  std::ofstream(aside) << "half a fi";
  write_text_file(path, "text");
  EXPECT_EQ(read_text_file(path), "text");
}

TEST(AtomicFile, WhoMayReadItStaysAsItWas) {
  const TempFolder folder;
  const auto mode_of = [](const std::string& path) {
    struct stat info {};
    EXPECT_EQ(::stat(path.c_str(), &info), 0);
    return info.st_mode & 0777;
  };
  write_text_file(folder.file("new"), "text");
  const mode_t mask = ::umask(0);
  ::umask(mask);
  EXPECT_EQ(mode_of(folder.file("new")), 0666 & ~mask);
  std::filesystem::create_symlink(folder.file("new"), folder.file("link"));
  for (const mode_t mode : {0600U, 0640U, 0664U}) {
    ASSERT_EQ(::chmod(folder.file("new").c_str(), mode), 0);
    write_text_file(folder.file("link"), "other text");
    EXPECT_EQ(mode_of(folder.file("new")), mode);
  }
}

// A killed run leaves the temporary file, and the next run has to write it again.
TEST(AtomicFile, OfAFileThatNobodyMayWriteTheTemporaryMayBeWritten) {
  const TempFolder folder;
  const std::string path = folder.file("a");
  const auto mode_of = [](const std::string& file) {
    struct stat info {};
    EXPECT_EQ(::stat(file.c_str(), &info), 0);
    return info.st_mode & 0777;
  };
  write_text_file(path, "text");
  ASSERT_EQ(::chmod(path.c_str(), 0440), 0);
  AtomicFile file(path);
  file.write("other text");
  EXPECT_EQ(mode_of(path + ".tmp"), 0640U);
  file.commit();
  EXPECT_EQ(mode_of(path), 0440U);
  EXPECT_EQ(read_text_file(path), "other text");
}

TEST(AtomicFile, UncommittedLeavesNothingBehind) {
  const TempFolder folder;
  {
    AtomicFile file(folder.file("a"));
    file.write("half");
  }
  EXPECT_EQ(folder.num_entries(), 0u);
}

TEST(AtomicFile, LinksStayAndTheFileBehindThemIsReplaced) {
  namespace fs = std::filesystem;
  const TempFolder folder;
  fs::create_directory(folder.file("models"));
  fs::create_symlink("models/today", folder.file("latest"));       // relative to the folder of the link
  fs::create_symlink(folder.file("latest"), folder.file("best"));  // a link to a link
  for (const std::string text : {"made", "made again"}) {
    AtomicFile file(folder.file("best"));
    file.write(text);
    EXPECT_TRUE(fs::exists(folder.file("models/today.tmp")));
    file.commit();
    EXPECT_EQ(read_text_file(folder.file("models/today")), text);
    EXPECT_TRUE(fs::is_symlink(folder.file("best")) && fs::is_symlink(folder.file("latest")));
  }
  EXPECT_EQ(folder.num_entries(), 3u);
  fs::create_symlink("circle", folder.file("circle"));
  EXPECT_EQ(code_of([&] { AtomicFile file(folder.file("circle")); }), ELOOP);
}

TEST(AtomicFile, NothingIsSeenBeforeTheCommit) {
  const TempFolder folder;
  overwrite(folder.file("a"), "old");
  {
    AtomicFile file(folder.file("a"));
    file.write("new");
    EXPECT_EQ(read_text_file(folder.file("a")), "old");
    file.write(" text");
    EXPECT_EQ(file.bytes_written(), 8u);
    file.commit();
    EXPECT_EQ(read_text_file(folder.file("a")), "new text");
  }
  EXPECT_EQ(read_text_file(folder.file("a")), "new text");
  EXPECT_EQ(folder.num_entries(), 1u);
}

TEST(AtomicFile, UncommittedKeepsWhatWasThere) {
  const TempFolder folder;
  overwrite(folder.file("a"), "old");
  { AtomicFile(folder.file("a")).write("new"); }
  EXPECT_EQ(read_text_file(folder.file("a")), "old");
  EXPECT_EQ(folder.num_entries(), 1u);
}

TEST(AtomicFile, MayBeMoved) {
  const TempFolder folder;
  AtomicFile first(folder.file("a"));
  first.write("one ");
  AtomicFile second(std::move(first));
  second.write("two");
  second.commit();
  EXPECT_EQ(read_text_file(folder.file("a")), "one two");
}

TEST(AtomicFile, FullDiskIsAFileErrorAndLeavesNothing) {
  if (!file_exists("/dev/full")) GTEST_SKIP() << "no /dev/full here to stand for a full disk";
  const TempFolder folder;
  // The temporary file is a link to /dev/full, where every write reports a full disk.
  std::filesystem::create_symlink("/dev/full", folder.file("a.tmp"));
  EXPECT_EQ(code_of([&] { write_text_file(folder.file("a"), "text"); }), ENOSPC);
  EXPECT_EQ(folder.num_entries(), 0u);
}

TEST(AtomicFile, ReadOnlyFolderIsAFileError) {
  const TempFolder folder;
  ASSERT_EQ(::chmod(folder.path().c_str(), 0555), 0);
  // root may write anywhere, so this test runs as nobody if it was started as root.
  const bool root = ::geteuid() == 0;
  constexpr uid_t nobody = 65534;
  if (root && ::seteuid(nobody) != 0) GTEST_SKIP() << "cannot stop being root to try a read-only folder";
  const int code = code_of([&] { AtomicFile file(folder.file("a")); });
  if (root) {
    ASSERT_EQ(::seteuid(0), 0);
  }
  EXPECT_EQ(code, EACCES);
}

TEST(AtomicFile, MissingFolderIsAFileError) {
  const TempFolder folder;
  EXPECT_EQ(code_of([&] { AtomicFile file(folder.file("no/a")); }), ENOENT);
}

TEST(AtomicFile, FolderUnderItsNameIsRefusedAtOnceAndNothingIsLeft) {
  const TempFolder folder;
  make_directories(folder.file("a"));
  std::filesystem::create_directory_symlink(folder.file("a"), folder.file("link"));
  for (const std::string& path : {folder.file("a"), folder.file("a") + "/", folder.file("link")}) {
    try {
      const AtomicFile file(path);
      FAIL() << path;
    } catch (const ConfigError& error) {
      EXPECT_EQ(error.what(), path + ": is a folder; give the path of a file");
    }
  }
  EXPECT_EQ(folder.num_entries(), 2u);
  EXPECT_TRUE(list_directory(folder.file("a")).empty());
}

}  // namespace
}  // namespace widehash
