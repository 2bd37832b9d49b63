// Judging by text: the same, to the last bit, as by the dataset that is made of it.
#include "pipeline/training_kit.hpp"

#include <widehash/evaluate.hpp>

#include <random>
#include <string>
#include <vector>

namespace widehash::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const std::string features =
    "[[feature]]\nfield = \"a\"\ncardinality = 60\n[[feature]]\nfield = \"tags\"\nseparator = \",\"\n"
    "cardinality = 9\n[[feature]]\nfield = \"x\"\nencoding = \"numeric\"\n";

class EvaluateText : public TrainTest {
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
    EXPECT_EQ(a.log_loss, b.log_loss);
    EXPECT_EQ(a.auc, b.auc);
    EXPECT_EQ(a.average_precision, b.average_precision);
    EXPECT_EQ(a.accuracy, b.accuracy);
    EXPECT_EQ(a.rmse, b.rmse);
    EXPECT_EQ(a.constant_log_loss, b.constant_log_loss);
    EXPECT_EQ(a.constant_rmse, b.constant_rmse);
    EXPECT_EQ(a.calibration_ratio, b.calibration_ratio);
    EXPECT_EQ(a.confusion, b.confusion);
    ASSERT_EQ(a.classes.size(), b.classes.size());
    for (std::size_t k = 0; k < a.classes.size(); ++k) {
      EXPECT_EQ(a.classes[k].name, b.classes[k].name);
      EXPECT_EQ(a.classes[k].f1(), b.classes[k].f1());
    }
  }
};

TEST_F(EvaluateText, IsThatOfTheDatasetMadeOfIt) {
  const std::string number = "label = \"y\"\n";
  const std::string binary = "label = { field = \"y\", positive = [\"1\"], negative = [\"0\"] }\n";
  const std::string classes = "label = { field = \"y\", classes = [\"1\", \"0\", \"2\"] }\n";
  const std::string weight = "weight = \"w\"\n";
  for (const std::string& toml : {number, binary, weight + number, classes, weight + classes}) {
    SCOPED_TRACE(toml);
    for (const bool squares : {false, true}) {
      if (squares && toml != number) continue;
      train_by(toml + features, squares ? std::optional(LossKind::mse) : std::nullopt);
      const std::string data = make_dataset(folder_, "day", toml + features, rows(3000, 2));
      const MetricsReport expected = judged({data}).metrics;
      for (const std::size_t threads : {1, 4})
        with_threads(threads, [&] { expect_same(judged({file("day.tsv")}).metrics, expected); });
      EXPECT_EQ(judged({file("day.tsv")}).rejected_rows, 0u);
      std::filesystem::remove_all(data);
    }
  }
}

TEST_F(EvaluateText, SeveralInputsAreAsOne) {
  train_by("label = \"y\"\n" + features);
  const std::string one = make_dataset(folder_, "one", "label = \"y\"\n" + features, rows(900, 3));
  const std::string two = make_dataset(folder_, "two", "label = \"y\"\n" + features, rows(500, 4));
  expect_same(judged({file("one.tsv"), file("two.tsv")}).metrics, judged({one, two}).metrics);
}

TEST_F(EvaluateText, BadRowsAreLeftOutWhereThatIsAllowed) {
  train_by("label = \"y\"\n" + features);
  const std::string good = rows(300, 5);
  std::string bad = good;
  bad.insert(bad.find('\n') + 1, "?\t1\t2\tt\t0\n0\t1\t2\tt\tmuch\n0\t1\n");
  write("good.tsv", good);
  write("bad.tsv", bad);
  EXPECT_THAT(complaint<DataError>([&] { judged({file("bad.tsv")}); }),
              AllOf(HasSubstr("bad.tsv:2: label 'y' is '?'"), HasSubstr("--max-bad-rows")));
  EXPECT_THAT(complaint<DataError>([&] { judged({file("bad.tsv")}, 2); }), HasSubstr("bad.tsv:4: "));
  const EvaluateReport report = judged({file("bad.tsv")}, 3);
  EXPECT_EQ(report.rejected_rows, 3u);
  expect_same(report.metrics, judged({file("good.tsv")}).metrics);
}

TEST_F(EvaluateText, WhatCannotBeJudgedByIsTold) {
  train_by("weight = \"w\"\nlabel = \"y\"\n" + features);
  const std::string header = "y\tw\ta\ttags\tx\n";
  const auto said = [&](const std::string& text) {
    write("in.tsv", text);
    return complaint<Error>([&] { judged({file("in.tsv")}); });
  };
  EXPECT_THAT(said("w\ta\ttags\tx\n1\t2\tt\t0\n"),
              HasSubstr("has no field 'y', which the schema names as the label"));
  EXPECT_THAT(said("y\ta\ttags\tx\n1\t2\tt\t0\n"),
              HasSubstr("has no field 'w', which the schema names as the weight"));
  EXPECT_THAT(said(header), AllOf(HasSubstr("in.tsv"), HasSubstr("has no rows to judge by")));
  EXPECT_THAT(said(header + "0\t0\t1\tt\t0\n"), HasSubstr("weights of its rows add up to 0"));
  EXPECT_THAT(said(header + "0\t1\t1\tt\t0\n7\t1\t1\tt\t0\n"), HasSubstr("the rows of"));
  EXPECT_THAT(complaint<ConfigError>([&] { judged({}); }), HasSubstr("nothing to judge by"));
  const std::string data =
      make_dataset(folder_, "day", "weight = \"w\"\nlabel = \"y\"\n" + features, rows(30, 2));
  EXPECT_THAT(complaint<ConfigError>([&] {
                judged({data, file("in.tsv")});
              }),
              AllOf(HasSubstr("is a folder"), HasSubstr("by themselves")));
  EXPECT_THAT(complaint<ConfigError>(
                  [&] { evaluate({.model = file("m"), .inputs = {data}, .text_form = {.delimiter = ','}}); }),
              HasSubstr("are of text"));
}

}  // namespace
}  // namespace widehash::test
