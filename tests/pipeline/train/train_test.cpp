#include "network/optimizer_kinds.hpp"
#include "pipeline/training_kit.hpp"

#include <widehash/evaluate.hpp>
#include <widehash/model.hpp>

#include <cmath>

namespace widehash::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST_F(TrainTest, TheLossFallsOnALearnableProblem) {
  TrainOptions options = quick_training(data("train", 2000, 1), file("m.model"));
  options.epochs = 6;
  options.optimizer.learning_rate = 0.3;
  options.valid = {data("valid", 500, 2)};
  std::vector<EpochReport> seen;
  const TrainReport report = train(options, {}, [&](const EpochReport& epoch) { seen.push_back(epoch); });
  ASSERT_EQ(report.epochs.size(), 6u);
  ASSERT_EQ(seen.size(), 6u);
  EXPECT_LT(report.epochs[5].train_loss, 0.55);
  EXPECT_LT(report.epochs[5].train_loss, report.epochs[0].train_loss);
  EXPECT_GT(*report.epochs[5].valid->auc, 0.8);
  EXPECT_EQ(report.rows, 12000u);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(report.epochs[i].epoch, i + 1);
    EXPECT_EQ(report.epochs[i].rows, 2000u);
    EXPECT_EQ(report.epochs[i].valid->rows, 500u);
  }
  const Dataset dataset(options.datasets.front());
  EXPECT_EQ(report.num_columns, dataset.layout()->num_columns);
  EXPECT_EQ(report.num_parameters, report.num_columns + 1);
}

TEST_F(TrainTest, TheFirstLossOfAZeroModelIsLogTwo) {
  TrainOptions options = quick_training(data("train", 300, 1), file("m.model"));
  options.epochs = 1;
  options.batch_size = 1000;
  EXPECT_NEAR(train(options).epochs[0].train_loss, std::log(2.0), 1e-6);
}

TEST_F(TrainTest, ModelsDoNotDependOnThreads) {
  const std::string train_data = data("train", 900, 3);
  for (const char* hidden : {"none", "8,4"}) {
    std::string first;
    for (const std::size_t threads : {1, 2, 7}) {
      TrainOptions options = quick_training(train_data, file(fmt::format("m{}", threads)));
      options.hidden = hidden;
      options.valid = {train_data};
      with_threads(threads, [&] { train(options); });
      const std::string bytes = read_text_file(options.model);
      if (first.empty()) first = bytes;
      EXPECT_EQ(bytes == first, true) << hidden << " " << threads;
    }
  }
}

TEST_F(TrainTest, SeedsGiveOtherModels) {
  TrainOptions options = quick_training(data("train", 300, 3), file("one"));
  train(options);
  options.seed = 2;
  options.model = file("two");
  train(options);
  EXPECT_NE(read_text_file(file("one")), read_text_file(file("two")));
}

TEST_F(TrainTest, EarlyStoppingKeepsTheBestEpoch) {
  // The validation rows have opposite labels: every epoch makes the loss worse, so the first is the best.
  TrainOptions options = quick_training(data("train", 1500, 4), file("m.model"));
  options.valid = {make_dataset(folder_, "valid", shop_schema, opposite_text(400, 5))};
  options.decay_learning_rate = false;  // or it would depend on the number of epochs
  options.epochs = 20;
  options.early_stop = 3;
  const TrainReport report = train(options);
  EXPECT_TRUE(report.stopped_early);
  EXPECT_EQ(report.best_epoch, 1u);
  EXPECT_EQ(report.epochs.size(), 4u);
  EXPECT_EQ(load_model<float>(options.model).position.epoch, 1u);
  EXPECT_EQ(*evaluate(options.model, options.valid).log_loss, *report.epochs[0].valid->log_loss);

  TrainOptions one = quick_training(options.datasets.front(), file("one.model"));
  one.decay_learning_rate = false;
  one.epochs = 1;
  one.valid = options.valid;
  train(one);
  EXPECT_EQ(read_text_file(one.model) == read_text_file(options.model), true);
}

TEST_F(TrainTest, AnInfiniteLossStopsAndKeepsTheEarlierModel) {
  const std::string toml = "label = \"y\"\n[[feature]]\nfield = \"x\"\nencoding = \"numeric\"\n";
  std::string text = "y\tx\n";
  for (int i = 0; i < 200; ++i) text += fmt::format("{}\t{}\n", i, 1000 * i);
  TrainOptions options = quick_training(make_dataset(folder_, "train", toml, text), file("m.model"));
  options.loss = LossKind::mse;
  options.batch_size = 10;
  options.optimizer = default_settings(OptimizerKind::sgd);
  options.optimizer.learning_rate = 1e-12;
  train(options);
  const std::string before = read_text_file(options.model);
  options.optimizer.learning_rate = 1e20;
  EXPECT_THAT(complaint<DataError>([&] { train(options); }),
              AllOf(HasSubstr("epoch 1"), HasSubstr("batch "), HasSubstr("not finite")));
  EXPECT_EQ(read_text_file(options.model) == before, true);
}

TEST_F(TrainTest, ABadTargetToJudgeByIsReportedBeforeTheFirstEpoch) {
  const auto weighted = [&](const std::string& name, const std::string& rows) {
    const std::string toml = "label = \"y\"\nweight = \"w\"\n[[feature]]\nfield = \"a\"\ncardinality = 9\n";
    return make_dataset(folder_, name, toml, "y\tw\ta\n" + rows);
  };
  TrainOptions options = quick_training(weighted("train", "1\t1\tv\n0\t1\tu\n"), file("m.model"));
  bool has_trained = false;
  const auto run = [&](const std::string& valid) {
    options.valid = {valid};
    train(options, {}, [&](const EpochReport&) { has_trained = true; });
  };
  EXPECT_THAT(complaint<DataError>([&] { run(weighted("counts", "1\t1\tv\n3\t1\tv\n")); }),
              AllOf(HasSubstr("counts/part-00000-000000.shard:2"), HasSubstr("target 3")));
  EXPECT_FALSE(has_trained);
  run(weighted("valid", "1\t1\tv\n0\t1\tv\n"));
  EXPECT_TRUE(has_trained);
}

TEST_F(TrainTest, ClassesAreLearnedBySoftmax) {
  const std::string toml = R"(label = { field = "y", classes = ["red", "green", "blue"] }
[[feature]]
field = "a"
cardinality = 30
)";
  std::string text = "y\ta\n";
  std::mt19937 random(8);
  for (int i = 0; i < 600; ++i) {
    const auto a = random() % 30;
    text += fmt::format("{}\tv{}\n", a % 3 == 0 ? "red" : a % 3 == 1 ? "green" : "blue", a);
  }
  TrainOptions options = quick_training(make_dataset(folder_, "train", toml, text), file("m.model"));
  options.epochs = 20;
  options.valid = {options.datasets.front()};
  const TrainReport report = train(options);
  EXPECT_GT(*report.epochs.back().valid->accuracy, 0.95);
  EXPECT_EQ(load_model<float>(options.model).network.architecture().loss, LossKind::softmax);
  // An explicit choice is used.
  options.loss = LossKind::logistic;
  train(options);
  EXPECT_EQ(load_model<float>(options.model).network.architecture().loss, LossKind::logistic);
}

TEST_F(TrainTest, WhatDoesNotFitIsRefused) {
  const std::string dataset = data("train", 100, 1);
  const auto refusal = [&](auto change) {
    TrainOptions options = quick_training(dataset, file("m.model"));
    change(options);
    const std::string text = complaint<ConfigError>([&] { train(options); });
    EXPECT_FALSE(file_exists(options.model));
    return text;
  };
  EXPECT_THAT(refusal([](TrainOptions& o) { o.loss = LossKind::softmax; }), HasSubstr("classes"));
  EXPECT_THAT(refusal([](TrainOptions& o) { o.early_stop = 2; }), HasSubstr("--valid"));
  refusal([](TrainOptions& o) { o.batch_size = 0; });
  EXPECT_THAT(refusal([](TrainOptions& o) {
                o.batch_size = std::uint64_t{1} << 63;
                o.devices.resize(2);
                o.parallel.mode = ParallelMode::tower;
              }),
              HasSubstr("too large for 2 devices"));
  refusal([](TrainOptions& o) { o.epochs = 0; });
  refusal([](TrainOptions& o) { o.hidden = "3,x"; });
  refusal([](TrainOptions& o) { o.optimizer.learning_rate = -1; });

  std::string other = shop_schema;
  other.replace(other.find("40"), 2, "41");
  const std::string other_data = make_dataset(folder_, "other", other, shop_text(50, 2));
  EXPECT_THAT(refusal([&](TrainOptions& o) { o.valid = {other_data}; }),
              AllOf(HasSubstr("cardinality"), HasSubstr("40"), HasSubstr("41")));
  const std::string unlabelled = make_dataset(
      folder_, "unlabelled", "[[feature]]\nfield = \"shop\"\ncardinality = 40\n", shop_text(20, 2));
  EXPECT_THAT(refusal([&](TrainOptions& o) { o.datasets = {unlabelled}; }), HasSubstr("label"));
}

TEST_F(TrainTest, WhatIsThereIsNotReplacedUnasked) {
  TrainOptions options = quick_training(data("train", 200, 1), file("m.model"));
  options.overwrite = false;
  train(options);
  const std::string first = read_text_file(options.model);
  options.seed = 2;
  EXPECT_THAT(complaint<ConfigError>([&] { train(options); }),
              AllOf(HasSubstr("m.model: already exists"), HasSubstr("--overwrite")));
  // The checkpoint of an unfinished training counts too, even where there is no model yet.
  std::filesystem::rename(options.model, options.model + ".checkpoint");
  EXPECT_THAT(complaint<ConfigError>([&] { train(options); }),
              AllOf(HasSubstr("m.model.checkpoint"), HasSubstr("--resume"), HasSubstr("--overwrite")));
  EXPECT_EQ(read_text_file(options.model + ".checkpoint") == first, true);
  options.overwrite = true;
  train(options);
  EXPECT_FALSE(file_exists(options.model + ".checkpoint"));
  EXPECT_NE(read_text_file(options.model) == first, true);
}

TEST_F(TrainTest, ATraceIsNotWrittenOverTheModel) {
  TrainOptions options = quick_training(data("train", 100, 1), file("m.model"));
  std::filesystem::create_symlink(file("m.model"), file("link"));
  for (const char* profile : {"m.model", "m.model.checkpoint", "link"}) {
    options.profile = file(profile);
    EXPECT_THAT(complaint<ConfigError>([&] { train(options); }), HasSubstr("another file for the trace"));
  }
}

TEST_F(TrainTest, StatesThatAreNotFiniteEndTheTrainingAndReplaceNothing) {
  // The squares of such gradients overflow a float; the gradients and the loss do not.
  const std::string toml = "label = \"y\"\n[[feature]]\nfield = \"n\"\nencoding = \"numeric\"\n";
  TrainOptions options = quick_training(
      make_dataset(folder_, "large", toml, "y\tn\n1\t1e20\n0\t1e20\n0\t-1e20\n"), file("m.model"));
  options.batch_size = 1;
  for (const OptimizerKind kind : {OptimizerKind::adagrad, OptimizerKind::rmsprop}) {
    options.optimizer = default_settings(kind);
    options.optimizer.l1 = options.optimizer.l2 = 0;
    options.optimizer.learning_rate = 1e-25;
    const std::string yesterday = std::string("widehashmodel\0\0\0", 16) + "of yesterday";
    write_text_file(options.model, yesterday);
    const std::string text = complaint<DataError>([&] { train(options); });
    EXPECT_THAT(text, AllOf(HasSubstr("by the end of epoch 1"), HasSubstr("not finite"),
                            HasSubstr("scaled numeric")));
    EXPECT_EQ(read_text_file(options.model), yesterday);
  }
}

TEST_F(TrainTest, ActiveColumnsOfRaggedRowsAreTheirMean) {
  const std::string toml =
      "label = \"y\"\n[[feature]]\nfield = \"a\"\ncardinality = 9\n"
      "[[feature]]\nfield = \"b\"\ncardinality = 9\nseparator = \"|\"\n";
  const Dataset dataset(make_dataset(folder_, "tags", toml, "y\ta\tb\n0\tx\tp|q|r\n1\tx\tp\n"));
  EXPECT_EQ(active_columns(dataset), 4u + 2 * 4u);
}

TEST_F(TrainTest, DatasetsWithoutRowsAreRefused) {
  const std::string empty = data("empty", 0, 1);
  TrainOptions options = quick_training(empty, file("m.model"));
  EXPECT_THROW(train(options), DataError);
  options.datasets = {data("train", 50, 1)};
  options.valid = {empty};
  EXPECT_THROW(train(options), DataError);
}

TEST_F(TrainTest, TargetsThatTheLossCannotTakeAreNamed) {
  const std::string toml = "label = \"y\"\n[[feature]]\nfield = \"a\"\ncardinality = 10\n";
  TrainOptions options =
      quick_training(make_dataset(folder_, "train", toml, "y\ta\n0\tx\n2\ty\n"), file("m.model"));
  EXPECT_THAT(complaint<DataError>([&] { train(options); }), AllOf(HasSubstr("target 2"), HasSubstr("mse")));
}

TEST_F(TrainTest, ATargetIsNamedByShardAndRowHoweverRowsAreShuffledAndDivided) {
  std::string text = "y\ta\n";
  for (int row = 0; row < 2000; ++row)
    text += row == 1234 ? "7\tx\n" : fmt::format("{}\tv{}\n", row % 2, row % 9);
  const std::string toml = "label = \"y\"\n[[feature]]\nfield = \"a\"\ncardinality = 10\n";
  TrainOptions options = quick_training(make_dataset(folder_, "train", toml, text), file("m.model"));
  const Dataset dataset(options.datasets.front());
  std::uint64_t row = 1234;
  std::size_t shard = 0;
  while (row >= dataset.manifest().shards[shard].rows) row -= dataset.manifest().shards[shard++].rows;
  ASSERT_GT(shard, 0u);
  for (const std::size_t devices : {1, 3}) {
    for (const bool shuffle : {true, false}) {
      options.devices.assign(devices, Device{});
      options.shuffle = shuffle;
      try {
        train(options);
        FAIL();
      } catch (const DataError& error) {
        EXPECT_EQ(error.path(), options.datasets.front() + "/" + dataset.manifest().shards[shard].file);
        EXPECT_EQ(error.row(), row + 1);
      }
    }
  }
}

TEST_F(TrainTest, SeveralDatasetsAreTrainedOnAsOneOfAllTheirInputs) {
  std::vector<std::string> days;
  std::vector<std::string> texts;
  for (const unsigned day : {1, 2, 3}) {
    days.push_back(data("day" + std::to_string(day), 300 + 50 * day, day));
    texts.push_back(days.back() + ".tsv");
  }
  TransformOptions together;
  together.block_bytes = 2000;
  run_transform(shop_schema, texts, file("week"), together);
  TrainOptions options = quick_training(file("week"), file("week.model"));
  options.valid = {data("valid", 200, 9)};
  options.epochs = 3;
  train(options);
  options.datasets = days;
  options.model = file("days.model");
  for (const std::size_t devices : {1, 2}) {
    options.devices.assign(devices, Device{});
    const TrainReport report = train(options);
    EXPECT_EQ(report.epochs.back().rows, 1200u);
    if (devices == 1) {
      EXPECT_EQ(read_text_file(file("days.model")), read_text_file(file("week.model")));
    }
  }
  // Datasets that do not go together.
  options.datasets = {days[0], days[1], days[0] + "/../day1"};
  EXPECT_THAT(complaint<ConfigError>([&] { train(options); }),
              AllOf(HasSubstr("day1"), HasSubstr("is given twice")));
  const std::string other = std::string(shop_schema).replace(std::string(shop_schema).find("400"), 3, "500");
  options.datasets = {days[0], make_dataset(folder_, "other", other, shop_text(50, 1))};
  EXPECT_THAT(complaint<ConfigError>([&] { train(options); }),
              AllOf(HasSubstr("feature 'shop'"), HasSubstr("cardinality")));
  options.datasets = {days[0], days[1], file("nowhere")};
  EXPECT_THROW(train(options), FileError);
  // An output inside any of the datasets would be among the files that are read.
  options.datasets = {days[0], days[1]};
  options.model = days[1] + "/m.model";
  EXPECT_THAT(complaint<ConfigError>([&] { train(options); }), HasSubstr(days[1]));
}

TEST_F(TrainTest, ADamagedShardStopsTheTraining) {
  TrainOptions options = quick_training(data("train", 500, 1), file("m.model"));
  const std::string shard =
      options.datasets.front() + "/" + Dataset(options.datasets.front()).manifest().shards[1].file;
  std::string bytes = read_text_file(shard);
  bytes[100] = static_cast<char>(bytes[100] ^ 4);
  write_text_file(shard, bytes);
  EXPECT_THAT(complaint<DataError>([&] { train(options); }), HasSubstr(shard));
}

TEST_F(TrainTest, EveryOptimizerAndHiddenLayerLearns) {
  const std::string dataset = data("train", 1500, 1);
  for (const OptimizerKind kind : optimizer_kinds) {
    TrainOptions options = quick_training(dataset, file("m.model"));
    options.optimizer = default_settings(kind);
    if (kind == OptimizerKind::sgd) options.optimizer.learning_rate = 0.5;
    options.epochs = 4;
    options.hidden = kind == OptimizerKind::adam ? "auto" : "none";
    const TrainReport report = train(options);
    EXPECT_LT(report.epochs.back().train_loss, report.epochs.front().train_loss) << to_string(kind);
  }
}

}  // namespace
}  // namespace widehash::test
