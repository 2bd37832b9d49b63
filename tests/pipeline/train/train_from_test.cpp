#include "pipeline/train_from_kit.hpp"

#include <widehash/model.hpp>

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

namespace widehash::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST_F(TrainFrom, ADayAndThenTheNextIsBothAtOnce) {
  for (const OptimizerKind kind : optimizer_kinds) {
    for (const char* hidden : {"none", "6,3"}) {
      TrainOptions options = plain(both_, "both.model", kind);
      options.hidden = hidden;
      options.optimizer.l1 = 1e-4;
      train(options);
      TrainOptions first = options;
      first.datasets = {day1_};
      first.model = file("day1.model");
      train(first);
      const TrainReport report = train(onwards(options, day2_, first.model, "day2.model"));
      EXPECT_TRUE(report.kept_state);
      EXPECT_EQ(report.rows, 256u);
      EXPECT_TRUE(contents(file("day2.model")) == contents(options.model)) << to_string(kind) << hidden;
      EXPECT_FALSE(contents(file("day1.model")) == contents(options.model));
    }
  }
}

TEST_F(TrainFrom, ACheckpointInTheMiddleOfAnEpochIsAModelLikeAnother) {
  const std::string text = in_turn(shop_text(2000, 1), 576);
  const std::string rest = make_dataset(folder_, "rest", shop_schema, rows_of(text, 128, 576));
  const TrainOptions options = plain(both_, "both.model", OptimizerKind::adam);
  train(options);
  TrainOptions stopped = plain(both_, "stopped.model", OptimizerKind::adam);
  stopped.checkpoint_every = 1;
  train_until(3, stopped);  // the third has no checkpoint yet
  const TrainReport report = train(onwards(options, rest, file("stopped.model.checkpoint"), "rest.model"));
  EXPECT_EQ(report.epochs.at(0).rows, 448u);
  EXPECT_TRUE(contents(file("rest.model")) == contents(options.model));
  EXPECT_TRUE(file_exists(file("stopped.model.checkpoint")));
}

TEST_F(TrainFrom, TheNetworkIsTheModelsWhateverTheOptionsSay) {
  TrainOptions first = quick_training(day1_, file("day1.model"));
  first.hidden = "4,3";
  first.activation = ActivationKind::tanh;
  first.loss = LossKind::mse;
  first.seed = 5;
  train(first);
  TrainOptions options = second_day("day2.model");
  options.hidden = "9";
  options.loss = LossKind::logistic;
  train(options);
  const ModelHeader header = ModelFile<float>(options.model).header();
  EXPECT_EQ(header.architecture, ModelFile<float>(first.model).header().architecture);
  EXPECT_EQ(header.position.seed, 7u);
}

TEST_F(TrainFrom, PositionAndBestLossAreOfThisTraining) {
  TrainOptions first = quick_training(day1_, file("day1.model"));
  first.valid = {day1_};  // its loss could not be reached with the other labels
  first.epochs = 5;
  train(first);
  TrainOptions options = second_day("day2.model");
  options.valid = {make_dataset(folder_, "opposite", shop_schema, opposite_text(200, 5))};
  options.epochs = 1;
  const TrainReport report = train(options);
  EXPECT_EQ(report.best_epoch, 1u);
  const TrainingPosition position = ModelFile<float>(options.model).header().position;
  EXPECT_EQ(position.epoch, 1u);
  EXPECT_EQ(position.rows_seen, 256u);
  EXPECT_EQ(position.best_valid_loss, *report.epochs.at(0).valid->log_loss);
}

// The learning rate of a step depends on its number. A model that counts from 0 takes the same steps.
TEST_F(TrainFrom, TheLearningRateFallsAnewWhateverWasDoneBefore) {
  for (const OptimizerKind kind : {OptimizerKind::sgd, OptimizerKind::adagrad, OptimizerKind::rmsprop}) {
    TrainOptions first = quick_training(day1_, file("day1.model"));
    first.optimizer = default_settings(kind);
    train(first);
    Model<float> renumbered = load_model<float>(first.model);
    renumbered.optimizer.set_step(0);
    save_model(file("renumbered.model"), renumbered);
    TrainOptions options = onwards(first, day2_, first.model, "day2.model");
    const TrainReport report = train(options);
    EXPECT_EQ(report.optimizer.decay_start, 10.0);
    EXPECT_EQ(report.optimizer.decay_steps, 8.0);
    options.from = file("renumbered.model");
    options.model = file("renumbered2.model");
    EXPECT_EQ(train(options).optimizer.decay_start, 0.0);
    const Contents one = contents(file("day2.model"));
    const Contents other = contents(options.model);
    EXPECT_EQ(one.sets == other.sets, true) << to_string(kind);
    EXPECT_EQ(one.steps, std::vector<std::uint64_t>{18});
    EXPECT_EQ(other.steps, std::vector<std::uint64_t>{8});
  }
}

TEST_F(TrainFrom, AnotherOptimizerBeginsWithFreshStates) {
  for (const char* hidden : {"none", "5"}) {
    for (const OptimizerKind before : optimizer_kinds) {
      TrainOptions first = quick_training(day1_, file("day1.model"));
      first.hidden = hidden;
      first.optimizer = default_settings(before);
      train(first);
      for (const OptimizerKind now : optimizer_kinds) {
        if (now == before) continue;
        TrainOptions options = onwards(first, day2_, first.model, "day2.model");
        options.optimizer = default_settings(now);
        options.optimizer.l1 = 1e-5;
        const TrainReport report = train(options);
        EXPECT_FALSE(report.kept_state);
        EXPECT_EQ(report.optimizer.decay_start, 0.0);
        renew(first.model, file("renewed.model"), options.optimizer);
        TrainOptions renewed = onwards(options, day2_, file("renewed.model"), "renewed2.model");
        EXPECT_TRUE(train(renewed).kept_state);
        EXPECT_TRUE(contents(options.model) == contents(renewed.model))
            << to_string(before) << " " << to_string(now) << " " << hidden;
      }
    }
  }
}

// FTRL computes its weights from its states and settings: under other settings, the same states give other weights.
TEST_F(TrainFrom, FtrlUnderOtherSettingsKeepsTheWeights) {
  for (const ParallelMode mode : {ParallelMode::data, ParallelMode::model, ParallelMode::tower}) {
    const TrainOptions first = plain(day1_, "day1.model", OptimizerKind::ftrl);
    train(first);
    TrainOptions options = onwards(first, day1_, first.model, "still.model");
    options.optimizer.learning_rate = 1e-9;  // moves nothing by itself
    options.optimizer.l1 = 1e-3;
    options.devices.resize(3);
    options.parallel.mode = mode;
    train(options);
    const auto before = contents(first.model).sets.at(0);
    const auto after = contents(options.model).sets.at(0);
    double largest = 0;
    for (std::size_t i = 0; i < before.size(); ++i) {
      EXPECT_NEAR(after[i], before[i], 1e-5);
      largest = std::max(largest, std::abs(double{before[i]}));
    }
    EXPECT_GT(largest, 0.1);
  }
}

TEST_F(TrainFrom, AStopAtAnyBatchGivesTheSameModel) {
  TrainOptions options = second_day("whole.model");
  options.valid = {day1_};
  train(options);
  const std::string expected = read_text_file(options.model);
  options.model = file("stopped.model");
  options.checkpoint_every = 1;
  for (std::uint64_t stop = 1; stop <= 8; ++stop) {
    std::filesystem::remove(options.model);
    std::filesystem::remove(options.model + ".checkpoint");
    options.resume = false;
    train_until(stop, options);
    options.resume = true;
    const TrainReport report = train(options);
    EXPECT_TRUE(report.kept_state);
    EXPECT_EQ(read_text_file(options.model) == expected, true) << stop;
  }
  EXPECT_TRUE(train(options).epochs.empty()) << "it is finished";
}

TEST_F(TrainFrom, EveryWayGivesTheModelOfOneDevice) {
  for (const OptimizerKind kind : {OptimizerKind::ftrl, OptimizerKind::adagrad, OptimizerKind::adam}) {
    TrainOptions first = quick_training(day1_, file("day1.model"));
    first.hidden = "5";
    first.optimizer = default_settings(kind);
    train(first);
    TrainOptions options = onwards(first, day2_, first.model, "one.model");
    train(options);
    const Contents one = contents(options.model);
    for (const auto& [mode, devices] :
         {std::pair{ParallelMode::data, 3}, {ParallelMode::model, 3}, {ParallelMode::tower, 4}}) {
      TrainOptions several = options;
      several.model = file("several.model");
      several.devices.resize(static_cast<std::size_t>(devices));
      several.parallel.mode = mode;
      if (mode == ParallelMode::tower) several.batch_size /= 4;
      train(several);
      const Contents found = contents(several.model);
      EXPECT_EQ(found.steps, one.steps);
      ASSERT_EQ(found.sets.size(), one.sets.size());
      for (std::size_t set = 0; set < one.sets.size(); ++set) {
        for (std::size_t i = 0; i < one.sets[set].size(); ++i)
          ASSERT_NEAR(found.sets[set][i], one.sets[set][i], 1e-5 * std::max(1.0f, std::abs(one.sets[set][i])))
              << to_string(kind) << " " << to_string(mode) << " " << set;
      }
    }
  }
}

TEST_F(TrainFrom, TowersGoOnAsTowersInTheSameNumber) {
  TrainOptions first = plain(day1_, "day1.model", OptimizerKind::adam);
  first.hidden = "4";
  first.devices.resize(2);
  first.batch_size = 32;
  first.parallel = {ParallelMode::tower, Mix::predictions};
  train(first);
  TrainOptions both = first;
  both.datasets = {both_};
  both.model = file("both.model");
  train(both);
  TrainOptions options = onwards(first, day2_, first.model, "day2.model");
  train(options);
  EXPECT_TRUE(contents(options.model) == contents(both.model));

  // A training that cannot begin keeps the checkpoint of an earlier one.
  const std::string earlier = std::string("widehashmodel\0\0\0", 16) + "of an earlier training";
  write_text_file(file("other.model.checkpoint"), earlier);
  options.model = file("other.model");
  for (const std::size_t devices : {1, 3}) {
    options.devices.resize(devices);
    EXPECT_THAT(complaint<ConfigError>([&] { train(options); }),
                AllOf(HasSubstr("2 independent towers"), HasSubstr("--mix predictions")));
  }
  options.devices.resize(2);
  options.parallel = {ParallelMode::data};
  EXPECT_THAT(complaint<ConfigError>([&] { train(options); }), HasSubstr("2 independent towers"));
  TrainOptions one = quick_training(day1_, file("one.model"));
  train(one);
  options.from = one.model;
  options.parallel = {ParallelMode::tower, Mix::predictions};
  EXPECT_THAT(complaint<ConfigError>([&] { train(options); }), HasSubstr("is one network"));
  EXPECT_EQ(read_text_file(file("other.model.checkpoint")), earlier);
}

TEST_F(TrainFrom, DaysFollowOneAnother) {
  TrainOptions first = plain(day1_, "day1.model", OptimizerKind::adam);
  train(first);
  train(onwards(first, day2_, file("day1.model"), "day2.model"));
  train(onwards(first, day1_, file("day2.model"), "day3.model"));
  EXPECT_EQ(contents(file("day3.model")).steps, std::vector<std::uint64_t>{5 + 4 + 5});
}

}  // namespace
}  // namespace widehash::test
