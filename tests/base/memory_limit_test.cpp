#include "base/temp_folder.hpp"

#include <widehash/internal/file.hpp>
#include <widehash/internal/usable_memory.hpp>

#include <filesystem>
#include <optional>
#include <string>

#include <gtest/gtest.h>
#include <memory_limit.hpp>
#include <unistd.h>

namespace widehash::test {
namespace {

/// Control groups laid out as the system presents them.
class MemoryLimit : public testing::Test {
 protected:
  void write(const std::string& path, const std::string& text) {
    const std::filesystem::path file = folder_.file("groups/" + path);
    make_directories(file.parent_path().string());
    write_text_file(file.string(), text);
  }
  std::optional<double> of(const std::string& membership) {
    make_directories(folder_.file("groups"));
    write_text_file(folder_.file("membership"), membership);
    return detail::memory_limit({folder_.file("groups"), folder_.file("membership")});
  }

  TempFolder folder_;
};

TEST_F(MemoryLimit, IsTheLeastOfTheGroupAndThoseAbove) {
  write("jobs/a/memory.max", "max\n");
  EXPECT_EQ(of("0::/jobs/a\n"), std::nullopt);
  write("jobs/memory.max", "8589934592\n");
  EXPECT_EQ(of("0::/jobs/a\n"), 8589934592.0);
  write("jobs/a/memory.max", "1000000\n");
  EXPECT_EQ(of("0::/jobs/a\n"), 1e6);
  write("memory.max", "4096\n");
  EXPECT_EQ(of("0::/\n"), 4096) << "in a container";
}

TEST_F(MemoryLimit, OfVersion1IsReadToo) {
  write("memory/jobs/memory.limit_in_bytes", "2147483648\n");
  write("memory/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(of("4:memory:/jobs\n0::/\n"), 2147483648.0);
  EXPECT_EQ(of("4:cpu,cpuacct:/jobs\n"), std::nullopt);
}

TEST_F(MemoryLimit, WhatCannotBeReadIsNoLimit) {
  EXPECT_EQ(detail::memory_limit({folder_.file("nothing"), folder_.file("nobody")}), std::nullopt);
  for (const char* text : {"", "max", "x", "0", "-5"}) {
    write("memory.max", text);
    EXPECT_EQ(of("0::/\n"), std::nullopt) << text;
  }
}

TEST(UsableMemory, IsAtMostThatOfTheMachine) {
  EXPECT_GT(usable_memory_bytes(), 0u);
  EXPECT_LE(usable_memory_bytes(), static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                                       static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)));
}

}  // namespace
}  // namespace widehash::test
