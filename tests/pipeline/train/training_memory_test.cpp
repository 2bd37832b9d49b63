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
  void require(std::uint64_t usable_bytes, int world_size = 1) const {
    require_training_memory(options_, architecture_, world_size, usable_bytes);
  }

  TrainOptions options_;
  Architecture architecture_;
};

TEST_F(TrainingMemory, OfTheMachineIsEnoughToTheByte) {
  require(bytes());
  EXPECT_THAT(
      complaint<ConfigError>([&] { require(bytes() - 1); }),
      AllOf(HasSubstr(std::to_string(bytes()) + " bytes, but this machine"),
            HasSubstr("has " + std::to_string(bytes() - 1)), HasSubstr("--parallel model over 2 hosts")));
}

TEST_F(TrainingMemory, OfTheMachineIsSharedByTheDevicesOfTheProcess) {
  options_.devices.resize(3);
  options_.parallel.mode = ParallelMode::tower;
  require(3 * bytes(3), 3);
  EXPECT_THAT(complaint<ConfigError>([&] { require(3 * bytes(3) - 1, 3); }), HasSubstr("on 3 devices"));
  options_.devices.resize(1);
  require(bytes(3), 3);  // other processes may be on other machines
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
