#include "base/damage.hpp"
#include "base/temp_folder.hpp"

#include <widehash/error.hpp>
#include <widehash/internal/file.hpp>
#include <widehash/internal/scratch_folder.hpp>
#include <widehash/internal/write_all.hpp>

#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace widehash {
namespace {

using test::code_of;
using test::overwrite;
using test::TempFolder;

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// A program that shares its standard output may have made the pipe nonblocking.
TEST(WriteAll, WaitsForAPipeThatDoesNotBlock) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_NONBLOCK | O_CLOEXEC), 0);
  const std::string text(1 << 20, 'x');  // more than a pipe holds
  std::thread writer([&] {
    EXPECT_EQ(write_all(ends[1], std::as_bytes(std::span(text))), 0);
    ::close(ends[1]);
  });
  std::string read;
  std::array<char, 4096> buffer{};
  for (ssize_t count = 1; count != 0;) {
    count = ::read(ends[0], buffer.data(), buffer.size());
    if (count > 0) read.append(buffer.data(), static_cast<std::size_t>(count));
    if (count < 0) std::this_thread::yield();
  }
  writer.join();
  ::close(ends[0]);
  EXPECT_TRUE(read == text);
}

TEST(MappedFile, ShowsTheBytes) {
  const TempFolder folder;
  overwrite(folder.file("a"), std::string("b\0c", 3));
  MappedFile file(folder.file("a"));
  EXPECT_EQ(text_of(file.bytes()), std::string("b\0c", 3));
  file.prefetch();
  file.release_pages();
  EXPECT_EQ(text_of(file.bytes()), std::string("b\0c", 3));
  const std::byte* where = file.bytes().data();
  MappedFile moved(std::move(file));
  EXPECT_EQ(moved.bytes().data(), where);
  EXPECT_TRUE(file.bytes().empty());  // NOLINT(bugprone-use-after-move): empty by contract
}

TEST(MappedFile, EmptyFileIsAnEmptySpan) {
  const TempFolder folder;
  overwrite(folder.file("a"), "");
  const MappedFile file(folder.file("a"));
  EXPECT_TRUE(file.bytes().empty());
  file.prefetch();
  file.release_pages();
}

TEST(MappedFile, MissingFileAndFolderAreFileErrors) {
  const TempFolder folder;
  EXPECT_EQ(code_of([&] { MappedFile file(folder.file("a")); }), ENOENT);
  EXPECT_EQ(code_of([&] { MappedFile file(folder.path()); }), EISDIR);
  EXPECT_EQ(code_of([] { MappedFile file("/dev/null"); }), EINVAL);
}

TEST(File, APathGoesOnBehindNoZero) {
  EXPECT_THROW(fixed_path(std::string("out\0side", 8)), ConfigError);
  EXPECT_EQ(fixed_path("/a/b"), "/a/b");
}

TEST(File, TextComesBackByteForByte) {
  const TempFolder folder;
  const std::string text("line\r\n\0\xff", 8);
  write_text_file(folder.file("a"), text);
  EXPECT_EQ(read_text_file(folder.file("a")), text);
  EXPECT_EQ(file_size_bytes(folder.file("a")), 8u);
}

TEST(File, OurOwnTextsAreRegularFilesOfASizeThatTheyHave) {
  const TempFolder folder;
  const std::string pipe = folder.file("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THROW(read_text_file(pipe), FileError);  // nobody writes to it
  EXPECT_THROW(read_text_file("/dev/zero"), FileError);
  const std::string large = folder.file("large");
  write_text_file(large, "x");
  std::filesystem::resize_file(large, (std::uint64_t{64} << 20) + 1);
  EXPECT_THROW(read_user_text(large), DataError);
  EXPECT_THROW(read_user_text("/dev/zero"), DataError);
  EXPECT_EQ(read_text_file(large).size(), (std::uint64_t{64} << 20) + 1);
}

TEST(File, TextOfAPipeIsReadToItsEnd) {
  const TempFolder folder;
  const std::string path = folder.file("pipe");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const std::string text(100'000, 'x');
  std::thread writer([&] {
    std::ofstream pipe(path);
    pipe << text.substr(0, 5) << std::flush << text.substr(5);
  });
  EXPECT_EQ(read_user_text(path), text);
  writer.join();
}

TEST(File, FoldersAreListed) {
  const TempFolder folder;
  write_text_file(folder.file("a"), "");
  make_directories(folder.file("b"));
  EXPECT_THAT(list_directory(folder.path()), testing::UnorderedElementsAre("a", "b"));
  EXPECT_EQ(code_of([&] { list_directory(folder.file("c")); }), ENOENT);
  EXPECT_EQ(code_of([&] { list_directory(folder.file("a")); }), ENOTDIR);
}

TEST(File, ManyAreFlushedAndOneThatIsMissingIsNamed) {
  const TempFolder folder;
  for (const char* name : {"a", "b", "c"}) write_text_file(folder.file(name), name);
  flush_files(folder.path(), {});
  flush_files(folder.path(), {"a"});
  flush_files(folder.path(), {"a", "b", "c"});
  EXPECT_EQ(read_text_file(folder.file("b")), "b");
  for (const std::vector<std::string>& names : {std::vector<std::string>{"x"}, {"a", "x", "c"}}) {
    try {
      flush_files(folder.path(), names);
      ADD_FAILURE() << "nothing was thrown";
    } catch (const FileError& error) {
      EXPECT_EQ(error.path(), folder.file("x"));
    }
  }
  EXPECT_THROW(flush_files(folder.file("nowhere"), {}), FileError);
}

TEST(ScratchFolder, IsAllThatIsBelowItForItsLife) {
  const TempFolder folder;
  const std::string inside = folder.file("deep/er/file");
  EXPECT_FALSE(is_scratch(inside));
  {
    const ScratchFolder scratch(folder.path());
    const ScratchFolder again(folder.path() + "/");
    EXPECT_TRUE(is_scratch(inside));
    EXPECT_TRUE(is_scratch(folder.path()));
    EXPECT_TRUE(
        is_scratch(folder.path() + "/../" + std::filesystem::path(folder.path()).filename().string()));
    EXPECT_FALSE(is_scratch(folder.path() + "er"));
    EXPECT_FALSE(is_scratch(std::filesystem::path(folder.path()).parent_path().string()));
    write_text_file(folder.file("a"), "whole");
    EXPECT_EQ(read_text_file(folder.file("a")), "whole");
    flush_files(folder.path(), {"not there"});  // not checked in a scratch folder
  }
  EXPECT_FALSE(is_scratch(inside));
  EXPECT_THROW(flush_files(folder.path(), {"not there"}), FileError);
}

TEST(File, SizeIsOfRegularFilesOnly) {
  const TempFolder folder;
  EXPECT_EQ(code_of([&] { file_size_bytes(folder.path()); }), EISDIR);
  EXPECT_EQ(code_of([&] { file_size_bytes(folder.file("a")); }), ENOENT);
  EXPECT_EQ(code_of([&] { file_size_bytes("/dev/null"); }), EINVAL);
}

TEST(File, FoldersAreMadeWithTheirParents) {
  const TempFolder folder;
  make_directories(folder.file("a/b/c"));
  make_directories(folder.file("a/b/c"));
  EXPECT_TRUE(std::filesystem::is_directory(folder.file("a/b/c")));
  overwrite(folder.file("plain"), "");
  EXPECT_NE(code_of([&] { make_directories(folder.file("plain")); }), 0);
  EXPECT_NE(code_of([&] { make_directories(folder.file("plain/below")); }), 0);
}

TEST(File, ExistsIsTrueOfFilesOnly) {
  const TempFolder folder;
  EXPECT_FALSE(file_exists(folder.file("a")));
  overwrite(folder.file("a"), "");
  EXPECT_TRUE(file_exists(folder.file("a")));
  EXPECT_FALSE(file_exists(folder.file("a/b")));
  EXPECT_FALSE(is_folder(folder.file("a")));
  EXPECT_TRUE(is_folder(folder.path()));
  EXPECT_FALSE(is_folder(folder.file("c")));
}

TEST(File, WhatCannotBeLookedAtIsNotTakenForNothing) {
  const TempFolder folder;
  const std::string closed = folder.file("closed");
  make_directories(closed);
  overwrite(closed + "/a", "");
  ASSERT_EQ(::chmod(closed.c_str(), 0), 0);
  const bool root = ::geteuid() == 0;
  constexpr uid_t nobody = 65534;
  ASSERT_EQ(::chmod(folder.path().c_str(), 0755), 0);
  if (root && ::seteuid(nobody) != 0) GTEST_SKIP() << "cannot stop being root to try a folder that is closed";
  const int exists = code_of([&] { file_exists(closed + "/a"); });
  const int folders = code_of([&] { is_folder(closed + "/a"); });
  if (root) {
    ASSERT_EQ(::seteuid(0), 0);
  }
  ::chmod(closed.c_str(), 0755);
  EXPECT_EQ(exists, EACCES);
  EXPECT_EQ(folders, EACCES);
  EXPECT_EQ(code_of([&] { file_exists(folder.file(std::string(5000, 'x'))); }), ENAMETOOLONG);
}

}  // namespace
}  // namespace widehash
