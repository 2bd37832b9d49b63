// Every test starts with fresh devices, and fails if device code misbehaved or left memory behind.

#include <gtest/gtest.h>
#include <simulator.hpp>

namespace {

class CleanDevices : public ::testing::EmptyTestEventListener {
  void OnTestStart(const ::testing::TestInfo&) override {
    simulator::configure(simulator::settings_from_environment());
  }

  void OnTestEnd(const ::testing::TestInfo&) override {
    for (const std::string& violation : simulator::violations()) ADD_FAILURE() << violation;
    for (int device = 0; device < simulator::settings().num_devices; ++device) {
      if (const std::size_t bytes = simulator::bytes_in_use(device); bytes != 0) {
        ADD_FAILURE() << bytes << " bytes of device " << device << " were not given back";
      }
    }
  }
};

}  // namespace

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  auto& listeners = ::testing::UnitTest::GetInstance()->listeners();
  // Placed before the printer, so that its findings count for the test.
  auto* const printer = listeners.Release(listeners.default_result_printer());
  listeners.Append(new CleanDevices);
  listeners.Append(printer);
  return RUN_ALL_TESTS();
}
