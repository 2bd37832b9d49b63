#include "pipeline/training_kit.hpp"

#include <widehash/device_team.hpp>
#include <widehash/evaluate.hpp>
#include <widehash/explain.hpp>
#include <widehash/model.hpp>
#include <widehash/predict.hpp>

#include <cmath>
#include <set>

#include <nlohmann/json.hpp>

namespace widehash::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

struct Stopped {};

/// A way to divide steps of 64 rows among devices.
struct Way {
  const char* name;
  ParallelSettings settings;
  std::size_t devices;
};
const std::vector<Way> equal_ways{{"data on 3", {ParallelMode::data}, 3},
                                  {"model on 3", {ParallelMode::model}, 3},
                                  {"model on 2", {ParallelMode::model}, 2},
                                  {"towers on 4", {ParallelMode::tower, Mix::gradients}, 4}};
const Way means{"means of 4", {ParallelMode::tower, Mix::parameters, 2}, 4};
const Way ensemble{"ensemble of 2", {ParallelMode::tower, Mix::predictions}, 2};

/// 321 rows: six steps of 53 or 54 rows, which devices share in unequal parts.
class TrainParallel : public testing::Test {
 protected:
  TrainParallel() {
    options_ = quick_training(make_dataset(folder_, "train", shop_schema, shop_text(321, 1)),
                              folder_.file("m.model"));
    options_.valid = {make_dataset(folder_, "valid", shop_schema, shop_text(100, 2))};
    options_.hidden = "5";
    options_.optimizer = default_settings(OptimizerKind::adam);
  }
  TrainOptions with(const Way& way) const {
    TrainOptions options = options_;
    options.devices.assign(way.devices, Device{});
    options.parallel = way.settings;
    options.batch_size = way.settings.mode == ParallelMode::tower ? 64 / way.devices : 64;
    return options;
  }
  std::string model() const { return read_text_file(options_.model); }
  void clear() const {
    std::filesystem::remove(options_.model);
    std::filesystem::remove(options_.model + ".checkpoint");
  }
  void train_until(std::uint64_t steps, const TrainOptions& options) {
    std::uint64_t done = 0;
    EXPECT_THROW(train(options,
                       [&](const Progress&) {
                         if (++done == steps) throw Stopped();
                       }),
                 Stopped);
  }
  static double difference(const std::string& a, const std::string& b) {
    const auto x = load_model<float>(a).network.parameters();
    const auto y = load_model<float>(b).network.parameters();
    double worst = 0;
    for (std::size_t t = 0; t < x.tensors().size(); ++t) {
      for (std::size_t i = 0; i < x.tensors()[t].values.size(); ++i)
        worst =
            std::max(worst, std::abs(double{x.tensors()[t].values[i]} - double{y.tensors()[t].values[i]}));
    }
    return worst;
  }

  TempFolder folder_;
  TrainOptions options_;
};

TEST_F(TrainParallel, EveryWayGivesTheModelOfOneDevice) {
  options_.model = folder_.file("one.model");
  const TrainReport one = train(options_);
  for (const Way& way : equal_ways) {
    TrainOptions options = with(way);
    options.model = folder_.file("m.model");
    const TrainReport report = train(options);
    EXPECT_LT(difference(folder_.file("one.model"), options.model), 1e-5) << way.name;
    EXPECT_EQ(report.rows, one.rows);
    ASSERT_EQ(report.epochs.size(), 2u);
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(report.epochs[i].rows, 321u);
      EXPECT_NEAR(report.epochs[i].train_loss, one.epochs[i].train_loss, 1e-6) << way.name;
    }
  }
}

TEST_F(TrainParallel, IndependentTowersNeedARowEach) {
  TrainOptions options = with(ensemble);
  options.valid.clear();
  options.datasets = {make_dataset(folder_, "two", shop_schema, shop_text(2, 1))};
  EXPECT_EQ(train(options).epochs.at(0).rows, 2u);
  options.devices.assign(3, Device{});
  EXPECT_THAT(complaint<ConfigError>([&] { train(options); }),
              AllOf(HasSubstr("has 2 rows, but each of 3 towers"), HasSubstr("name fewer devices")));
}

TEST_F(TrainParallel, NoIndependentTowerIsLeftUntrained) {
  for (const std::size_t rows : {4, 5, 6, 7, 9, 11}) {
    TrainOptions options = with(ensemble);
    options.valid.clear();
    options.hidden = "none";
    options.devices.assign(4, Device{});
    options.batch_size = 1;
    options.epochs = 1;
    options.datasets = {make_dataset(folder_, fmt::format("{} rows", rows), shop_schema, shop_text(rows, 1))};
    train(options);
    const Model<float> model = load_model<float>(options.model);
    const auto is_moved = [](const Network<float>& tower) {
      const auto weights = tower.parameters().first_weights;
      return std::any_of(weights.begin(), weights.end(), [](float weight) { return weight != 0; });
    };
    EXPECT_TRUE(is_moved(model.network)) << rows;
    for (const auto& tower : model.other_towers) EXPECT_TRUE(is_moved(tower)) << rows;
  }
}

TEST_F(TrainParallel, AnEpochIsJudgedByWhatItsModelPredicts) {
  std::vector<Way> ways = equal_ways;
  ways.push_back(means);
  ways.push_back(ensemble);
  for (const Way& way : ways) {
    const TrainReport report = train(with(way));
    const MetricsReport metrics = evaluate(options_.model, options_.valid);
    const auto& kept = report.epochs.at(report.best_epoch - 1);
    EXPECT_NEAR(*metrics.log_loss, *kept.valid->log_loss, 1e-7) << way.name;
    EXPECT_EQ(kept.valid->rows, 100u);
  }
}

TEST_F(TrainParallel, AStopAtAnyStepGivesTheSameModel) {
  std::vector<Way> ways = equal_ways;
  ways.push_back(means);
  ways.push_back(ensemble);
  for (const Way& way : ways) {
    TrainOptions options = with(way);
    options.checkpoint_every = 1;
    clear();
    const TrainReport whole = train(options);
    const std::string expected = model();
    for (const std::uint64_t stop : {1, 2, 5, 6, 7, 11, 12}) {
      clear();
      options.resume = false;
      train_until(stop, options);
      options.resume = true;
      const TrainReport report = train(options);
      EXPECT_EQ(model() == expected, true) << way.name << ", " << stop;
      EXPECT_EQ(report.epochs.back().train_loss, whole.epochs.back().train_loss);
    }
  }
}

TEST_F(TrainParallel, ACheckpointGoesOnOnOtherDevicesInAnotherWay) {
  options_.model = folder_.file("one.model");
  train(options_);
  options_.model = folder_.file("m.model");
  std::vector<Way> ways = equal_ways;
  ways.push_back({"one", {}, 1});
  for (const Way& before : ways) {
    for (const Way& after : ways) {
      clear();
      TrainOptions options = with(before);
      options.checkpoint_every = 1;
      train_until(4, options);
      options = with(after);
      options.resume = true;
      train(options);
      EXPECT_LT(difference(folder_.file("one.model"), options.model), 1e-5)
          << before.name << ", " << after.name;
    }
  }
}

TEST_F(TrainParallel, OtherRowsToAStepAreRefusedWithWhatToDo) {
  TrainOptions options = with(equal_ways[3]);
  options.checkpoint_every = 1;
  train_until(3, options);
  options.resume = true;
  options.devices.resize(3);
  EXPECT_THAT(complaint<ConfigError>([&] { train(options); }), AllOf(HasSubstr("64 rows"), HasSubstr("48")));
}

TEST_F(TrainParallel, TheCheckpointOfMeansWaitsForTheMean) {
  TrainOptions options = with(means);
  options.checkpoint_every = 1;
  train_until(2, options);  // stopped at the mean, before its checkpoint
  EXPECT_FALSE(file_exists(options.model + ".checkpoint"));
  clear();
  train_until(4, options);
  EXPECT_EQ(load_model<float>(options.model + ".checkpoint").position.batch, 2u);
}

TEST_F(TrainParallel, AnEnsembleIsUsedLikeAnyModel) {
  const std::string tables = folder_.file("tables");
  run_fit(shop_schema, {folder_.file("train.tsv")}, tables);
  const TrainReport report = train(with(ensemble));
  const Model<float> loaded = load_model<float>(options_.model);
  EXPECT_EQ(loaded.other_towers.size(), 1u);
  EXPECT_EQ(report.num_parameters, 2 * loaded.network.parameters().num_values());
  std::vector<float> from_dataset;
  std::vector<float> from_text;
  const auto into = [](std::vector<float>& all) {
    return [&all](std::span<const float> some) { all.insert(all.end(), some.begin(), some.end()); };
  };
  predict({options_.model, options_.valid, ""}, into(from_dataset));
  predict({options_.model, {folder_.file("valid.tsv")}, ""}, into(from_text));
  EXPECT_EQ(from_dataset.size(), 100u);
  EXPECT_EQ(from_dataset, from_text);
  EXPECT_FALSE(explain({options_.model, tables}).empty());

  TrainOptions other = with(ensemble);
  other.resume = true;
  other.epochs = 3;
  other.devices.resize(1);
  EXPECT_THROW(train(other), ConfigError);
}

TEST_F(TrainParallel, ModelsDoNotDependOnThreads) {
  for (const Way& way : equal_ways) {
    std::string first;
    for (const std::size_t threads : {1, 2, 7}) {
      clear();
      with_threads(threads, [&] { train(with(way)); });
      if (first.empty()) first = model();
      EXPECT_EQ(model() == first, true) << way.name << ", " << threads;
    }
  }
}

TEST_F(TrainParallel, AModelBeyondTheMemoryOfADeviceTrainsOnSeveral) {
  TrainOptions options = options_;
  const std::uint64_t whole = 4 * 4 *
                              (Dataset(options.datasets.front()).layout()->num_columns * 5 + 5 +
                               6);  // parameters, gradient, adam's two states
  options.memory_bytes = whole / 2;
  EXPECT_THAT(complaint<ConfigError>([&] { train(options); }),
              AllOf(HasSubstr(std::to_string(whole)), HasSubstr("--parallel model over 3 devices")));
  EXPECT_FALSE(file_exists(options.model));
  options.devices.resize(3);
  EXPECT_THAT(complaint<ConfigError>([&] { train(options); }), HasSubstr("--parallel model"));
  options.parallel.mode = ParallelMode::model;
  EXPECT_EQ(train(options).epochs.size(), 2u);
}

TEST_F(TrainParallel, ADamagedShardIsNamedWhateverTheDevices) {
  const std::string shard =
      options_.datasets.front() + "/" + Dataset(options_.datasets.front()).manifest().shards[1].file;
  std::string bytes = read_text_file(shard);
  bytes[100] = static_cast<char>(bytes[100] ^ 4);
  write_text_file(shard, bytes);
  for (const Way& way : equal_ways)
    EXPECT_THAT(complaint<DataError>([&] { train(with(way)); }), HasSubstr(shard)) << way.name;
}

TEST_F(TrainParallel, FewerRowsThanDevicesTrain) {
  options_.datasets = {make_dataset(folder_, "few", shop_schema, shop_text(3, 1))};
  for (const ParallelMode mode : {ParallelMode::data, ParallelMode::model, ParallelMode::tower}) {
    TrainOptions options = options_;
    options.parallel.mode = mode;
    options.devices.resize(5);
    options.batch_size = 1;
    EXPECT_EQ(train(options).rows, 6u);
  }
}

TEST_F(TrainParallel, TheReportSaysWhatEachDeviceDid) {
  TrainOptions options = with(equal_ways[0]);
  options.profile = folder_.file("trace.json");
  const TrainReport report = train(options);
  EXPECT_TRUE(report.is_main);
  ASSERT_EQ(report.devices.size(), 3u);
  for (int rank = 0; rank < 3; ++rank) {
    const DeviceReport& device = report.devices[static_cast<std::size_t>(rank)];
    EXPECT_EQ(device.rank, rank);
    EXPECT_GT(device.bytes_sent, 0u);
    EXPECT_GT(device.shares[static_cast<std::size_t>(Activity::compute)], 0);
    double sum = 0;
    for (const double share : device.shares) sum += share;
    EXPECT_NEAR(sum, 1, 1e-9);
  }
  EXPECT_GT(report.efficiency, 0);
  EXPECT_LE(report.efficiency, 1);
  const auto trace = nlohmann::json::parse(read_text_file(options.profile));
  std::set<int> tracks;
  std::set<std::string> names;
  for (const auto& event : trace.at("traceEvents")) {
    if (event.at("ph") != "X") continue;
    tracks.insert(event.at("tid").get<int>());
    names.insert(event.at("name").get<std::string>());
    EXPECT_GE(event.at("dur").get<double>(), 0);
  }
  EXPECT_EQ(tracks, (std::set<int>{0, 1, 2}));
  EXPECT_EQ(names, (std::set<std::string>{"read", "compute", "communicate", "wait"}));
  EXPECT_GT(train(options_).efficiency, 0.9) << "one device waits for nobody";
}

TEST(DeviceTeam, ThreadsAreSharedAmongDevices) {
  const auto threads_each = [](std::size_t devices, std::size_t threads) {
    std::size_t found = 0;
    DeviceTeam team(std::vector<Device>(devices), {.threads = threads});
    team.run([&](Communicator& c) {
      if (c.rank() == 0) found = current_threads();
    });
    return found;
  };
  EXPECT_EQ(threads_each(2, 6), 3u);
  EXPECT_EQ(threads_each(3, 7), 2u);
  EXPECT_EQ(threads_each(4, 2), 1u);
}

}  // namespace
}  // namespace widehash::test
