// Probabilities for unweighted rows, from models whose rows were weighted by class: compared with the formula
// in double, applied to what the same model predicts without it.
#include "pipeline/training_kit.hpp"
#include "predict/class_weights_note.hpp"

#include <widehash/evaluate.hpp>
#include <widehash/predict.hpp>
#include <widehash/predictor.hpp>

#include <random>
#include <string>
#include <vector>

namespace widehash::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const std::string features =
    "[[feature]]\nfield = \"a\"\ncardinality = 60\n[[feature]]\nfield = \"x\"\nencoding = \"numeric\"\n";
const std::string of_two = "label = \"y\"\n" + features;
const std::string of_three = "label = { field = \"y\", classes = [\"0\", \"1\", \"2\"] }\n" + features;

class UndoClassWeightsTest : public TrainTest {
 protected:
  /// Rows whose class depends on `a`; class 0 is the most frequent.
  std::string rows(unsigned num_classes, unsigned seed) {
    std::mt19937 random(seed);
    std::string text = "y\ta\tx\n";
    for (int i = 0; i < 4000; ++i) {
      const auto a = random() % 20;
      text += fmt::format("{}\t{}\t{}\n", random() % 30 < a ? random() % num_classes : 0, a,
                          static_cast<double>(random() % 32) / 32);
    }
    return text;
  }
  void trained(const std::string& toml, unsigned num_classes, const std::vector<double>& of_class,
               TrainOptions options) {
    make_dataset(folder_, "day", toml, rows(num_classes, 1));
    options.datasets = {file("day")};
    options.model = file("m");
    options.class_weights.of_class = of_class;
    train(options);
  }
  std::vector<float> predicted(bool undo) const {
    PredictOptions options{.model = file("m"), .inputs = {file("day")}, .tables_directory = ""};
    options.undo_class_weights = undo;
    std::vector<float> all;
    predict(options, [&](std::span<const float> some) { all.insert(all.end(), some.begin(), some.end()); });
    return all;
  }

  MetricsReport judged_undone() const {
    return evaluate({.model = file("m"), .inputs = {file("day")}, .undo_class_weights = true}).metrics;
  }

  static TrainOptions linear() { return quick_training("", ""); }
  static TrainOptions hidden() {
    TrainOptions options = quick_training("", "");
    options.hidden = "8";
    return options;
  }
};

TEST_F(UndoClassWeightsTest, AProbabilityOfTwoClassesIsDividedByTheirWeights) {
  for (const std::vector<double>& of_class : {std::vector<double>{1, 20}, {3, 0.25}}) {
    for (const TrainOptions& way : {linear(), hidden()}) {
      trained(of_two, 2, of_class, way);
      const std::vector<float> weighted = predicted(false);
      const std::vector<float> plain = predicted(true);
      ASSERT_EQ(plain.size(), 4000u);
      for (std::size_t row = 0; row < plain.size(); ++row) {
        const double p = double{weighted[row]} / of_class[1];
        const double others = (1 - double{weighted[row]}) / of_class[0];
        ASSERT_NEAR(plain[row], p / (p + others), 1e-5);
      }
      const Shard shard = Dataset(file("day")).open_shard(0, true);
      const auto end = plain.begin() + static_cast<std::ptrdiff_t>(shard.view().num_rows);
      EXPECT_EQ(Predictor(file("m"), {}, {}, true).predict(shard.view()),
                std::vector<float>(plain.begin(), end));
    }
  }
}

TEST_F(UndoClassWeightsTest, ThoseOfMoreClassesAddUpToOneAgain) {
  const std::vector<double> of_class = {0.5, 4, 9};
  for (const TrainOptions& way : {linear(), hidden()}) {
    trained(of_three, 3, of_class, way);
    const std::vector<float> weighted = predicted(false);
    const std::vector<float> plain = predicted(true);
    for (std::size_t row = 0; row < plain.size(); row += 3) {
      double sum = 0;
      for (std::size_t k = 0; k < 3; ++k) sum += double{weighted[row + k]} / of_class[k];
      for (std::size_t k = 0; k < 3; ++k)
        ASSERT_NEAR(plain[row + k], double{weighted[row + k]} / of_class[k] / sum, 1e-5);
    }
  }
}

TEST_F(UndoClassWeightsTest, EachTowerOfSeveralIsTurnedBack) {
  TrainOptions towers = linear();
  towers.devices = {Device{}, Device{}};
  towers.parallel.mode = ParallelMode::tower;
  towers.parallel.mix = Mix::predictions;
  trained(of_two, 2, {1, 20}, towers);
  // The mean of both towers has no closed formula, but it has to match the mean label of the rows.
  EXPECT_GT(*evaluate(file("m"), {file("day")}).calibration_ratio, 2);
  EXPECT_NEAR(*judged_undone().calibration_ratio, 1, 0.1);
}

TEST_F(UndoClassWeightsTest, AModelIsJudgedByThem) {
  trained(of_two, 2, {1, 20}, linear());
  const MetricsReport weighted = evaluate(file("m"), {file("day")});
  const MetricsReport plain = judged_undone();
  EXPECT_GT(*weighted.calibration_ratio, 2);
  EXPECT_NEAR(*plain.calibration_ratio, 1, 0.1);
  EXPECT_LT(*plain.log_loss, *weighted.log_loss);
  EXPECT_NEAR(*plain.auc, *weighted.auc, 1e-3);
}

TEST_F(UndoClassWeightsTest, OfOthersNothingChanges) {
  trained(of_two, 2, {}, linear());
  EXPECT_EQ(predicted(true), predicted(false));
  trained(of_two, 2, {3, 3}, linear());
  EXPECT_EQ(predicted(true), predicted(false));
}

TEST_F(UndoClassWeightsTest, WeightsThatCannotBeUndoneAreReported) {
  trained(of_three, 3, {1, 0, 2}, linear());
  EXPECT_THAT(
      complaint<ConfigError>([&] { predicted(true); }),
      AllOf(HasSubstr(file("m")), HasSubstr("class 2 of 3 had weight 0"), HasSubstr("--undo-class-weights")));
  TrainOptions mse = linear();
  mse.loss = LossKind::mse;
  trained(of_three, 3, {1, 1, 2}, mse);
  EXPECT_THAT(complaint<ConfigError>([&] { predicted(true); }),
              AllOf(HasSubstr("3 of mse"), HasSubstr("cannot be undone")));
}

TEST(ClassWeightsNote, NotesOfOthersHaveNone) {
  EXPECT_EQ(class_weights_in(R"({"settings":{"class_weights":[1,3]}})"), (std::vector<double>{1, 3}));
  for (const char* notes :
       {"", "{}", "[]", "7", "no JSON", R"({"settings":[1]})", R"({"settings":7})", R"({"settings":{}})",
        R"({"settings":{"class_weights":{"a":1}}})", R"({"settings":{"class_weights":["1","3"]}})",
        R"({"settings":{"class_weights":[2,2]}})"}) {
    EXPECT_TRUE(class_weights_in(notes).empty()) << notes;
  }
}

}  // namespace
}  // namespace widehash::test
