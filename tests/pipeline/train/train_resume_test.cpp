#include "pipeline/training_kit.hpp"

#include <widehash/model.hpp>

namespace widehash::test {
namespace {

using testing::HasSubstr;

struct Enough {};

/// 3 epochs of 5 batches, with validation, and a checkpoint after every batch.
class TrainResume : public testing::Test {
 protected:
  TrainResume() {
    options_ = quick_training(make_dataset(folder_, "train", shop_schema, shop_text(300, 1)),
                              folder_.file("m.model"));
    options_.valid = {make_dataset(folder_, "valid", shop_schema, shop_text(100, 2))};
    options_.epochs = 3;
    options_.checkpoint_every = 1;
  }
  /// Trains until batch number `batches` is done, counted over all epochs.
  void train_until(std::uint64_t batches, TrainOptions options) {
    std::uint64_t done = 0;
    EXPECT_THROW(train(options,
                       [&](const Progress&) {
                         if (++done == batches) throw Enough();
                       }),
                 Enough);
  }
  std::string model() const { return read_text_file(options_.model); }
  std::string checkpoint() const { return options_.model + ".checkpoint"; }
  void clear() const {
    std::filesystem::remove(options_.model);
    std::filesystem::remove(checkpoint());
  }

  TempFolder folder_;
  TrainOptions options_;
  static constexpr std::uint64_t all_batches = 15;
};

TEST_F(TrainResume, AStopAtAnyBatchGivesTheSameModel) {
  for (const char* hidden : {"none", "5"}) {
    for (const OptimizerKind kind : {OptimizerKind::adam, OptimizerKind::ftrl}) {
      options_.hidden = hidden;
      options_.optimizer = default_settings(kind);
      options_.resume = false;
      clear();
      const TrainReport whole = train(options_);
      const std::string expected = model();
      for (std::uint64_t stop = 1; stop <= all_batches; ++stop) {
        clear();
        options_.resume = false;
        train_until(stop, options_);
        options_.resume = true;
        const TrainReport report = train(options_);
        ASSERT_EQ(model() == expected, true) << hidden << " " << stop;
        ASSERT_FALSE(report.epochs.empty());
        EXPECT_EQ(report.epochs.back().train_loss, whole.epochs.back().train_loss);
        EXPECT_EQ(report.epochs.front().rows, 300u);
        EXPECT_EQ(report.best_epoch, whole.best_epoch);
      }
    }
  }
}

TEST_F(TrainResume, RowsOfAnEpochAndOfTheRunAreDistinguished) {
  options_.valid.clear();
  options_.epochs = 2;
  train_until(3, options_);  // of 5 batches an epoch, two of which have their checkpoint
  options_.resume = true;
  Progress last;
  const TrainReport report = train(options_, [&](const Progress& progress) { last = progress; });
  EXPECT_EQ(last.rows, 600u);
  EXPECT_EQ(last.rows - last.earlier_rows, report.rows);
  EXPECT_EQ(last.bytes_done - last.earlier_bytes, report.rows);
  ASSERT_EQ(report.epochs.size(), 2u);
  EXPECT_EQ(report.epochs[0].rows, 300u);
  EXPECT_LT(report.epochs[0].rows_this_run, 300u);
  EXPECT_EQ(report.epochs[1].rows_this_run, 300u);
  EXPECT_EQ(report.epochs[0].rows_this_run + report.epochs[1].rows_this_run, report.rows);
}

TEST_F(TrainResume, ManyStopsGiveTheSameModelToo) {
  train(options_);
  const std::string expected = model();
  clear();
  train_until(2, options_);
  options_.resume = true;
  // Each attempt gets two batches further, but only the first of them has its checkpoint.
  for (int attempt = 0; attempt < 12; ++attempt) train_until(2, options_);
  train(options_);
  EXPECT_EQ(model() == expected, true);
}

TEST_F(TrainResume, AStopThatWasAskedForWritesItsCheckpointAndGoesOn) {
  train(options_);
  const std::string expected = model();
  options_.checkpoint_every = 1000;  // requested, but never due
  StopFlag stop = false;
  for (std::uint64_t at = 1; at <= all_batches; ++at) {
    clear();
    options_.resume = false;
    options_.stop = &stop;
    stop = false;
    std::uint64_t done = 0;
    const auto ask = [&](const Progress&) { stop = ++done == at; };
    if (at < all_batches) {
      EXPECT_THAT(complaint<widehash::Stopped>([&] { train(options_, ask); }),
                  testing::AllOf(HasSubstr(options_.model), HasSubstr("--resume continues")));
      EXPECT_EQ(done, at);
      EXPECT_TRUE(file_exists(checkpoint()));
      stop = false;
      options_.resume = true;
    }
    train(options_, ask);
    ASSERT_EQ(model() == expected, true) << at;
  }
}

// Ranks that stopped at different steps would wait for each other forever.
TEST_F(TrainResume, SeveralDevicesStopTogether) {
  options_.devices = {Device{}, Device{}, Device{}};
  options_.batch_size = 12;
  options_.checkpoint_every = 1000;
  for (const ParallelMode mode : {ParallelMode::data, ParallelMode::model, ParallelMode::tower}) {
    options_.parallel.mode = mode;
    options_.resume = false;
    options_.stop = nullptr;
    clear();
    train(options_);
    const std::string expected = model();
    for (const std::uint64_t at : {1, 10}) {
      clear();
      StopFlag stop = false;
      options_.resume = false;
      options_.stop = &stop;
      std::uint64_t done = 0;
      EXPECT_THROW(train(options_, [&](const Progress&) { stop = ++done >= at; }), widehash::Stopped);
      EXPECT_TRUE(file_exists(checkpoint()));
      options_.stop = nullptr;
      options_.resume = true;
      train(options_);
      EXPECT_EQ(model() == expected, true) << to_string(mode) << " " << at;
    }
  }
}

TEST_F(TrainResume, AStopWithoutCheckpointsSaysWhatIsKept) {
  options_.checkpoint_every = 0;
  StopFlag stop = true;
  options_.stop = &stop;
  EXPECT_THAT(complaint<widehash::Stopped>([&] { train(options_); }), HasSubstr("nothing was written"));
  EXPECT_FALSE(file_exists(checkpoint()));
  stop = false;
  std::uint64_t done = 0;
  EXPECT_THAT(
      complaint<widehash::Stopped>([&] { train(options_, [&](const Progress&) { stop = ++done == 7; }); }),
      HasSubstr("holds the end of epoch 1"));
}

TEST_F(TrainResume, ASecondTrainingToTheSameFileIsRefused) {
  std::string refusal;
  train(options_, [&](const Progress&) {
    if (refusal.empty()) refusal = complaint<ConfigError>([&] { train(options_); });
  });
  EXPECT_THAT(refusal, testing::AllOf(HasSubstr(options_.model), HasSubstr("process ")));
}

TEST_F(TrainResume, AStopAtTheEndOfAnEpochKeepsItsBestModel) {
  // As if killed between writing the model of the best epoch and the checkpoint that follows.
  options_.valid = {make_dataset(folder_, "opposite", shop_schema, opposite_text(200, 7))};
  train(options_);
  const std::string expected = model();
  clear();
  train_until(5, options_);  // the last batch of epoch 1: judged when resumed
  ASSERT_FALSE(file_exists(options_.model));
  make_directories(checkpoint() + ".tmp");  // makes every further checkpoint fail
  options_.checkpoint_every = 0;
  options_.resume = true;
  EXPECT_THROW(train(options_), ConfigError);
  std::filesystem::remove(checkpoint() + ".tmp");
  EXPECT_TRUE(file_exists(options_.model));
  train(options_);
  EXPECT_EQ(model() == expected, true);
}

TEST_F(TrainResume, WithoutTheModelOfItsBestEpochACheckpointIsOfNoUse) {
  options_.valid = {make_dataset(folder_, "opposite", shop_schema, opposite_text(200, 7))};
  ASSERT_LT(train(options_).best_epoch, options_.epochs);
  ASSERT_TRUE(file_exists(checkpoint()));
  const std::string best = model();
  options_.resume = true;
  const auto expect_refused = [&](const char* why) {
    EXPECT_THAT(complaint<ConfigError>([&] { train(options_); }),
                testing::AllOf(HasSubstr(options_.model), HasSubstr(why)));
  };
  std::filesystem::remove(options_.model);
  expect_refused("is not there");
  const std::string finished_checkpoint = read_text_file(checkpoint());
  std::filesystem::remove(checkpoint());
  TrainOptions other = options_;
  other.resume = false;
  other.optimizer.learning_rate /= 2;
  train(other);
  write_text_file(checkpoint(), finished_checkpoint);
  expect_refused("was trained with other settings");
  other = options_;
  other.resume = false;
  other.overwrite = true;
  other.seed += 1;
  train(other);
  write_text_file(checkpoint(), finished_checkpoint);
  expect_refused("");
  write_text_file(options_.model, best);
  EXPECT_TRUE(train(options_).epochs.empty());
  EXPECT_EQ(model() == best, true);
}

TEST_F(TrainResume, MoreEpochsGoOnFromAFinishedModel) {
  options_.decay_learning_rate = false;
  options_.valid.clear();
  train(options_);
  const std::string expected = model();
  clear();
  options_.epochs = 1;
  train(options_);
  EXPECT_FALSE(file_exists(checkpoint()));
  options_.epochs = 3;
  options_.resume = true;
  EXPECT_EQ(train(options_).epochs.size(), 2u);
  EXPECT_EQ(model() == expected, true);
  EXPECT_TRUE(train(options_).epochs.empty());  // nothing left to do
  EXPECT_EQ(model() == expected, true);
}

TEST_F(TrainResume, MoreEpochsAreRefusedWhereTheLearningRateHasFallen) {
  options_.epochs = 1;
  train(options_);
  options_.epochs = 3;
  options_.resume = true;
  EXPECT_THAT(complaint<ConfigError>([&] { train(options_); }), HasSubstr("epochs"));
}

TEST_F(TrainResume, OtherSettingsAreRefused) {
  train_until(7, options_);
  options_.resume = true;
  const std::string before = read_text_file(checkpoint());
  const auto refused = [&](auto change) {
    TrainOptions other = options_;
    change(other);
    complaint<ConfigError>([&] { train(other); });
    EXPECT_EQ(read_text_file(checkpoint()) == before, true);
  };
  refused([](TrainOptions& o) { o.batch_size = 65; });
  refused([](TrainOptions& o) { o.seed = 2; });
  refused([](TrainOptions& o) { o.shuffle = false; });
  refused([](TrainOptions& o) { o.hidden = "3"; });
  refused([](TrainOptions& o) { o.loss = LossKind::mse; });
  refused([](TrainOptions& o) { o.optimizer.learning_rate = 0.2; });
  // As many rows in as many shards, but other rows.
  const std::string other = make_dataset(folder_, "other", shop_schema, shop_text(300, 9));
  refused([&](TrainOptions& o) { o.datasets = {other}; });
}

TEST_F(TrainResume, ACheckpointOfAnEarlierTrainingIsNotPickedUp) {
  options_.checkpoint_every = 0;
  train(options_);
  const std::string expected = model();
  clear();
  TrainOptions earlier = options_;
  earlier.seed = 99;
  earlier.checkpoint_every = 1;
  train_until(7, earlier);
  ASSERT_TRUE(file_exists(checkpoint()));
  train(options_);
  EXPECT_EQ(model() == expected, true);

  clear();
  train_until(7, earlier);
  train_until(1, options_);  // a new training, stopped before its first checkpoint
  options_.resume = true;
  train(options_);
  EXPECT_EQ(model() == expected, true);
}

TEST_F(TrainResume, ResumingNothingIsStarting) {
  train(options_);
  const std::string expected = model();
  clear();
  options_.resume = true;
  train(options_);
  EXPECT_EQ(model() == expected, true);
}

TEST_F(TrainResume, AStoppedEarlyTrainingStaysStopped) {
  options_.valid = {make_dataset(folder_, "opposite", shop_schema, opposite_text(200, 7))};
  options_.early_stop = 1;
  options_.epochs = 10;
  const TrainReport first = train(options_);
  ASSERT_TRUE(first.stopped_early);
  const std::string expected = model();
  options_.resume = true;
  const TrainReport again = train(options_);
  EXPECT_TRUE(again.stopped_early);
  EXPECT_TRUE(again.epochs.empty());
  EXPECT_EQ(again.best_epoch, first.best_epoch);
  EXPECT_EQ(model() == expected, true);
}

TEST_F(TrainResume, WhatDiffersFromTheTrainingBeforeIsNamed) {
  train_until(2, options_);
  options_.resume = true;
  const auto refusal = [&](auto change) {
    TrainOptions options = options_;
    change(options);
    return complaint<ConfigError>([&] { train(options); });
  };
  EXPECT_THAT(refusal([](TrainOptions& o) { o.hidden = "4,2"; }),
              HasSubstr("--hidden: none before, 4,2 now"));
  EXPECT_THAT(refusal([](TrainOptions& o) { o.optimizer.learning_rate = 0.25; }),
              HasSubstr("--lr: 0.1 before, 0.25 now"));
  EXPECT_THAT(refusal([](TrainOptions& o) { o.optimizer = default_settings(OptimizerKind::adam); }),
              HasSubstr("--optimizer: adagrad before, adam now"));
  EXPECT_THAT(refusal([](TrainOptions& o) { o.epochs = 7; }), HasSubstr("--epochs"));
  EXPECT_THAT(refusal([](TrainOptions& o) { o.seed = 5; }), HasSubstr("--seed: 1 before, 5 now"));
  EXPECT_THAT(refusal([](TrainOptions& o) { o.shuffle = false; }), HasSubstr("whether rows are shuffled"));
  EXPECT_THAT(refusal([](TrainOptions& o) { o.batch_size = 32; }),
              HasSubstr("rows per step: 64 before, 32 now"));
  const std::string other = make_dataset(folder_, "other", shop_schema, shop_text(300, 9));
  EXPECT_THAT(refusal([&](TrainOptions& o) { o.datasets = {other}; }),
              HasSubstr("the dataset has different rows"));
  const std::string longer = make_dataset(folder_, "longer", shop_schema, shop_text(310, 1));
  EXPECT_THAT(refusal([&](TrainOptions& o) { o.datasets = {longer}; }),
              HasSubstr("rows of the dataset: 300 before, 310 now"));
  EXPECT_NO_THROW(train(options_));
}

TEST_F(TrainResume, AStopNamesTheFileAndTheStepThatResumingGoesOnFrom) {
  options_.valid.clear();
  train_until(4, options_);
  StopFlag stop = false;
  options_.stop = &stop;
  options_.resume = true;
  options_.checkpoint_every = 0;
  const auto words_of_stop = [&](std::uint64_t at) {
    std::uint64_t done = 0;
    stop = false;
    return complaint<widehash::Stopped>(
        [&] { train(options_, [&](const Progress&) { stop = ++done == at; }); });
  };
  EXPECT_THAT(words_of_stop(1), HasSubstr(checkpoint() + " holds batch 3 of epoch 1"));
  EXPECT_THAT(words_of_stop(4), HasSubstr(checkpoint() + " holds the end of epoch 1"));
  clear();
  options_.resume = false;
  EXPECT_THAT(words_of_stop(2), HasSubstr("nothing was written"));
  // A finished model can be continued too, where more epochs do not change the learning rate.
  options_.decay_learning_rate = false;
  options_.epochs = 1;
  options_.stop = nullptr;
  train(options_);
  options_.epochs = 3;
  options_.stop = &stop;
  options_.resume = true;
  EXPECT_THAT(words_of_stop(2), HasSubstr(options_.model + " holds the end of epoch 1"));
}

TEST_F(TrainResume, EpochsAreJudgedByTheSameRowsThroughout) {
  const std::string before = options_.valid.front();
  const std::string after = make_dataset(folder_, "later", shop_schema, shop_text(100, 7));
  train_until(2, options_);
  options_.resume = true;
  options_.valid = {after};
  // Nothing is judged before the end of the first epoch.
  train_until(6, options_);
  options_.valid = {before};
  EXPECT_THAT(complaint<ConfigError>([&] { train(options_); }),
              testing::AllOf(HasSubstr("judged by other rows"), HasSubstr(before)));
  options_.valid.clear();
  EXPECT_THAT(complaint<ConfigError>([&] { train(options_); }), HasSubstr("--valid that is not given now"));
  options_.valid = {after};
  EXPECT_NO_THROW(train(options_));
}

TEST_F(TrainResume, AStopBeforeTheFirstStepWritesNothing) {
  train(options_);
  TrainOptions next = options_;
  next.from = options_.model;
  next.model = folder_.file("next.model");
  StopFlag stop = false;
  next.stop = &stop;
  // The callback stops the training when the starting model is reported.
  std::size_t told = 0;
  const auto look = [&](const EpochReport& epoch) {
    EXPECT_EQ(epoch.epoch, 0u);
    ++told;
    stop = true;
  };
  EXPECT_THAT(complaint<widehash::Stopped>([&] { train(next, {}, look); }),
              HasSubstr("before the first step; nothing was written"));
  EXPECT_EQ(told, 1u);
  EXPECT_FALSE(file_exists(next.model) || file_exists(next.model + ".checkpoint"));
}

}  // namespace
}  // namespace widehash::test
