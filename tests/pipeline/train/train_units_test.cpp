// Training on numbers of any size, --loss mse.

#include "pipeline/training_kit.hpp"

#include <widehash/evaluate.hpp>
#include <widehash/explain.hpp>
#include <widehash/model.hpp>
#include <widehash/predict.hpp>

#include <cmath>
#include <filesystem>
#include <functional>
#include <limits>

namespace widehash::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr std::size_t num_shops = 40;
constexpr std::size_t num_kinds = 12;

const std::string price_schema = R"(label = "price"
[[feature]]
field = "shop"
encoding = "one_hot"
buckets = 5000
[[feature]]
field = "kind"
encoding = "one_hot"
buckets = 1000
)";

/// Prices around 1000 that depend on shop and kind by some hundreds, with noise of deviation 100, so that the
/// best possible `rmse` is near 100. `of` turns a price into the label.
std::string price_text(std::size_t rows, unsigned seed, const std::function<double(double)>& of) {
  std::mt19937 taste(1);  // the same for every table
  // Sums of uniform numbers, with deviation 1, so that every machine draws the same.
  const auto normal = [](std::mt19937& random) {
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += static_cast<double>(random() % 65536) / 65536;
    return sum;
  };
  std::vector<double> shops(num_shops);
  std::vector<double> kinds(num_kinds);
  for (double& shop : shops) shop = 300 * normal(taste);
  for (double& kind : kinds) kind = 200 * normal(taste);
  std::mt19937 random(seed);
  std::string text = "price\tshop\tkind\n";
  for (std::size_t i = 0; i < rows; ++i) {
    const std::size_t shop = random() % num_shops;
    const std::size_t kind = random() % num_kinds;
    const double price = std::round(1000 + shops[shop] + kinds[kind] + 100 * normal(random));
    text += fmt::format("{}\tshop{}\tkind{}\n", of(price), shop, kind);
  }
  return text;
}

double as_it_is(double price) { return price; }

class TrainUnits : public testing::Test {
 protected:
  std::string file(const std::string& name) const { return folder_.file(name); }
  std::string prices(const std::string& name, std::size_t rows, unsigned seed,
                     const std::function<double(double)>& of = as_it_is, std::uint64_t block_bytes = 20'000) {
    return make_dataset(folder_, name, price_schema, price_text(rows, seed, of), block_bytes);
  }
  std::string table(const std::string& name, const std::string& rows) {
    return make_dataset(folder_, name,
                        "label = \"y\"\nweight = \"w\"\n[[feature]]\nfield = \"a\"\ncardinality = 10\n",
                        "y\tw\ta\n" + rows, 1 << 20);
  }
  /// Training options with the program's defaults.
  TrainOptions regression(const std::string& dataset, const std::string& model,
                          const std::string& hidden = "none") const {
    TrainOptions options;
    options.datasets = {dataset};
    options.model = file(model);
    options.overwrite = true;
    options.hidden = hidden;
    options.loss = LossKind::mse;
    options.epochs = 5;
    const Dataset data(dataset);
    options.optimizer = default_settings(OptimizerKind::adagrad, {.active_columns = active_columns(data),
                                                                  .num_rows = data.num_rows(),
                                                                  .dense_weights = hidden == "none" ? 0u : 8u,
                                                                  .batch_size = options.batch_size,
                                                                  .loss = LossKind::mse});
    return options;
  }
  static TargetUnits units_of(const std::string& model) {
    return ModelFile<float>(model).header().architecture.target_units;
  }
  static std::vector<float> predicted(const std::string& model, const std::string& dataset) {
    PredictOptions options;
    options.model = model;
    options.inputs = {dataset};
    std::vector<float> all;
    predict(options,
            [&](std::span<const float> values) { all.insert(all.end(), values.begin(), values.end()); });
    return all;
  }

  TempFolder folder_;
};

TEST_F(TrainUnits, GuessingIsTheDeviationOfTheRowsAtHand) {
  const std::string first = table("first", "1\t1\ta\n3\t1\tb\n1\t1\tc\n3\t1\td\n");
  const std::string tenfold = table("tenfold", "10\t1\ta\n30\t1\tb\n10\t1\tc\n30\t1\td\n");
  EXPECT_DOUBLE_EQ(train(regression(first, "first.model")).loss_of_guessing, 1);
  TrainOptions next = regression(tenfold, "next.model");
  next.from = file("first.model");
  EXPECT_DOUBLE_EQ(train(next).loss_of_guessing, 100);
}

TEST_F(TrainUnits, PricesAreLearntAtAnyScale) {
  struct Case {
    const char* name;
    double unit;
    double shift;
    double noise;  // including what floats round away
  };
  for (const Case& of : {Case{"dollars", 1, 0, 100},
                         {"millionths", 1e-6, 0, 100},
                         {"millions", 1e6, 0, 100},
                         {"shifted", 1, 1e6, 100},
                         {"negative", -1, 0, 100},
                         {"tiny", 1e-38, 0, 100},
                         {"huge", 1e33, 0, 100},
                         {"far", 1, 1e9, 103}}) {
    const auto label = [&](double price) { return of.shift + of.unit * price; };
    const std::string data = prices(std::string(of.name) + "-train", 12'000, 1, label);
    const std::string valid = prices(std::string(of.name) + "-valid", 3'000, 2, label);
    for (const char* hidden : {"none", "32"}) {
      TrainOptions options = regression(data, "m.model", hidden);
      // Few batches make an epoch, and hidden layers take small steps.
      const bool is_linear = options.hidden == "none";
      if (!is_linear) options.epochs = 20;
      const double above = is_linear ? 8 : 16;
      options.valid = {valid};
      const TrainReport report = train(options);
      const double unit = std::abs(of.unit);
      const MetricsReport metrics = evaluate(options.model, {valid});
      EXPECT_LT(*metrics.rmse / unit, of.noise + above) << of.name << " " << hidden;
      EXPECT_GT(*metrics.rmse / unit, 95) << of.name << " " << hidden;
      EXPECT_FALSE(metrics.is_worse_than_constant());
      EXPECT_EQ(*report.epochs.at(report.best_epoch - 1).valid->rmse, *metrics.rmse);
      // The loss is reported in the units of the label too.
      EXPECT_NEAR(std::sqrt(report.epochs.back().train_loss) / unit, 100, 2 * above)
          << of.name << " " << hidden;
      EXPECT_FALSE(evaluate(options.model, {data}).is_worse_than_constant());
    }
  }
}

TEST_F(TrainUnits, OneEpochIsBetterThanAConstant) {
  for (const char* hidden : {"none", "32"}) {
    TrainOptions options = regression(prices(std::string("train") + hidden, 12'000, 1), "m.model", hidden);
    options.epochs = 1;
    train(options);
    const MetricsReport metrics = evaluate(options.model, {prices(std::string("valid") + hidden, 3'000, 2)});
    EXPECT_LT(*metrics.rmse, 0.75 * *metrics.constant_rmse) << hidden;
  }
}

// Scaling by powers of two changes no bits, and sums of whole numbers are exact.
TEST_F(TrainUnits, AnotherUnitAndZeroOfTheLabelGiveTheSameWeights) {
  // One shard each: shards are cut by the length of their text, and rows are shuffled by shards.
  const std::string data = prices("train", 3'000, 1, as_it_is, 1 << 20);
  const std::string other = prices(
      "other", 3'000, 1, [](double price) { return 1024 * price + 4096; }, 1 << 20);
  for (const char* hidden : {"none", "4"}) {
    TrainOptions options = regression(data, "m.model", hidden);
    const TrainReport report = train(options);
    options.datasets = {other};
    options.model = file("other.model");
    const TrainReport other_report = train(options);
    const TargetUnits units = units_of(file("m.model"));
    const TargetUnits other_units = units_of(options.model);
    EXPECT_EQ(other_units.scale, 1024 * units.scale);
    EXPECT_NEAR(other_units.shift, 1024 * units.shift + 4096, 1e-9 * units.shift);
    EXPECT_EQ(other_report.epochs.back().train_loss, 1024.0 * 1024 * report.epochs.back().train_loss);
    const auto a = load_model<float>(file("m.model"));
    const auto b = load_model<float>(options.model);
    for (std::size_t t = 0; t < a.network.parameters().tensors().size(); ++t) {
      const auto x = a.network.parameters().tensors()[t].values;
      const auto y = b.network.parameters().tensors()[t].values;
      EXPECT_TRUE(std::equal(x.begin(), x.end(), y.begin(), y.end())) << hidden << ", tensor " << t;
    }
    const auto prices_of_a = predicted(file("m.model"), data);
    const auto prices_of_b = predicted(options.model, other);
    ASSERT_EQ(prices_of_a.size(), prices_of_b.size());
    for (std::size_t i = 0; i < prices_of_a.size(); ++i) {
      const double expected = 1024 * double{prices_of_a[i]} + 4096;
      EXPECT_NEAR(prices_of_b[i], expected, std::abs(expected) * 3e-7);
    }
  }
}

TEST_F(TrainUnits, AreMeanAndDeviationByWeights) {
  // Labels by weight: 10, 10, 16.
  const Dataset some(table("some", "10\t2\tx\n16\t1\ty\n1e30\t0\tz\n"));
  EXPECT_NEAR(target_units(some).shift, 12, 1e-12);
  EXPECT_NEAR(target_units(some).scale, std::sqrt(8), 1e-12);
  EXPECT_EQ(target_units(Dataset(table("equal", "0.1\t1\tx\n0.1\t3\ty\n"))), (TargetUnits{double{0.1f}, 1}));
  EXPECT_EQ(target_units(Dataset(table("one", "-7\t1\tx\n"))), (TargetUnits{-7, 1}));
  EXPECT_EQ(target_units(Dataset(table("weightless", "5\t0\tx\n7\t0\ty\n"))), TargetUnits{});
  const TargetUnits ends = target_units(Dataset(table("ends", "3.4e38\t1\tx\n-3.4e38\t1\ty\n")));
  EXPECT_NEAR(ends.shift / 3.4e38, 0, 1e-6);
  EXPECT_NEAR(ends.scale / 3.4e38, 1, 1e-6);
  const TargetUnits least = target_units(Dataset(table("least", "0\t1\tx\n1e-44\t1\ty\n")));
  EXPECT_GT(least.scale, 0);
  EXPECT_NEAR(least.scale / least.shift, 1, 1e-9);
}

// As in a table in the order of time: the first shard differs from the others.
TEST_F(TrainUnits, AreOfAllShards) {
  std::string text = "price\tshop\tkind\n";
  for (int i = 0; i < 3000; ++i) text += fmt::format("{}\tshop{}\tkind1\n", i < 1000 ? 0 : 3000, i % 7);
  const Dataset dataset(make_dataset(folder_, "sorted", price_schema, text, 2'000));
  ASSERT_GT(dataset.num_shards(), 4u);
  EXPECT_NEAR(target_units(dataset).shift, 2000, 1e-9);
  EXPECT_NEAR(target_units(dataset).scale, 1000 * std::sqrt(2), 1e-9);
}

TEST_F(TrainUnits, OnlyNumbersAndTheirSquaresHaveThem) {
  TrainOptions options =
      quick_training(make_dataset(folder_, "clicks", shop_schema, shop_text(100, 1)), file("m.model"));
  train(options);
  EXPECT_TRUE(units_of(options.model).are_plain());
  options.loss = LossKind::mse;
  train(options);
  EXPECT_FALSE(units_of(options.model).are_plain());
  const std::string classes =
      "label = { field = \"y\", classes = [\"0\", \"1\"] }\n" + std::string(shop_schema).substr(12);
  options.datasets = {make_dataset(folder_, "classes", classes, shop_text(100, 1))};
  train(options);
  EXPECT_TRUE(units_of(options.model).are_plain());
}

TEST_F(TrainUnits, EqualTargetsAreTheirConstant) {
  std::string rows;
  for (int i = 0; i < 100; ++i) rows += fmt::format("123456.7\t1\tv{}\n", i % 5);
  for (const char* hidden : {"none", "4"}) {
    TrainOptions options = regression(table(std::string("equal") + hidden, rows), "m.model", hidden);
    train(options);
    const MetricsReport metrics = evaluate(options.model, options.datasets);
    EXPECT_LT(*metrics.rmse, hidden == std::string("none") ? 1e-9 : 0.5) << hidden;
  }
}

TEST_F(TrainUnits, RowsWithoutWeightMoveNothing) {
  const TrainOptions with = regression(table("with", "5\t1\tx\n7e30\t0\ty\n9\t1\tz\n"), "a.model");
  train(with);
  const TrainOptions without = regression(table("without", "5\t1\tx\n9\t1\tz\n"), "b.model");
  train(without);
  EXPECT_EQ(units_of(with.model).shift, units_of(without.model).shift);
  EXPECT_EQ(units_of(with.model).scale, units_of(without.model).scale);
}

TEST_F(TrainUnits, AStopAndAModelToStartFromKeepThem) {
  TrainOptions options = regression(prices("train", 2'000, 1), "whole.model");
  options.checkpoint_every = 1;
  train(options);
  const std::string whole = read_text_file(options.model);
  options.model = file("m.model");
  std::uint64_t done = 0;
  struct Enough {};
  EXPECT_THROW(train(options,
                     [&](const Progress&) {
                       if (++done == 6) throw Enough();
                     }),
               Enough);
  options.resume = true;
  train(options);
  EXPECT_TRUE(read_text_file(options.model) == whole);

  // Rows with another mean and spread: the units stay, because the parameters depend on them.
  TrainOptions further =
      regression(prices("further", 2'000, 2, [](double price) { return 1.1 * price; }), "further.model");
  further.from = options.model;
  train(further);
  EXPECT_EQ(units_of(further.model), units_of(options.model));
  EXPECT_LT(*evaluate(further.model, further.datasets).rmse, 150);

  TrainOptions other = regression(further.datasets.front(), "m.model");
  other.resume = true;
  EXPECT_THROW(train(other), ConfigError);
}

TEST_F(TrainUnits, SeveralDevicesTrainTheModelOfOne) {
  TrainOptions options = regression(prices("train", 2'000, 1), "one.model", "4");
  options.valid = {prices("valid", 500, 2)};
  options.batch_size = 96;
  const TrainReport one = train(options);
  const auto expected = predicted(options.model, options.valid.front());
  options.model = file("several.model");
  for (const auto& [settings, devices] : {std::pair{ParallelSettings{ParallelMode::data}, 3},
                                          {ParallelSettings{ParallelMode::model}, 3},
                                          {ParallelSettings{ParallelMode::tower, Mix::gradients}, 2}}) {
    options.devices.assign(static_cast<std::size_t>(devices), Device{});
    options.parallel = settings;
    options.batch_size = settings.mode == ParallelMode::tower ? 48 : 96;
    const TrainReport report = train(options);
    EXPECT_NEAR(report.epochs.back().train_loss, one.epochs.back().train_loss, 1);
    EXPECT_NEAR(*report.epochs.back().valid->rmse, *one.epochs.back().valid->rmse, 0.05);
    const auto made = predicted(options.model, options.valid.front());
    for (std::size_t i = 0; i < made.size(); ++i)
      ASSERT_NEAR(made[i], expected[i], 0.5) << to_string(settings.mode);
  }
  // Towers whose predictions are averaged, each in the units of the targets.
  TrainOptions ensemble = regression(options.datasets.front(), "towers.model");
  ensemble.valid = options.valid;
  ensemble.batch_size = 48;
  ensemble.parallel = {ParallelMode::tower, Mix::predictions};
  ensemble.devices.assign(2, Device{});
  const TrainReport towers = train(ensemble);
  EXPECT_EQ(load_model<float>(ensemble.model).other_towers.size(), 1u);
  const MetricsReport& best = *towers.epochs.at(towers.best_epoch - 1).valid;
  EXPECT_LT(*best.rmse, 150);
  EXPECT_NEAR(*evaluate(ensemble.model, ensemble.valid).rmse, *best.rmse, 1e-3);
}

TEST_F(TrainUnits, EffectsAreInTheUnitsOfTheLabel) {
  const auto millions = [](double price) { return 1e6 * price; };
  const std::string text = price_text(6'000, 1, millions);
  write_text_file(file("in.tsv"), text);
  const std::string exact = "label = \"price\"\n[[feature]]\nfield = \"kind\"\ncardinality = 12\n";
  run_fit(exact, {file("in.tsv")}, file("tables"));
  TrainOptions options = regression(make_dataset(folder_, "data", exact, text, 20'000), "m.model");
  train(options);
  const auto effects = explain({options.model, file("tables"), 100, 1});
  ASSERT_EQ(effects.size(), 1u);
  ASSERT_EQ(effects[0].highest.size(), num_kinds);
  // Differences between the model's predictions for two kinds equal those between their effects.
  std::string rows = "price\tkind\n";
  for (const ValueEffect& value : effects[0].highest) rows += "0\t" + value.value + "\n";
  const auto said = predicted(options.model, make_dataset(folder_, "kinds", exact, rows));
  for (std::size_t i = 0; i < said.size(); ++i) {
    EXPECT_NEAR(said[i] - said[0], effects[0].highest[i].effect - effects[0].highest[0].effect, 1e3);
  }
  EXPECT_GT(*effects[0].spread, 50e6);
}

TEST_F(TrainUnits, TargetsThatAreNotFiniteAreRefusedByTheirRow) {
  EXPECT_THAT(complaint<DataError>([&] { table("bad", "5\t1\tx\ninf\t1\ty\n"); }), HasSubstr("inf"));
  // Finite, but too far away for a float in the units of all the others.
  std::string rows = "3e38\t1\ty\n";
  for (int i = 0; i < 200; ++i) rows += fmt::format("{}\t1\tx\n", i % 3);
  TrainOptions options = regression(table("outlier", rows), "m.model");
  train(options);
  EXPECT_TRUE(std::isfinite(*evaluate(options.model, options.datasets).rmse));
}

}  // namespace
}  // namespace widehash::test
