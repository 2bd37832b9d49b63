#include "train/training_memory.hpp"

#include "pipeline/pipeline_kit.hpp"

#include <widehash/parallel_settings.hpp>

#include <string>

namespace widehash::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class TrainingMemory : public testing::Test {
 protected:
  TrainingMemory() {
    architecture_.num_columns = 1000;
    architecture_.hidden = {100};
  }
  std::uint64_t bytes(int world_size = 1) const {
    return parameter_bytes(options_.parallel, architecture_, options_.optimizer.kind, world_size,
                           sizeof(float), options_.devices.front().kind);
  }
  /// Of the columns, on the host: as kept by the job, and as written.
  std::uint64_t means() const { return 8 * architecture_.num_columns; }
  /// `usable_bytes`: the memory of the machine, of which a model may take 19 of 20 parts.
  void require(std::uint64_t usable_bytes, int world_size = 1) const {
    require_training_memory(options_, architecture_, world_size, usable_bytes);
  }
  /// The memory that a machine needs for a model of so many bytes, but for rounding.
  static std::uint64_t enough_for(std::uint64_t bytes) { return bytes / 19 * 20; }

  TrainOptions options_;
  Architecture architecture_;
};

TEST_F(TrainingMemory, OfTheMachineIsEnoughToAFewBytes) {
  require(enough_for(bytes() + means()) + 40);
  EXPECT_THAT(complaint<ConfigError>([&] { require(enough_for(bytes() + means()) - 40); }),
              AllOf(HasSubstr(std::to_string(bytes() + means()) + " bytes, but this machine"),
                    HasSubstr("has " + std::to_string(enough_for(bytes() + means()) - 40)),
                    HasSubstr("--parallel model over 2 hosts")));
}

TEST_F(TrainingMemory, OfTheMachineIsSharedByTheDevicesOfTheProcess) {
  options_.devices.resize(3);
  options_.parallel.mode = ParallelMode::tower;
  require(enough_for(3 * bytes(3) + means()) + 40, 3);
  EXPECT_THAT(complaint<ConfigError>([&] { require(enough_for(3 * bytes(3) + means()) - 40, 3); }),
              HasSubstr("on 3 devices"));
  options_.devices.resize(1);
  require(enough_for(bytes(3) + means()) + 40, 3);  // those of other processes may be on other machines
}

TEST_F(TrainingMemory, OfTheMachineIsNotAskedWhereALimitIsGiven) {
  options_.memory_bytes = bytes();
  require(1);
  options_.memory_bytes = bytes() - 1;
  EXPECT_THAT(complaint<ConfigError>([&] { require(1000 * bytes()); }), HasSubstr("on each device"));
}

TEST_F(TrainingMemory, OfTheMachineIsNotThatOfAGpu) {
  options_.devices.front().kind = DeviceKind::cuda;
  require(1);
}

TEST_F(TrainingMemory, AdviceIsLeftOutWhereItDoesNotHelp) {
  EXPECT_THAT(complaint<ConfigError>([&] { require(10); }), Not(HasSubstr("--parallel")));
}

}  // namespace
}  // namespace widehash::test
