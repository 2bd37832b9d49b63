#include <widehash/launcher.hpp>

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace widehash {
namespace {

/// What `launch()` returns if the environment has these variables, and no others of a launcher.
Launch launch_with(const std::vector<std::pair<std::string, std::string>>& variables) {
  const char* const known[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK", "SLURM_STEP_NUM_TASKS"};
  for (const char* name : known) ::unsetenv(name);
  for (const auto& [name, value] : variables) ::setenv(name.c_str(), value.c_str(), 1);
  const Launch found = launch();
  for (const char* name : known) ::unsetenv(name);
  return found;
}

TEST(Launch, WithoutALauncherThereIsOneProcess) {
  const Launch alone = launch_with({});
  EXPECT_EQ(alone.processes, 1u);
  EXPECT_EQ(alone.variable, nullptr);
  // Slurm runs a job script once, however many steps the script will start.
  EXPECT_EQ(launch_with({{"SLURM_STEP_NUM_TASKS", "4"}}).processes, 1u);
}

TEST(Launch, LaunchersGiveTheNumberOfRanks) {
  const Launch open_mpi = launch_with({{"OMPI_COMM_WORLD_SIZE", "3"}, {"PMIX_RANK", "0"}});
  EXPECT_EQ(open_mpi.processes, 3u);
  EXPECT_STREQ(open_mpi.variable, "OMPI_COMM_WORLD_SIZE");
  EXPECT_EQ(launch_with({{"PMI_SIZE", "2"}}).processes, 2u);
  EXPECT_EQ(launch_with({{"PMI_SIZE", "1"}}).processes, 1u);
}

TEST(Launch, ARankAloneGivesALowerBoundOfTheSize) {
  EXPECT_EQ(launch_with({{"PMIX_RANK", "0"}, {"SLURM_STEP_NUM_TASKS", "4"}}).processes, 4u);
  EXPECT_EQ(launch_with({{"PMIX_RANK", "2"}}).processes, 3u);
  EXPECT_EQ(launch_with({{"PMIX_RANK", "0"}}).processes, 1u);
}

}  // namespace
}  // namespace widehash
