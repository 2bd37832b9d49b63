#include "base/temp_folder.hpp"

#include <widehash/internal/file.hpp>

#include <filesystem>
#include <optional>
#include <string>

#include <cpu_quota.hpp>
#include <gtest/gtest.h>

namespace widehash::test {
namespace {

/// Control groups laid out as the system presents them.
class CpuQuota : public testing::Test {
 protected:
  void write(const std::string& path, const std::string& text) {
    const std::filesystem::path file = folder_.file("groups/" + path);
    make_directories(file.parent_path().string());
    write_text_file(file.string(), text);
  }
  std::optional<double> of(const std::string& membership) {
    make_directories(folder_.file("groups"));
    write_text_file(folder_.file("membership"), membership);
    return detail::cpu_quota({folder_.file("groups"), folder_.file("membership")});
  }

  TempFolder folder_;
};

TEST_F(CpuQuota, IsThatOfTheGroup) {
  write("jobs/a/cpu.max", "250000 100000\n");
  EXPECT_EQ(of("0::/jobs/a\n"), 2.5);
  EXPECT_EQ(of("0::/jobs/b\n"), std::nullopt);
}

TEST_F(CpuQuota, IsTheLeastOfAllGroupsAbove) {
  write("jobs/a/cpu.max", "max 100000\n");
  write("jobs/cpu.max", "300000 100000\n");
  EXPECT_EQ(of("0::/jobs/a\n"), 3);
  write("jobs/a/cpu.max", "50000 100000\n");
  EXPECT_EQ(of("0::/jobs/a\n"), 0.5);
  write("cpu.max", "20000 100000\n");
  EXPECT_EQ(of("0::/jobs/a\n"), 0.2);
}

TEST_F(CpuQuota, OfAContainerStandsWhereItsGroupsAreMounted) {
  write("cpu.max", "400000 100000\n");
  EXPECT_EQ(of("0::/\n"), 4);
  EXPECT_EQ(of("0::/../of/the/host\n"), 4);
}

TEST_F(CpuQuota, OfOldGroupsIsReadToo) {
  write("cpu/jobs/cpu.cfs_quota_us", "150000\n");
  write("cpu/jobs/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(of("9:name=systemd:/x\n4:cpu,cpuacct:/jobs\n2:cpuset:/y\n0::/\n"), 1.5);
  EXPECT_EQ(of("4:cpuacct,cpu:/jobs\n"), 1.5);
  EXPECT_EQ(of("4:cpuset:/jobs\n"), std::nullopt);
  write("cpu/jobs/cpu.cfs_quota_us", "-1\n");
  EXPECT_EQ(of("4:cpu:/jobs\n"), std::nullopt);
}

TEST_F(CpuQuota, WhatCannotBeReadIsNoLimit) {
  EXPECT_EQ(detail::cpu_quota({folder_.file("nothing"), folder_.file("nobody")}), std::nullopt);
  for (const char* text : {"", "max", "x y", "0 0", "-5 100000", "100000", "100000 -1"}) {
    write("cpu.max", text);
    EXPECT_EQ(of("0::/\n"), std::nullopt) << text;
  }
  EXPECT_EQ(of("nonsense\n::\n:\n\n"), std::nullopt);
}

}  // namespace
}  // namespace widehash::test
