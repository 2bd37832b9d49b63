// Two models judged by the same rows: the metrics of each are those it has alone, and the difference is the
// difference of the losses of the rows.
#include "judging_kit.hpp"

#include <widehash/predictor.hpp>

#include <cmath>
#include <vector>

namespace widehash::test {
namespace {

using testing::HasSubstr;

class EvaluateAgainst : public JudgingTest {
 protected:
  static constexpr const char* number = "label = \"y\"\n";
  static constexpr const char* weighted = "label = \"y\"\nweight = \"w\"\n";

  /// Trains a model for `epochs` epochs.
  void train_model(const std::string& name, const std::string& toml, LossKind loss, std::uint64_t epochs) {
    const std::string dataset = make_dataset(folder_, name + " rows", toml, rows(2000, 1));
    TrainOptions options = quick_training(dataset, file(name));
    options.loss = loss;
    options.epochs = epochs;
    train(options);
  }

  EvaluateReport compared(const std::vector<std::string>& inputs) const {
    return evaluate({.model = file("m"), .inputs = inputs, .against = file("n")});
  }

  /// The difference of two models' losses, computed from the losses row by row.
  static LossDifference pairs(const std::vector<double>& first, const std::vector<double>& second,
                              const std::vector<double>& weights) {
    double weight = 0;
    double sum = 0;
    double count = 0;
    for (std::size_t i = 0; i < first.size(); ++i) {
      weight += weights[i];
      sum += weights[i] * (first[i] - second[i]);
      if (weights[i] > 0) ++count;
    }
    double squares = 0;
    for (std::size_t i = 0; i < first.size(); ++i)
      squares += std::pow(weights[i] * (first[i] - second[i] - sum / weight), 2);
    return {sum / weight, std::sqrt(count / (count - 1) * squares) / weight};
  }

  void expect_figures_of_each_alone(const EvaluateReport& found, const std::vector<std::string>& inputs) {
    expect_same(found.metrics, evaluate(file("m"), inputs));
    ASSERT_TRUE(found.against);
    expect_same(found.against->metrics, evaluate(file("n"), inputs));
  }

  std::vector<double> predicted(const std::string& model, const std::string& input) const {
    std::vector<double> all;
    PredictOptions options;
    options.model = file(model);
    options.inputs = {input};
    predict(options, [&](std::span<const float> some) { all.insert(all.end(), some.begin(), some.end()); });
    return all;
  }
};

/// The numbers in a column, y or w, of rows().
std::vector<double> column(const std::string& text, std::size_t field) {
  std::istringstream lines(text);
  std::string line;
  std::getline(lines, line);
  std::vector<double> values;
  while (std::getline(lines, line)) {
    std::istringstream cells(line);
    std::string cell;
    for (std::size_t i = 0; i <= field; ++i) std::getline(cells, cell, '\t');
    values.push_back(std::stod(cell));
  }
  return values;
}

TEST_F(EvaluateAgainst, TheDifferenceIsThatOfTheLossesOfRows) {
  const std::string text = rows(700, 9);
  const std::string input = write("valid.tsv", text);
  train_model("m", weighted + judged_features, LossKind::logistic, 3);
  // With fewer features, so that text is encoded separately for each model.
  train_model("n", std::string(weighted) + "[[feature]]\nfield = \"a\"\ncardinality = 9\n",
              LossKind::logistic, 1);
  const EvaluateReport found = compared({input});
  expect_figures_of_each_alone(found, {input});
  const std::vector<double> targets = column(text, 0);
  const auto losses = [&](const std::string& model) {
    std::vector<double> all = predicted(model, input);
    for (std::size_t i = 0; i < all.size(); ++i)
      all[i] = -std::log(std::clamp(targets[i] == 1 ? all[i] : 1 - all[i], 1e-7, 1 - 1e-7));
    return all;
  };
  const LossDifference expected = pairs(losses("m"), losses("n"), column(text, 1));
  EXPECT_NEAR(found.against->difference, expected.difference, 1e-9);
  EXPECT_NEAR(found.against->difference, *found.metrics.log_loss - *found.against->metrics.log_loss, 1e-9);
  EXPECT_NEAR(*found.against->standard_error, *expected.standard_error, 1e-9);
  EXPECT_LT(*found.against->standard_error, *found.metrics.loss_standard_error) << "pairs tell more";
}

TEST_F(EvaluateAgainst, OfNumbersItIsThatOfTheRmse) {
  const std::string input = write("valid.tsv", rows(700, 9));
  for (const LossKind loss : {LossKind::mse, LossKind::poisson}) {
    train_model("m", number + judged_features, loss, 3);
    train_model("n", number + judged_features, loss, 1);
    const EvaluateReport found = compared({input});
    expect_figures_of_each_alone(found, {input});
    const JudgedBy figure = judged_by(found.metrics);
    EXPECT_NEAR(found.against->difference,
                *(found.metrics.*figure.value) - *(found.against->metrics.*figure.value), 1e-9);
    EXPECT_GT(*found.against->standard_error, 0);
    std::filesystem::remove(file("m"));
    std::filesystem::remove(file("n"));
    std::filesystem::remove_all(file("m rows"));
    std::filesystem::remove_all(file("n rows"));
  }
}

TEST_F(EvaluateAgainst, ADatasetIsThatOfItsText) {
  const std::string toml = weighted + judged_features;
  train_model("m", toml, LossKind::logistic, 3);
  train_model("n", toml, LossKind::logistic, 1);
  const std::string text = rows(900, 5);
  const EvaluateReport of_text = compared({write("valid.tsv", text)});
  const EvaluateReport of_dataset = compared({make_dataset(folder_, "valid", toml, text)});
  expect_same(of_dataset.metrics, of_text.metrics);
  expect_same(of_dataset.against->metrics, of_text.against->metrics);
  EXPECT_EQ(of_dataset.against->difference, of_text.against->difference);
  EXPECT_EQ(of_dataset.against->standard_error, of_text.against->standard_error);
  // A model compared with itself.
  const EvaluateReport same = evaluate({.model = file("m"), .inputs = {file("valid")}, .against = file("m")});
  EXPECT_EQ(same.against->difference, 0);
  EXPECT_EQ(same.against->standard_error, 0);
}

TEST_F(EvaluateAgainst, WhatCannotBeComparedIsRefused) {
  const std::string input = write("valid.tsv", rows(100, 9));
  train_model("m", number + judged_features, LossKind::logistic, 1);
  const auto refusal = [&](const std::vector<std::string>& inputs, std::uint64_t max_bad_rows = 0) {
    try {
      evaluate({.model = file("m"), .inputs = inputs, .max_bad_rows = max_bad_rows, .against = file("n")});
    } catch (const ConfigError& error) {
      return std::string(error.what());
    }
    return std::string("not refused");
  };
  EXPECT_THAT(refusal({"-"}), HasSubstr("standard input cannot be read twice"));
  train_model("n", number + judged_features, LossKind::mse, 1);
  EXPECT_THAT(refusal({input}), HasSubstr("do not predict the same kind of thing (losses logistic and mse"));
  std::filesystem::remove(file("n"));
  std::filesystem::remove_all(file("n rows"));
  train_model("n", weighted + judged_features, LossKind::logistic, 1);
  EXPECT_THAT(refusal({input}), HasSubstr("were not evaluated on the same rows"));
}

}  // namespace
}  // namespace widehash::test
