#include "strategy_kit.hpp"

#include <widehash/error.hpp>
#include <widehash/internal/file.hpp>

#include <fmt/format.h>

namespace widehash::test {
namespace {

/// Ways to take the same rows through a step, with the same result except for rounding.
struct Way {
  ParallelSettings settings;
  std::size_t devices;
};
const std::vector<Way> ways{{{ParallelMode::data}, 1},
                            {{ParallelMode::data}, 3},
                            {{ParallelMode::model}, 2},
                            {{ParallelMode::tower, Mix::gradients}, 4}};

class SavedParts : public testing::Test {
 protected:
  static Course course(std::uint64_t epochs) {
    return make_course(OptimizerKind::adam, {4}, 24, 5, 4, epochs);
  }
  std::string file(const std::string& bytes) const {
    write_text_file(folder_.file("from"), bytes);
    return folder_.file("from");
  }
  TempFolder folder_;
};

TEST_F(SavedParts, AnyWayGoesOnFromAnyOther) {
  const auto expected = train_course<double>(course(6), ways[0].settings, 1);
  for (const Way& before : ways) {
    const auto half = train_course<double>(course(3), before.settings, before.devices);
    for (const Way& after : ways) {
      const auto whole =
          train_course<double>(course(6), after.settings, after.devices, 3, file(half.file_bytes));
      expect_equal(whole, expected,
                   fmt::format("{} on {} after {} on {}", to_string(after.settings.mode), after.devices,
                               to_string(before.settings.mode), before.devices));
    }
  }
}

TEST_F(SavedParts, GoingOnTheSameWayIsBitForBitAsIfNeverStopped) {
  for (const Way& way : ways) {
    const auto expected = train_course<float>(course(6), way.settings, way.devices);
    const auto half = train_course<float>(course(3), way.settings, way.devices);
    const auto whole = train_course<float>(course(6), way.settings, way.devices, 3, file(half.file_bytes));
    EXPECT_EQ(whole.file_bytes == expected.file_bytes, true) << to_string(way.settings.mode);
  }
}

TEST_F(SavedParts, IndependentTowersGoOnAsManyAndNotAsOthers) {
  const Way way{{ParallelMode::tower, Mix::predictions}, 3};
  Course half_course = course(3);
  const auto half = train_course<float>(half_course, way.settings, 3);
  const auto expected = train_course<float>(course(6), way.settings, 3);
  const auto whole = train_course<float>(course(6), way.settings, 3, 3, file(half.file_bytes));
  EXPECT_EQ(whole.file_bytes == expected.file_bytes, true);
  EXPECT_THROW(train_course<float>(course(6), way.settings, 2, 3, file(half.file_bytes)), ConfigError);
  EXPECT_THROW(train_course<float>(course(6), {ParallelMode::data}, 3, 3, file(half.file_bytes)),
               ConfigError);
  const auto one = train_course<float>(half_course, {ParallelMode::data}, 3);
  EXPECT_THROW(train_course<float>(course(6), way.settings, 3, 3, file(one.file_bytes)), ConfigError);
}

TEST_F(SavedParts, AModelThatAllHoldIsTheFileOfTheWholeModel) {
  const auto outcome = train_course<float>(course(2), ways[2].settings, 2);
  save_model(folder_.file("whole"), outcome.model);
  EXPECT_EQ(read_text_file(folder_.file("whole")) == outcome.file_bytes, true);
}

TEST_F(SavedParts, AFolderThatIsGoneEndsAllRanks) {
  DeviceTeam team(std::vector<Device>(3));
  const Course any = course(1);
  EXPECT_THROW(team.run([&](Communicator& communicator) {
    const auto strategy =
        make_strategy<float>({ParallelMode::data}, communicator, {any.architecture, any.optimizer, nullptr});
    ModelHeader header{any.architecture, any.optimizer, {}, {}, {}, "{}"};
    save_model(folder_.file("nowhere/model"), communicator, *strategy, header);
  }),
               FileError);
}

}  // namespace
}  // namespace widehash::test
