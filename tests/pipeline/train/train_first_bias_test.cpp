// The initial biases of outputs, and what they predict for rare classes.

#include "pipeline/training_kit.hpp"

#include <widehash/evaluate.hpp>
#include <widehash/predict.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace widehash::test {
namespace {

constexpr const char* rare_schema = R"(label = "y"
[[feature]]
field = "shop"
encoding = "one_hot"
buckets = 4000
[[feature]]
field = "other"
encoding = "one_hot"
buckets = 4000
)";

/// One row in 200 is 1, and two thirds of these belong to one shop in ten; `other` carries no information.
std::string rare_text(std::size_t rows, unsigned seed) {
  std::mt19937 random(seed);
  std::string text = "y\tshop\tother\n";
  for (std::size_t i = 0; i < rows; ++i) {
    const auto shop = random() % 100;
    const bool is_one = random() % 1000 < (shop < 10 ? 33 : 2);
    text += fmt::format("{}\tshop{}\to{}\n", is_one ? 1 : 0, shop, random() % 300);
  }
  return text;
}

class FirstBias : public TrainTest {
 protected:
  std::vector<double> predictions(const std::string& model, const std::string& dataset) const {
    std::vector<double> all;
    predict({model, {dataset}, ""},
            [&](std::span<const float> some) { all.insert(all.end(), some.begin(), some.end()); });
    return all;
  }
};

/// `share` moved by so many deviations towards even probabilities.
double moved(double share, double deviations, double even) {
  const double step = deviations * std::sqrt(share * (1 - share));
  return share < even ? std::min(share + step, even) : std::max(share - step, even);
}

TEST_F(FirstBias, IsByTheSharesOfTheWeights) {
  const std::string schema =
      "label = { field = \"y\", classes = [\"a\", \"b\", \"c\", \"never\"] }\nweight = \"w\"\n"
      "[[feature]]\nfield = \"x\"\ncardinality = 9\n";
  const std::vector<std::string> classes{"a", "b", "c"};
  std::mt19937 random(3);
  std::vector<double> weights(4);
  std::string text = "y\tw\tx\n";
  constexpr std::size_t num_rows = 3000;
  for (std::size_t i = 0; i < num_rows; ++i) {
    const std::size_t of_class = random() % 50 == 0 ? 2 : random() % 5 == 0 ? 1 : 0;
    const int weight = 1 + static_cast<int>(random() % 4);
    weights[of_class] += weight;
    text += fmt::format("{}\t{}\tx{}\n", classes[of_class], weight, random() % 9);
  }
  const Dataset dataset(make_dataset(folder_, "classes", schema, text));
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  const double row = sum / num_rows;
  Architecture architecture;
  architecture.num_columns = dataset.layout()->num_columns;
  architecture.outputs = 4;
  for (const LossKind loss : {LossKind::softmax, LossKind::logistic}) {
    for (const OptimizerKind kind : {OptimizerKind::adagrad, OptimizerKind::ftrl, OptimizerKind::adam}) {
      for (const bool hidden : {false, true}) {
        architecture.loss = loss;
        architecture.hidden.assign(hidden ? 1 : 0, 3);
        const std::vector<double> biases = first_output_bias(dataset, architecture, kind);
        ASSERT_EQ(biases.size(), 4U);
        for (std::size_t k = 0; k < 4; ++k) {
          const double even = loss == LossKind::softmax ? 0.25 : 0.5;
          const double start =
              moved((weights[k] + row) / (sum + 4 * row), kind == OptimizerKind::adagrad ? 1 : 0, even);
          const double expected =
              loss == LossKind::softmax ? std::log(start * 4) : std::log(start / (1 - start));
          EXPECT_NEAR(biases[k], expected, 1e-9) << k << to_string(loss) << to_string(kind) << hidden;
        }
      }
    }
  }
  architecture.loss = LossKind::mse;
  EXPECT_TRUE(first_output_bias(dataset, architecture, OptimizerKind::adam).empty());
}

TEST_F(FirstBias, ATrainingThatHardlyMovesPredictsTheShare) {
  const std::string text = rare_text(5000, 1);
  std::size_t ones = 0;
  for (std::size_t at = text.find("\n1\t"); at != std::string::npos; at = text.find("\n1\t", at + 1)) ++ones;
  const std::string dataset = make_dataset(folder_, "rare", rare_schema, text);
  const double smoothed = static_cast<double>(ones + 1) / 5002;
  for (const ParallelMode mode : {ParallelMode::data, ParallelMode::tower, ParallelMode::model}) {
    for (const std::size_t devices : {1, 3}) {
      for (const char* const hidden : {"none", "3"}) {
        TrainOptions options = quick_training(dataset, file("m"));
        options.optimizer = default_settings(OptimizerKind::sgd);
        options.optimizer.learning_rate = 1e-12;
        options.hidden = hidden;
        options.parallel.mode = mode;
        options.devices.assign(devices, Device{});
        train(options);
        const std::vector<double> found = predictions(options.model, dataset);
        // With a hidden layer, the initial weights shift the outputs a little.
        const double room = options.hidden == "none" ? 1e-5 : 0.5;
        for (const double probability : found)
          ASSERT_NEAR(probability / smoothed, 1, room) << to_string(mode) << devices << hidden;
      }
    }
  }
}

TEST_F(FirstBias, ARareClassIsLearntByEveryOptimizer) {
  const std::string dataset = make_dataset(folder_, "rare", rare_schema, rare_text(40'000, 1), 100'000);
  const std::string judged = make_dataset(folder_, "judged", rare_schema, rare_text(40'000, 2), 100'000);
  for (const OptimizerKind kind : {OptimizerKind::adagrad, OptimizerKind::ftrl, OptimizerKind::adam,
                                   OptimizerKind::rmsprop, OptimizerKind::sgd}) {
    TrainOptions options = quick_training(dataset, file("m"));
    options.batch_size = 512;
    options.epochs = 1;
    options.optimizer = default_settings(kind, {.active_columns = 2, .num_rows = 40'000});
    train(options);
    const MetricsReport metrics = evaluate(options.model, {judged});
    EXPECT_LT(*metrics.log_loss, *metrics.constant_log_loss) << to_string(kind);
    EXPECT_GT(*metrics.auc, 0.6) << to_string(kind);
  }
}

TEST_F(FirstBias, ATrainingThatGoesOnKeepsItsBiases) {
  const std::string dataset = make_dataset(folder_, "rare", rare_schema, rare_text(3000, 1));
  for (const OptimizerKind kind : {OptimizerKind::adagrad, OptimizerKind::ftrl, OptimizerKind::adam}) {
    TrainOptions options = quick_training(dataset, file("whole"));
    options.optimizer = default_settings(kind);
    options.decay_learning_rate = false;
    options.epochs = 3;
    train(options);
    options.model = file("parts");
    options.epochs = 1;
    train(options);
    options.epochs = 3;
    options.resume = true;
    options.overwrite = false;
    train(options);
    EXPECT_EQ(read_text_file(file("parts")), read_text_file(file("whole"))) << to_string(kind);
  }
}

TEST_F(FirstBias, OfAnArchitectureIsOneFiniteNumberForEachOutput) {
  Architecture architecture;
  architecture.num_columns = 3;
  architecture.first_output_bias = {-2.5};
  EXPECT_EQ(initialize<float>(architecture).first_bias, std::vector<float>{-2.5F});
  architecture.hidden = {2};
  EXPECT_EQ(initialize<double>(architecture).first_bias, std::vector<double>(2));
  EXPECT_EQ(initialize<double>(architecture).tail.back().bias, std::vector<double>{-2.5});
  for (const std::vector<double>& biases : {std::vector<double>{1, 2}, {NAN}}) {
    architecture.first_output_bias = biases;
    EXPECT_THROW(check_architecture(architecture), ConfigError);
  }
}

}  // namespace
}  // namespace widehash::test
