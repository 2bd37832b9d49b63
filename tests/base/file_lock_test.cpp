#include "base/damage.hpp"
#include "base/temp_folder.hpp"

#include <widehash/error.hpp>
#include <widehash/internal/file.hpp>

#include <chrono>
#include <filesystem>
#include <optional>
#include <thread>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

namespace widehash {
namespace {

using test::message_of;
using test::TempFolder;

// Exit status of a second process that tries to take the lock: 0 if it took the lock, 1 if it was refused.
int try_lock_elsewhere(const std::string& directory) {
  const pid_t child = ::fork();
  if (child == 0) {
    try {
      const DirectoryLock lock(directory);
      ::_exit(0);
    } catch (const ConfigError&) {
      ::_exit(1);
    } catch (...) {
      ::_exit(2);
    }
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(DirectoryLock, KeepsASecondProcessOut) {
  const TempFolder folder;
  std::optional<DirectoryLock> lock(std::in_place, folder.path());
  EXPECT_EQ(try_lock_elsewhere(folder.path()), 1);
  lock.reset();
  EXPECT_EQ(try_lock_elsewhere(folder.path()), 0);
}

TEST(DirectoryLock, NamesItsHolder) {
  const TempFolder folder;
  const DirectoryLock lock(folder.path());
  EXPECT_THAT(message_of<ConfigError>([&] { DirectoryLock second(folder.path()); }),
              testing::HasSubstr("process " + std::to_string(::getpid())));
}

TEST(DirectoryLock, DiesWithItsProcess) {
  const TempFolder folder;
  const pid_t child = ::fork();
  if (child == 0) {
    const DirectoryLock lock(folder.path());
    ::_exit(0);  // without running destructors, as if it had been killed
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_NO_THROW(DirectoryLock{folder.path()});
}

TEST(DirectoryLock, WaitsForTheMembersOfARunWhoseHolderDied) {
  const TempFolder folder;
  std::optional<DirectoryLock> lock(std::in_place, folder.path());
  std::optional<DirectoryMember> one(std::in_place, folder.path(), lock->mark());
  std::optional<DirectoryMember> other(std::in_place, folder.path(), lock->mark());
  lock.reset();
  EXPECT_EQ(try_lock_elsewhere(folder.path()), 1);
  one.reset();
  EXPECT_THAT(message_of<ConfigError>([&] { DirectoryLock second(folder.path()); }),
              testing::HasSubstr("still shutting down"));
  EXPECT_FALSE(file_exists(folder.file(".lock"))) << "one that is refused leaves nothing";
  other.reset();
  EXPECT_EQ(try_lock_elsewhere(folder.path()), 0);
  { const DirectoryLock last(folder.path()); }
  EXPECT_FALSE(file_exists(folder.file(".lock-members")));
}

TEST(DirectoryLock, MembersOfNobodyAreRefused) {
  const TempFolder folder;
  const TempFolder held;
  const DirectoryLock lock(held.path());
  const auto message = [&] {
    return message_of<ConfigError>([&] { DirectoryMember member(folder.path(), lock.mark()); });
  };
  EXPECT_THAT(message(), testing::HasSubstr("same path"));
  // A killed run leaves its lock file behind, and another run may be at work in that folder.
  std::ofstream(folder.file(".lock")) << "4711\n1";
  EXPECT_THAT(message(), testing::HasSubstr("same path"));
  std::filesystem::remove(folder.file(".lock"));
  const DirectoryLock of_another_run(folder.path());
  EXPECT_THAT(message(), testing::HasSubstr("same path"));
  EXPECT_NO_THROW(DirectoryMember(held.path(), lock.mark()));
}

TEST(FileLock, KeepsASecondRunFromTheSameFileAlone) {
  const TempFolder folder;
  {
    const FileLock lock(folder.file("model"));
    EXPECT_THAT(message_of<ConfigError>([&] { FileLock second(folder.file("model")); }),
                testing::AllOf(testing::HasSubstr(folder.file("model") + ":"),
                               testing::HasSubstr("process " + std::to_string(::getpid()))));
    EXPECT_NO_THROW(FileLock{folder.file("other")});
  }
  EXPECT_FALSE(file_exists(folder.file("model.lock")));
  EXPECT_NO_THROW(FileLock{folder.file("model")});
}

// A second run may arrive before the first has written its process number.
TEST(FileLock, WaitsForTheNumberOfItsHolder) {
  const TempFolder folder;
  const std::string path = folder.file("model");
  const int held = ::open((path + ".lock").c_str(), O_RDWR | O_CREAT, 0600);
  ASSERT_EQ(::flock(held, LOCK_EX), 0);
  std::thread holder([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_EQ(::pwrite(held, "4711", 4, 0), 4);
  });
  EXPECT_THAT(message_of<ConfigError>([&] { FileLock second(path); }), testing::HasSubstr("process 4711"));
  holder.join();
  ::close(held);
}

TEST(FileLock, AnotherFileOfItsNameIsLeftAlone) {
  const TempFolder folder;
  const std::string path = folder.file("model");
  write_text_file(path + ".lock", "name = 1\n");
  write_text_file(folder.file("4711"), "4711");
  std::filesystem::create_symlink(folder.file("4711"), folder.file("linked.lock"));
  for (const char* const name : {"model", "linked"}) {
    EXPECT_THAT(message_of<ConfigError>([&] { FileLock lock(folder.file(name)); }),
                testing::HasSubstr(folder.file(name) + ".lock"));
  }
  EXPECT_EQ(read_text_file(path + ".lock"), "name = 1\n");
  EXPECT_EQ(read_text_file(folder.file("4711")), "4711");
  // The lock file that a killed process leaves behind.
  write_text_file(path + ".lock", "4711");
  EXPECT_NO_THROW(FileLock{path});
}

TEST(DirectoryLock, OfAMissingFolderIsAFileError) {
  const TempFolder folder;
  EXPECT_THROW(DirectoryLock{folder.file("missing")}, FileError);
}

}  // namespace
}  // namespace widehash
