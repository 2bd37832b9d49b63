// Training on counts and rates, --loss poisson.

#include "pipeline/training_kit.hpp"

#include <widehash/evaluate.hpp>
#include <widehash/train_choices.hpp>

#include <array>
#include <cmath>

namespace widehash::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const std::string claims_schema = R"(label = "claims"
weight = "years"
[[feature]]
field = "region"
cardinality = 1000
[[feature]]
field = "car"
encoding = "one_hot"
buckets = 400
)";

double uniform(std::mt19937& random) { return (static_cast<double>(random()) + 0.5) / 4294967296.0; }

/// A Poisson count: the number of uniform factors before their product
/// falls below e^-mean. Large means are drawn in parts.
double drawn_count(std::mt19937& random, double mean) {
  double count = 0;
  for (double left = mean; left > 0; left -= 20) {
    const double end = std::exp(-std::min(left, 20.0));
    for (double product = uniform(random); product > end; product *= uniform(random)) ++count;
  }
  return count;
}

/// Claims per year for regions and cars with known rates around `rate`, and the years over which each was counted.
struct Claims {
  std::string text = "claims\tyears\tregion\tcar\n";
  double deviance = 0;  // of the rates that the claims were drawn from

  Claims(std::size_t num_rows, unsigned seed, double rate) {
    std::mt19937 taste(1);  // the same for every table
    std::array<double, 30> regions{};
    std::array<double, 9> cars{};
    for (double& region : regions) region = 1.6 * uniform(taste) - 0.8;
    for (double& car : cars) car = 1.2 * uniform(taste) - 0.6;
    std::mt19937 random(seed);
    double all_years = 0;
    for (std::size_t row = 0; row < num_rows; ++row) {
      const std::size_t region = random() % regions.size();
      const std::size_t car = random() % cars.size();
      const double years = 0.25 * static_cast<double>(1 + random() % 8);
      const double expected = rate * std::exp(regions[region] + cars[car]);
      const double claims = drawn_count(random, expected * years) / years;
      text += fmt::format("{}\t{}\tregion{}\tcar{}\n", claims, years, region, car);
      deviance += 2 * years * ((claims > 0 ? claims * std::log(claims / expected) : 0) - (claims - expected));
      all_years += years;
    }
    deviance /= all_years;
  }
};

class TrainCounts : public testing::Test {
 protected:
  std::string claims(const std::string& name, const Claims& claims) {
    return make_dataset(folder_, name, claims_schema, claims.text, 1 << 16);
  }
  TrainOptions counting(const std::string& dataset, OptimizerKind optimizer = OptimizerKind::adagrad,
                        const std::string& hidden = "none") const {
    TrainOptions options;
    options.datasets = {dataset};
    options.model = folder_.file("m.model");
    options.overwrite = true;
    options.hidden = hidden;
    options.loss = LossKind::poisson;
    options.epochs = 10;
    TrainChoices choices;
    choices.optimizer = optimizer;
    return with_defaults(options, choices);
  }

  TempFolder folder_;
};

TEST_F(TrainCounts, RatesAreFoundAtAnyScaleByEveryOptimizer) {
  for (const double rate : {0.05, 2.0, 400.0}) {
    const Claims known(12'000, 1, rate);
    const Claims judging(6'000, 2, rate);
    const std::string rows = claims(fmt::format("train{}", rate), known);
    const std::string valid = claims(fmt::format("valid{}", rate), judging);
    for (const OptimizerKind optimizer : {OptimizerKind::adagrad, OptimizerKind::ftrl, OptimizerKind::adam,
                                          OptimizerKind::rmsprop, OptimizerKind::sgd}) {
      for (const char* hidden : {"none", "8"}) {
        // Hidden layers take many epochs, because their first gradients are small.
        if (optimizer == OptimizerKind::sgd && std::string(hidden) != "none") continue;
        const std::string what = fmt::format("{} {} {}", rate, to_string(optimizer), hidden);
        TrainOptions options = counting(rows, optimizer, hidden);
        const TrainReport report = train(options);
        const MetricsReport metrics = evaluate(options.model, {valid});
        const double constant = metrics.constant_poisson_deviance.value();
        // Most of the way from a constant prediction to the true rates.
        EXPECT_LT(*metrics.poisson_deviance, judging.deviance + 0.25 * (constant - judging.deviance)) << what;
        // With about a thousand claims to learn from and as many to judge by, each sum is about 3 % off its mean.
        EXPECT_NEAR(*metrics.calibration_ratio, 1, rate < 1 ? 0.2 : 0.1) << what;
        EXPECT_LT(report.epochs.back().train_loss, report.loss_of_guessing) << what;
      }
    }
  }
}

TEST_F(TrainCounts, TheLossIsTheDeviance) {
  const Claims known(5'000, 3, 1.5);
  const std::string rows = claims("rows", known);
  TrainOptions options = counting(rows);
  options.valid = {rows};
  options.epochs = 30;
  const TrainReport report = train(options);
  const MetricsReport metrics = evaluate(options.model, {rows});
  EXPECT_NEAR(report.loss_of_guessing, *metrics.constant_poisson_deviance, 1e-9);
  EXPECT_NEAR(report.epochs.back().train_loss, *metrics.poisson_deviance, 0.02 * *metrics.poisson_deviance);
  EXPECT_EQ(report.best_valid_loss, *metrics.poisson_deviance) << "what early stopping watches";
}

TEST_F(TrainCounts, RowsOfOneRateAreThatRate) {
  const std::string schema = "label = \"y\"\n[[feature]]\nfield = \"a\"\ncardinality = 10\n";
  for (const char* rate : {"0", "3", "1e-6", "1e9"}) {
    std::string text = "y\ta\n";
    for (int row = 0; row < 200; ++row) text += fmt::format("{}\tv{}\n", rate, row % 7);
    const std::string rows = make_dataset(folder_, std::string("of ") + rate, schema, text, 1 << 20);
    TrainOptions options = counting(rows);
    train(options);
    const double found = *evaluate(options.model, {rows}).mean_prediction;
    const double wanted = std::stod(rate);
    EXPECT_NEAR(found, wanted, std::max(0.01, 0.01 * wanted)) << rate;
    EXPECT_GE(found, 0);
  }
}

TEST_F(TrainCounts, AreTrainedTogetherByDevices) {
  const std::string rows = claims("rows", Claims(4'000, 4, 0.8));
  TrainOptions options = counting(rows);
  train(options);
  const double alone = *evaluate(options.model, {rows}).poisson_deviance;
  for (const ParallelMode mode : {ParallelMode::data, ParallelMode::tower, ParallelMode::model}) {
    TrainOptions shared = counting(rows);
    shared.devices.assign(2, Device{});
    shared.parallel.mode = mode;
    train(shared);
    EXPECT_NEAR(*evaluate(shared.model, {rows}).poisson_deviance, alone, 0.02 * alone);
  }
}

TEST_F(TrainCounts, OtherLabelsAreRefused) {
  const std::string below = claims("below", [] {
    Claims claims(10, 1, 1);
    claims.text += "-1\t1\tregion1\tcar1\n";
    return claims;
  }());
  EXPECT_THAT(complaint<DataError>([&] { train(counting(below)); }),
              AllOf(HasSubstr("target -1"), HasSubstr("counts and rates")));
  const std::string classes =
      make_dataset(folder_, "classes",
                   "label = {field = \"y\", classes = [\"a\", \"b\", \"c\"]}\n[[feature]]\nfield = \"x\"\n"
                   "cardinality = 10\n",
                   "y\tx\na\t1\nb\t2\nc\t3\n", 1 << 20);
  EXPECT_THAT(complaint<ConfigError>([&] { train(counting(classes)); }),
              AllOf(HasSubstr("poisson"), HasSubstr("classes")));
  TrainOptions weighed = counting(claims("rows", Claims(10, 1, 1)));
  weighed.class_weights = {.of_class = {1, 2}};
  EXPECT_THAT(complaint<ConfigError>([&] { train(weighed); }),
              HasSubstr("poisson takes this one as a number"));
}

}  // namespace
}  // namespace widehash::test
