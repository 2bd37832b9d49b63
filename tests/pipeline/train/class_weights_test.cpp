// Compares --class-weights with rows that have the same weights in a field.
#include "network/optimizer_kinds.hpp"
#include "pipeline/training_kit.hpp"

#include <widehash/class_weights.hpp>
#include <widehash/model.hpp>
#include <widehash/train_choices.hpp>
#include <widehash/trained_class_weights.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace widehash::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

const std::string codes_only =
    "[[feature]]\nfield = \"a\"\ncardinality = 60\n[[feature]]\nfield = \"b\"\ncardinality = 9\n";
const std::string all_kinds = codes_only +
                              "[[feature]]\nfield = \"c\"\nseparator = \",\"\ncardinality = 9\n"
                              "[[feature]]\nfield = \"x\"\nencoding = \"numeric\"\n";
const std::string two = "label = \"y\"\n";
const std::string three = "label = { field = \"y\", classes = [\"0\", \"1\", \"2\"] }\n";

const ClassWeights balanced = parse_class_weights("balanced");

/// One table with both kinds of weight: `w` is the row's own weight, `all` is `w` times the weight of its class.
class ClassWeightsTest : public TrainTest {
 protected:
  std::string text(std::size_t rows, unsigned seed, const std::vector<double>& of_class,
                   unsigned most_own = 1) {
    std::mt19937 random(seed);
    std::string lines = "y\tw\tall\ta\tb\tc\tx\n";
    for (std::size_t i = 0; i < rows; ++i) {
      const auto a = random() % 50;
      const std::size_t y = random() % 9 < a % 4 ? random() % of_class.size() : 0;
      const auto own = 1 + random() % most_own;
      lines +=
          fmt::format("{}\t{}\t{}\t{}\t{}\t{},{}\t{}\n", y, own, static_cast<double>(own) * of_class[y], a,
                      random() % 7, random() % 5, random() % 5, static_cast<double>(random() % 64) / 64);
    }
    return lines;
  }
  /// Makes a dataset whose weights are in the field `weight`, or that has none.
  std::string made(const std::string& name, const std::string& toml, const std::string& weight,
                   const std::string& table) {
    return make_dataset(folder_, name,
                        weight.empty() ? toml : fmt::format("weight = \"{}\"\n{}", weight, toml), table);
  }
  TrainReport trained(const std::string& name, TrainOptions options, const ClassWeights& weights,
                      const std::string& model) {
    options.datasets = {file(name)};
    options.valid = {file(name + "-valid")};
    options.class_weights = weights;
    options.model = file(model);
    return train(options);
  }
};

TEST_F(ClassWeightsTest, AreTheWeightsOfRowsWhateverTheNetworkAndWhoTrainsIt) {
  const std::vector<std::pair<std::string, std::vector<double>>> labels = {{two, {0.5, 7.5}},
                                                                           {three, {1, 0, 2.5}}};
  for (const auto& [label, of_class] : labels) {
    for (const std::string& features : {codes_only, all_kinds}) {
      for (const std::string own : {"w", ""}) {
        // Where rows have no weight of their own, the classes alone decide.
        const unsigned most_own = own.empty() ? 1 : 3;
        const std::string table = text(900, 1, of_class, most_own);
        const std::string judged = text(300, 2, of_class, most_own);
        for (const auto& [name, weight] :
             {std::pair<std::string, std::string>("plain", own), {"weighed", "all"}}) {
          made(name, label + features, weight, table);
          made(name + "-valid", label + features, weight, judged);
        }
        TrainOptions options = quick_training("", "");
        std::vector<TrainOptions> ways(5, options);
        ways[1].hidden = "6";
        ways[1].optimizer = default_settings(OptimizerKind::adam);
        ways[2].optimizer = default_settings(OptimizerKind::ftrl);
        ways[2].devices = {Device{}, Device{}, Device{}};
        ways[3] = ways[2];
        ways[3].parallel.mode = ParallelMode::model;
        ways[4].devices = {Device{}, Device{}};
        ways[4].parallel.mode = ParallelMode::tower;
        for (const TrainOptions& way : ways) {
          const TrainReport ours = trained("plain", way, {.of_class = of_class}, "ours");
          const TrainReport theirs = trained("weighed", way, {}, "theirs");
          EXPECT_EQ(ours.class_weights, of_class);
          EXPECT_TRUE(theirs.class_weights.empty());
          for (std::size_t epoch = 0; epoch < ours.epochs.size(); ++epoch) {
            EXPECT_EQ(ours.epochs[epoch].train_loss, theirs.epochs[epoch].train_loss);
            EXPECT_EQ(ours.epochs[epoch].valid->log_loss, theirs.epochs[epoch].valid->log_loss);
            EXPECT_EQ(ours.epochs[epoch].valid->auc, theirs.epochs[epoch].valid->auc);
            EXPECT_EQ(ours.epochs[epoch].valid->constant_log_loss,
                      theirs.epochs[epoch].valid->constant_log_loss);
          }
          const auto a = load_model<float>(file("ours")).network.parameters();
          const auto b = load_model<float>(file("theirs")).network.parameters();
          EXPECT_EQ(a.first_weights, b.first_weights);
          EXPECT_EQ(a.first_bias, b.first_bias);
          EXPECT_EQ(trained_class_weights(file("ours")), of_class);
          EXPECT_TRUE(trained_class_weights(file("theirs")).empty());
        }
        std::filesystem::remove_all(file("plain"));
        std::filesystem::remove_all(file("plain-valid"));
        std::filesystem::remove_all(file("weighed"));
        std::filesystem::remove_all(file("weighed-valid"));
      }
    }
  }
}

TEST_F(ClassWeightsTest, BalancedOnesGiveEachClassTheSame) {
  std::string table = "y\tw\ta\n";
  for (int i = 0; i < 300; ++i) table += fmt::format("{}\t{}\tv\n", i % 10 == 0 ? 1 : 0, i % 10 == 0 ? 2 : 1);
  const std::string a = "[[feature]]\nfield = \"a\"\ncardinality = 5\n";
  make_dataset(folder_, "plain", two + a, table);
  make_dataset(folder_, "weighed", "weight = \"w\"\n" + two + a, table);
  make_dataset(folder_, "classes", three + a, table);
  EXPECT_THAT(balanced_class_weights(Dataset(file("plain"))),
              ElementsAre(300 / (2 * 270.0), 300 / (2 * 30.0)));
  EXPECT_THAT(balanced_class_weights(Dataset(file("weighed"))),
              ElementsAre(330 / (2 * 270.0), 330 / (2 * 60.0)));
  // A class without rows has no influence.
  EXPECT_THAT(balanced_class_weights(Dataset(file("classes"))),
              ElementsAre(300 / (2 * 270.0), 300 / (2 * 30.0), 1));
  make_dataset(folder_, "plain-valid", two + a, table);
  const TrainReport report = trained("plain", quick_training("", ""), balanced, "m");
  EXPECT_THAT(report.class_weights, ElementsAre(300 / 540.0, 5));
  // No feature distinguishes the classes, and both count the same.
  EXPECT_NEAR(*report.epochs.back().valid->constant_log_loss, std::log(2.0), 1e-6);
  EXPECT_NEAR(*report.epochs.back().valid->calibration_ratio, 1, 0.01);
}

TEST_F(ClassWeightsTest, AProbabilityIsAShareOfBothClasses) {
  const std::vector<double> of_class = {2, 10, 4};
  EXPECT_EQ(class_weight(of_class, 0), 2);
  EXPECT_EQ(class_weight(of_class, 2), 4);
  EXPECT_DOUBLE_EQ(class_weight(of_class, 0.25), 4);
  EXPECT_DOUBLE_EQ(class_weight(of_class, 1.5), 7);
  for (const double none : {-1.0, 2.5, 1e30, std::nan(""), HUGE_VAL})
    EXPECT_EQ(class_weight(of_class, none), 1);
}

TEST_F(ClassWeightsTest, AreAmongTheSettingsThatAResumedTrainingKeeps) {
  made("plain", two + codes_only, "", text(900, 1, {1, 1}));
  made("plain-valid", two + codes_only, "", text(300, 2, {1, 1}));
  TrainOptions options = quick_training("", "");
  options.decay_learning_rate = false;
  options.epochs = 3;
  trained("plain", options, balanced, "m");
  const std::string whole = read_text_file(file("m"));
  options.epochs = 1;
  trained("plain", options, balanced, "m");
  options.epochs = 3;
  options.resume = true;
  options.overwrite = false;
  for (const ClassWeights& others : {ClassWeights{}, ClassWeights{.of_class = {1, 2}}}) {
    EXPECT_THAT(complaint<ConfigError>([&] { trained("plain", options, others, "m"); }),
                HasSubstr(others.are_even() ? " before, none now" : " before, 1,2 now"));
  }
  trained("plain", options, balanced, "m");
  EXPECT_TRUE(read_text_file(file("m")) == whole);
}

TEST_F(ClassWeightsTest, AreThoseOfBeforeUnlessGiven) {
  made("plain", two + codes_only, "", text(900, 1, {1, 1}));
  made("plain-valid", two + codes_only, "", text(300, 2, {1, 1}));
  trained("plain", quick_training("", ""), {.of_class = {1, 8}}, "first");
  TrainOptions next = quick_training(file("plain"), file("next"));
  next.from = file("first");
  EXPECT_THAT(with_defaults(next, {}).class_weights.of_class, ElementsAre(1, 8));
  next.class_weights.of_class = {1, 1};
  EXPECT_THAT(with_defaults(next, {}).class_weights.of_class, ElementsAre(1, 1));
  train(with_defaults(next, {}));
  EXPECT_TRUE(trained_class_weights(file("next")).empty()) << "even ones change no probability";
  TrainOptions resumed = quick_training(file("plain"), file("first"));
  resumed.resume = true;
  EXPECT_THAT(with_defaults(resumed, {}).class_weights.of_class, ElementsAre(1, 8));
}

TEST_F(ClassWeightsTest, EvenOnesAreResumedAsTheyWere) {
  made("plain", "label = \"y\"\n[[feature]]\nfield = \"a\"\ncardinality = 50\n", "", text(400, 1, {1, 1}));
  TrainOptions options = quick_training(file("plain"), file("m"));
  options.valid = {file("plain")};
  options.decay_learning_rate = false;
  options.class_weights.of_class = {2, 2};
  train(options);
  options.class_weights = {};
  options.overwrite = false;
  options.resume = true;
  options.epochs += 1;
  options = with_defaults(options, {});
  EXPECT_THAT(options.class_weights.of_class, ElementsAre(2, 2));
  EXPECT_EQ(train(options).epochs.size(), 1u);
}

TEST_F(ClassWeightsTest, NotesOfOtherTypesAreRefusedByTheirFile) {
  made("plain", two + codes_only, "", text(300, 1, {1, 1}));
  made("plain-valid", two + codes_only, "", text(100, 2, {1, 1}));
  trained("plain", quick_training("", ""), {.of_class = {1, 8}}, "m");
  const Model<float> model = load_model<float>(file("m"));
  for (const char* weights : {"\"x\"", "[\"a\", 1]", "7", "{}"}) {
    Model<float> altered = model;
    const std::string good = "\"class_weights\":[1.0,8.0]";
    const std::size_t at = altered.training.find(good);
    ASSERT_NE(at, std::string::npos) << altered.training;
    altered.training.replace(at, good.size(), fmt::format("\"class_weights\":{}", weights));
    save_model(file("m"), altered);
    TrainOptions options = quick_training("", "");
    options.resume = true;
    options.overwrite = false;
    EXPECT_THAT(complaint<DataError>([&] {
                  trained("plain", options, {.of_class = {1, 8}}, "m");
                }),
                AllOf(HasSubstr(file("m")), HasSubstr("notes are not those of a training")));
  }
}

TEST_F(ClassWeightsTest, OfNamesAreThoseOfManyClassesToo) {
  Label label{.field = "y", .kind = LabelKind::classes};
  std::vector<std::pair<std::string, double>> by_name;
  for (int k = 0; k < 50000; ++k) {
    label.classes.push_back(fmt::format("class {}", k));
    by_name.emplace_back(label.classes.back(), k);
  }
  std::reverse(by_name.begin(), by_name.end());
  const std::vector<double> of_class = class_weights_by_name(by_name, label);
  for (int k = 0; k < 50000; ++k) ASSERT_EQ(of_class[static_cast<std::size_t>(k)], k);
}

TEST_F(ClassWeightsTest, OfNamesAreThoseOfTheirClasses) {
  const Label number{.field = "y"};
  const Label binary{
      .field = "y", .kind = LabelKind::binary, .positive = {"yes", "a=b"}, .negative = {"no", "0"}};
  const Label classes{.field = "y", .kind = LabelKind::classes, .classes = {"YV", "AA", "1"}};
  const auto of = [](const std::string& text, const Label& label) {
    return class_weights_by_name(parse_class_weights(text).by_name, label);
  };
  EXPECT_THAT(of("1=5", number), ElementsAre(1, 5));
  EXPECT_THAT(of("true=5,0=0.5", number), ElementsAre(0.5, 5));
  EXPECT_THAT(of("yes=7", binary), ElementsAre(1, 7));
  EXPECT_THAT(of("a=b=7,0=2", binary), ElementsAre(2, 7));
  EXPECT_THAT(of("1=3,YV=0", classes), ElementsAre(0, 1, 3));
  const auto said = [&](const std::string& text, const Label& label) {
    return complaint<ConfigError>([&] { of(text, label); });
  };
  EXPECT_THAT(said("2=5", number), AllOf(HasSubstr("no class '2'"), HasSubstr("it has: 0, 1")));
  EXPECT_THAT(said("1=5", binary), AllOf(HasSubstr("no class '1'"), HasSubstr("no, 0; yes, a=b")));
  EXPECT_THAT(said("aa=5", classes), AllOf(HasSubstr("'aa'"), HasSubstr("YV, AA, 1; did you mean 'AA'?")));
  EXPECT_THAT(said("yes=1,a=b=2", binary), HasSubstr("'a=b' already has a weight"));
  EXPECT_THAT(said("yes=-1", binary), HasSubstr("a class weight is -1"));
  EXPECT_THAT(said("0=0,1=0", number), HasSubstr("all class weights are 0"));
  EXPECT_NO_THROW(parse_class_weights("yes=0")) << "the others weigh 1";

  made("plain", three + codes_only, "", text(900, 1, {1, 1, 1}));
  made("plain-valid", three + codes_only, "", text(300, 2, {1, 1, 1}));
  trained("plain", quick_training("", ""), {.of_class = {1, 4, 0.5}}, "ours");
  EXPECT_EQ(
      trained("plain", quick_training("", ""), parse_class_weights("2=0.5,1=4"), "theirs").class_weights,
      (std::vector<double>{1, 4, 0.5}));
  EXPECT_TRUE(read_text_file(file("ours")) == read_text_file(file("theirs")));
}

TEST_F(ClassWeightsTest, RowsThatWeighTooMuchOrNothingAreReported) {
  const std::string a = "[[feature]]\nfield = \"a\"\ncardinality = 5\n";
  make_dataset(folder_, "heavy", "weight = \"w\"\n" + two + a, "y\tw\ta\n0\t1\tv\n1\t1e36\tv\n");
  make_dataset(folder_, "heavy-valid", "weight = \"w\"\n" + two + a, "y\tw\ta\n0\t1\tv\n");
  const auto said = [&](const std::vector<double>& of_class) {
    return complaint<DataError>(
        [&] { trained("heavy", quick_training("", ""), {.of_class = of_class}, "m"); });
  };
  EXPECT_THAT(said({1, 1000}),
              AllOf(HasSubstr(".shard:2: its weight 1e+36"), HasSubstr("lower --class-weights")));
  EXPECT_THAT(said({0, 1}),
              AllOf(HasSubstr("heavy-valid"), HasSubstr("with their class weights (--class-weights)")));
}

TEST_F(ClassWeightsTest, WhatIsNoneIsRefused) {
  made("plain", two + codes_only, "", text(100, 1, {1, 1}));
  made("plain-valid", two + codes_only, "", text(100, 1, {1, 1}));
  made("classes", three + codes_only, "", text(100, 1, {1, 1, 1}));
  made("classes-valid", three + codes_only, "", text(100, 1, {1, 1, 1}));
  made("numbers", codes_only, "", text(100, 1, {1, 1}));
  const auto said = [&](const std::string& name, const ClassWeights& weights,
                        LossKind loss = LossKind::logistic) {
    TrainOptions options = quick_training("", "");
    options.loss = loss;
    return complaint<ConfigError>([&] { trained(name, options, weights, "m"); });
  };
  EXPECT_THAT(said("plain", {.of_class = {1, 2, 3}}), HasSubstr("2 classes (negative, positive)"));
  EXPECT_THAT(said("classes", {.of_class = {1, 2}}, LossKind::softmax), HasSubstr("3 classes (0, 1, 2)"));
  EXPECT_THAT(said("plain", {.of_class = {1, 2}}, LossKind::mse),
              HasSubstr("mse takes this one as a number"));
  EXPECT_THAT(said("plain", {.of_class = {1, -2}}), HasSubstr("a class weight is -2"));
  EXPECT_THAT(said("plain", {.of_class = {0, 0}}), HasSubstr("all class weights are 0"));
  EXPECT_THAT(said("numbers", balanced), HasSubstr("without a label"));
  for (const char* text : {"", "a", "1,", ",1", "1,,2", "1;2", "1e999,1", " 1,2", "Balanced",
                           "yes=", "yes=1,2", "2,yes=1", "yes=1,"})
    EXPECT_THAT(complaint<ConfigError>([&] { parse_class_weights(text); }),
                HasSubstr("is not a list of class weights"));
  EXPECT_THAT(said("plain", {.of_class = {1, 2e9}}), HasSubstr("from 0 to 1e+09"));
  EXPECT_EQ(to_text(parse_class_weights("1,2.5,1e-3").of_class), "1,2.5,0.001");
  EXPECT_TRUE(parse_class_weights("balanced").are_balanced);
  EXPECT_THAT(parse_class_weights("1,2.5,1e-3").of_class, ElementsAre(1, 2.5, 1e-3));
}

}  // namespace
}  // namespace widehash::test
