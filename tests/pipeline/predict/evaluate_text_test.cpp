// Judging by text: bit for bit the same as judging by the dataset made from it.
#include "judging_kit.hpp"

#include <string>

namespace widehash::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class EvaluateText : public JudgingTest {};

TEST_F(EvaluateText, IsThatOfTheDatasetMadeOfIt) {
  const std::string number = "label = \"y\"\n";
  const std::string binary = "label = { field = \"y\", positive = [\"1\"], negative = [\"0\"] }\n";
  const std::string classes = "label = { field = \"y\", classes = [\"1\", \"0\", \"2\"] }\n";
  const std::string weight = "weight = \"w\"\n";
  for (const std::string& toml : {number, binary, weight + number, classes, weight + classes}) {
    SCOPED_TRACE(toml);
    for (const bool squares : {false, true}) {
      if (squares && toml != number) continue;
      train_by(toml + judged_features, squares ? std::optional(LossKind::mse) : std::nullopt);
      const std::string data = make_dataset(folder_, "day", toml + judged_features, rows(3000, 2));
      const MetricsReport expected = judged({data}).metrics;
      for (const std::size_t threads : {1, 4})
        with_threads(threads, [&] { expect_same(judged({file("day.tsv")}).metrics, expected); });
      EXPECT_EQ(judged({file("day.tsv")}).rejected_rows, 0u);
      std::filesystem::remove_all(data);
    }
  }
}

TEST_F(EvaluateText, SeveralInputsAreAsOne) {
  train_by("label = \"y\"\n" + judged_features);
  const std::string one = make_dataset(folder_, "one", "label = \"y\"\n" + judged_features, rows(900, 3));
  const std::string two = make_dataset(folder_, "two", "label = \"y\"\n" + judged_features, rows(500, 4));
  expect_same(judged({file("one.tsv"), file("two.tsv")}).metrics, judged({one, two}).metrics);
}

TEST_F(EvaluateText, BadRowsAreLeftOutWhereThatIsAllowed) {
  train_by("label = \"y\"\n" + judged_features);
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

TEST_F(EvaluateText, WhatCannotBeJudgedByIsReported) {
  train_by("weight = \"w\"\nlabel = \"y\"\n" + judged_features);
  const std::string header = "y\tw\ta\ttags\tx\n";
  const auto said = [&](const std::string& text) {
    write("in.tsv", text);
    return complaint<Error>([&] { judged({file("in.tsv")}); });
  };
  EXPECT_THAT(said("w\ta\ttags\tx\n1\t2\tt\t0\n"),
              HasSubstr("has no field 'y', which the schema uses as the label"));
  EXPECT_THAT(said("y\ta\ttags\tx\n1\t2\tt\t0\n"),
              HasSubstr("has no field 'w', which the schema uses as the weight"));
  EXPECT_THAT(said(header), AllOf(HasSubstr("in.tsv"), HasSubstr("has no rows to judge by")));
  EXPECT_THAT(said(header + "0\t0\t1\tt\t0\n"), HasSubstr("weights of its rows add up to 0"));
  EXPECT_THAT(said(header + "0\t1\t1\tt\t0\n7\t1\t1\tt\t0\n"), HasSubstr("the rows of"));
  EXPECT_THAT(complaint<ConfigError>([&] { judged({}); }), HasSubstr("nothing to judge by"));
  const std::string data =
      make_dataset(folder_, "day", "weight = \"w\"\nlabel = \"y\"\n" + judged_features, rows(30, 2));
  EXPECT_THAT(complaint<ConfigError>([&] {
                judged({data, file("in.tsv")});
              }),
              AllOf(HasSubstr("is a folder"), HasSubstr("only datasets or only inputs")));
  EXPECT_THAT(complaint<ConfigError>(
                  [&] { evaluate({.model = file("m"), .inputs = {data}, .text_form = {.delimiter = ','}}); }),
              HasSubstr("are for text"));
}

}  // namespace
}  // namespace widehash::test
