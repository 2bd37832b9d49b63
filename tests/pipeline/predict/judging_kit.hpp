#pragma once

/// \file
/// Models judged by text.

#include "pipeline/training_kit.hpp"

#include <widehash/evaluate.hpp>

#include <random>
#include <string>
#include <vector>

namespace widehash::test {

inline const std::string judged_features =
    "[[feature]]\nfield = \"a\"\ncardinality = 60\n[[feature]]\nfield = \"tags\"\nseparator = \",\"\n"
    "cardinality = 9\n[[feature]]\nfield = \"x\"\nencoding = \"numeric\"\n";

class JudgingTest : public TrainTest {
 protected:
  static std::string rows(std::size_t count, unsigned seed) {
    std::mt19937 random(seed);
    std::string text = "y\tw\ta\ttags\tx\n";
    for (std::size_t i = 0; i < count; ++i) {
      const auto a = random() % 40;
      text += fmt::format("{}\t{}\t{}\tt{},t{}\t{}\n", random() % 60 < a ? random() % 2 : 0, random() % 4, a,
                          random() % 5, random() % 9, static_cast<double>(random() % 64) / 64);
    }
    return text;
  }
  std::string write(const std::string& name, const std::string& text) {
    write_text_file(file(name), text);
    return file(name);
  }
  void train_by(const std::string& toml, std::optional<LossKind> loss = std::nullopt) {
    TrainOptions options = quick_training(make_dataset(folder_, "train", toml, rows(2000, 1)), file("m"));
    options.loss = loss;
    train(options);
    std::filesystem::remove_all(file("train"));
  }
  EvaluateReport judged(const std::vector<std::string>& inputs, std::uint64_t max_bad_rows = 0) const {
    return evaluate({.model = file("m"), .inputs = inputs, .max_bad_rows = max_bad_rows});
  }

  static void expect_same(const MetricsReport& a, const MetricsReport& b) {
    EXPECT_EQ(a.rows, b.rows);
    EXPECT_EQ(a.weight, b.weight);
    EXPECT_EQ(a.mean_prediction, b.mean_prediction);
    EXPECT_EQ(a.mean_target, b.mean_target);
    EXPECT_EQ(a.log_loss, b.log_loss);
    EXPECT_EQ(a.auc, b.auc);
    EXPECT_EQ(a.average_precision, b.average_precision);
    EXPECT_EQ(a.accuracy, b.accuracy);
    EXPECT_EQ(a.rmse, b.rmse);
    EXPECT_EQ(a.constant_log_loss, b.constant_log_loss);
    EXPECT_EQ(a.constant_rmse, b.constant_rmse);
    EXPECT_EQ(a.mae, b.mae);
    EXPECT_EQ(a.r2, b.r2);
    EXPECT_EQ(a.poisson_deviance, b.poisson_deviance);
    EXPECT_EQ(a.calibration_ratio, b.calibration_ratio);
    EXPECT_EQ(a.loss_standard_error, b.loss_standard_error);
    EXPECT_EQ(a.auc_standard_error, b.auc_standard_error);
    EXPECT_EQ(a.bias_standard_error, b.bias_standard_error);
    EXPECT_EQ(a.points.size(), b.points.size());
    EXPECT_EQ(a.confusion, b.confusion);
    ASSERT_EQ(a.classes.size(), b.classes.size());
    for (std::size_t k = 0; k < a.classes.size(); ++k) {
      EXPECT_EQ(a.classes[k].name, b.classes[k].name);
      EXPECT_EQ(a.classes[k].f1(), b.classes[k].f1());
    }
  }
};

}  // namespace widehash::test
