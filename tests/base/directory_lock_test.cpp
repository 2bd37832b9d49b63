#include "base/damage.hpp"
#include "base/temp_folder.hpp"

#include <widehash/error.hpp>
#include <widehash/file.hpp>

#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace widehash {
namespace {

using test::message_of;
using test::TempFolder;

// Exit status of a second process that tries to take the lock: 0 taken, 1 refused.
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
    ::_exit(0);  // without destructors, as when killed
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_NO_THROW(DirectoryLock{folder.path()});
}

TEST(DirectoryLock, OfAMissingFolderIsAFileError) {
  const TempFolder folder;
  EXPECT_THROW(DirectoryLock{folder.file("missing")}, FileError);
}

}  // namespace
}  // namespace widehash
