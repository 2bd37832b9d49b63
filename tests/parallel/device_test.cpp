#include <widehash/device.hpp>
#include <widehash/devices.hpp>
#include <widehash/error.hpp>
#include <widehash/parallel_settings.hpp>

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace widehash {
namespace {

using testing::HasSubstr;

std::string refusal(const std::string& list) {
  try {
    parse_devices(list);
  } catch (const ConfigError& error) {
    return error.what();
  }
  ADD_FAILURE() << list << " was taken";
  return "";
}

TEST(ParseDevices, ADeviceNamedSeveralTimesIsSeveralDevices) {
  EXPECT_EQ(parse_devices("cpu"), std::vector<Device>(1));
  EXPECT_EQ(parse_devices("cpu,cpu,cpu"), std::vector<Device>(3));
  EXPECT_EQ(to_string(Device{}), "cpu");
  EXPECT_EQ(to_string(Device{DeviceKind::cuda, 3}), "cuda:3");
}

TEST(ParseDevices, OtherWordsAreRefusedWithTheOnesThatExist) {
  for (const char* list :
       {"", "gpu", "cpu,", ",cpu", "cpu;cpu", "CPU", "cpu:0", "cuda:", "cuda:x", "cuda:-1", "cuda:1x"})
    EXPECT_THAT(refusal(list), HasSubstr("cuda:0"));
}

TEST(ParseDevices, KindsDoNotMix) { EXPECT_THAT(refusal("cpu,cuda:0"), HasSubstr("one kind")); }

TEST(ParseDevices, TooManyDevicesAreRefused) {
  std::string list = "cpu";
  for (int i = 0; i < 64; ++i) list += ",cpu";
  EXPECT_THAT(refusal(list), HasSubstr("64"));
}

TEST(ParseDevices, WithoutCudaItSaysSo) {
  if (!find_devices().cuda.empty()) GTEST_SKIP() << "this machine has CUDA devices";
  for (const char* list : {"cuda", "cuda:0", "cuda:0,cuda:0"}) {
    try {
      parse_devices(list);
      ADD_FAILURE() << list << " was taken";
    } catch (const DeviceError& error) {
      EXPECT_THAT(error.what(), HasSubstr("no CUDA device"));
    }
  }
}

TEST(ParallelSettings, NamesAreReadAsTheyAreWritten) {
  for (const ParallelMode mode : {ParallelMode::data, ParallelMode::tower, ParallelMode::model})
    EXPECT_EQ(parse_parallel_mode(to_string(mode)), mode);
  for (const Mix mix : {Mix::gradients, Mix::parameters, Mix::predictions})
    EXPECT_EQ(parse_mix(to_string(mix)), mix);
  EXPECT_THROW(parse_parallel_mode("both"), ConfigError);
  EXPECT_THROW(parse_mix("weights"), ConfigError);
}

TEST(ParallelSettings, TowersTakeABatchEach) {
  EXPECT_EQ(rows_per_step({ParallelMode::data}, 100, 4), 100u);
  EXPECT_EQ(rows_per_step({ParallelMode::model}, 100, 4), 100u);
  EXPECT_EQ(rows_per_step({ParallelMode::tower}, 100, 4), 400u);
}

}  // namespace
}  // namespace widehash
