// Rows judged by their value of a field: bit for bit the same as judging a separate table for each value.
#include "judging_kit.hpp"

#include <algorithm>
#include <sstream>

namespace widehash::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class EvaluateBy : public JudgingTest {
 protected:
  /// Index of the field in rows().
  static constexpr std::size_t tags = 3;

  EvaluateReport judged_by(const std::vector<std::string>& fields, const std::string& input,
                           std::uint64_t most_values = 1000, std::uint64_t max_bad_rows = 0) const {
    return evaluate({.model = file("m"),
                     .inputs = {input},
                     .max_bad_rows = max_bad_rows,
                     .by = fields,
                     .most_values = most_values});
  }

  /// Tables of the lines of `text`, one per value of field `field`, in the order in which the values occur.
  static std::vector<std::pair<std::string, std::string>> tables_by(const std::string& text,
                                                                    std::size_t field) {
    std::istringstream lines(text);
    std::string header;
    std::getline(lines, header);
    std::vector<std::pair<std::string, std::string>> tables;
    for (std::string line; std::getline(lines, line);) {
      std::istringstream cells(line);
      std::string value;
      for (std::size_t i = 0; i <= field; ++i) std::getline(cells, value, '\t');
      auto table = std::ranges::find(tables, value, &std::pair<std::string, std::string>::first);
      if (table == tables.end()) table = tables.insert(table, {value, header + '\n'});
      table->second += line + '\n';
    }
    return tables;
  }

  void expect_those_of_tables(const FieldMetrics& found, const std::string& text, std::size_t field) {
    const auto tables = tables_by(text, field);
    ASSERT_EQ(found.values.size(), tables.size());
    EXPECT_FALSE(found.others);
    for (const auto& [value, table] : tables) {
      SCOPED_TRACE(value);
      const auto one = std::ranges::find(found.values, value, &ValueMetrics::value);
      ASSERT_NE(one, found.values.end());
      MetricsReport expected = judged({write("one.tsv", table)}).metrics;
      expected.confusion.clear();
      for (ClassMetrics& each : expected.classes) each.name.clear();
      expect_same(one->metrics, expected);
    }
    EXPECT_TRUE(std::ranges::is_sorted(found.values, std::ranges::greater(),
                                       [](const ValueMetrics& one) { return one.metrics.weight; }));
  }
};

TEST_F(EvaluateBy, IsThatOfTheTableOfEachValue) {
  const std::string number = "label = \"y\"\n";
  const std::string classes = "label = { field = \"y\", classes = [\"1\", \"0\", \"2\"] }\n";
  // Every value has a weight above 0 somewhere.
  const std::string weight = "weight = \"w\"\n";
  const std::string text = rows(6000, 2);
  for (const std::string& toml : {number, weight + number, classes, weight + classes}) {
    SCOPED_TRACE(toml);
    train_by(toml + judged_features);
    const EvaluateReport report = judged_by({"tags", "a"}, write("day.tsv", text));
    ASSERT_EQ(report.by.size(), 2u);
    EXPECT_EQ(report.by[0].field, "tags");
    expect_those_of_tables(report.by[0], text, tags);
    EXPECT_EQ(report.by[1].field, "a");
    expect_those_of_tables(report.by[1], text, 2);
    expect_same(report.metrics, judged({file("day.tsv")}).metrics);
  }
}

TEST_F(EvaluateBy, NumbersHaveTheirMeans) {
  train_by("label = \"y\"\n" + judged_features, LossKind::mse);
  write("day.tsv", "y\tw\ta\ttags\tx\n1\t1\t1\tt\t0\n0\t1\t1\tt\t0\n1\t1\t2\tt\t0\n");
  const FieldMetrics by = judged_by({"a"}, file("day.tsv")).by.at(0);
  ASSERT_EQ(by.values.size(), 2u);
  EXPECT_EQ(by.values[0].value, "1");
  EXPECT_EQ(by.values[0].metrics.mean_target, 0.5);
  EXPECT_EQ(by.values[0].metrics.rows, 2u);
  EXPECT_EQ(by.values[1].metrics.mean_target, 1);
  EXPECT_TRUE(by.values[1].metrics.mean_prediction);
}

TEST_F(EvaluateBy, ThreadsAndTheCutOfTheTextChangeNothing) {
  train_by("label = \"y\"\n" + judged_features);
  // More than a block of 4 MiB.
  const std::string text = rows(400'000, 7);
  write("day.tsv", text);
  EvaluateReport expected;
  with_threads(1, [&] { expected = judged_by({"tags"}, file("day.tsv"), 20); });
  EXPECT_EQ(expected.by[0].values.size(), 20u);
  ASSERT_TRUE(expected.by[0].others);
  // The first values in the text are the ones judged on their own.
  std::vector<std::string> first;
  for (const auto& [value, table] : tables_by(text.substr(0, 4000), tags)) first.push_back(value);
  first.resize(20);
  std::uint64_t rows_of_values = 0;
  for (const ValueMetrics& one : expected.by[0].values) {
    EXPECT_THAT(first, testing::Contains(one.value));
    rows_of_values += one.metrics.rows;
  }
  EXPECT_EQ(rows_of_values + expected.by[0].others->rows, 400'000u);

  // The same rows, divided among several files.
  std::vector<std::string> parts;
  const std::size_t header = text.find('\n') + 1;
  for (std::size_t begin = header; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin + 700'000), text.size() - 1) + 1;
    parts.push_back(write(fmt::format("part{}.tsv", parts.size()),
                          text.substr(0, header) + text.substr(begin, end - begin)));
    begin = end;
  }
  EvaluateReport found;
  with_threads(
      3, [&] { found = evaluate({.model = file("m"), .inputs = parts, .by = {"tags"}, .most_values = 20}); });
  ASSERT_EQ(found.by[0].values.size(), 20u);
  for (std::size_t i = 0; i < 20; ++i) {
    EXPECT_EQ(found.by[0].values[i].value, expected.by[0].values[i].value);
    expect_same(found.by[0].values[i].metrics, expected.by[0].values[i].metrics);
  }
  expect_same(*found.by[0].others, *expected.by[0].others);
}

TEST_F(EvaluateBy, BadRowsAreOfNoValue) {
  train_by("label = \"y\"\n" + judged_features);
  const std::string good = rows(300, 5);
  std::string bad = good;
  bad.insert(bad.find('\n') + 1, "?\t1\t2\tonly-bad\t0\n0\t1\n0\t1\t2\tt1,t1\tmuch\n");
  bad += "0\t1\n?\t1\t2\tt1,t1\t0\n";
  const FieldMetrics expected = judged_by({"tags"}, write("good.tsv", good)).by.at(0);
  // A value that only bad rows have is not counted among the first ones.
  const FieldMetrics found = judged_by({"tags"}, write("bad.tsv", bad), expected.values.size(), 5).by.at(0);
  EXPECT_FALSE(found.others);
  ASSERT_EQ(found.values.size(), expected.values.size());
  for (std::size_t i = 0; i < found.values.size(); ++i) {
    EXPECT_EQ(found.values[i].value, expected.values[i].value);
    expect_same(found.values[i].metrics, expected.values[i].metrics);
  }
}

TEST_F(EvaluateBy, ManyRowsOfAValueHaveABoundOfTheError) {
  train_by("label = \"y\"\n" + judged_features);
  const std::string text = rows(70'000, 8);
  std::string of_one = "y\tw\ta\ttags\tx\tday\n";
  for (std::size_t begin = text.find('\n') + 1; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    of_one += text.substr(begin, end - begin) + "\tmonday\n";
    begin = end + 1;
  }
  const EvaluateReport report = judged_by({"day"}, write("day.tsv", of_one));
  ASSERT_EQ(report.by[0].values.size(), 1u);
  const MetricsReport& found = report.by[0].values[0].metrics;
  EXPECT_EQ(found.log_loss, report.metrics.log_loss);
  EXPECT_FALSE(found.auc_is_exact);
  EXPECT_LT(found.auc_error_bound, 1e-3);
  EXPECT_NEAR(*found.auc, *report.metrics.auc, found.auc_error_bound + 1e-12);
}

TEST_F(EvaluateBy, WhatCannotBeJudgedByIsReported) {
  train_by("label = \"y\"\n" + judged_features);
  write("in.tsv", rows(20, 3));
  EXPECT_THAT(complaint<ConfigError>([&] { judged_by({"tag"}, file("in.tsv")); }),
              AllOf(HasSubstr("has no field 'tag', which rows are to be judged by"),
                    HasSubstr("did you mean 'tags'")));
  const std::string data = make_dataset(folder_, "day", "label = \"y\"\n" + judged_features, rows(30, 2));
  EXPECT_THAT(complaint<ConfigError>([&] { judged_by({"tags"}, data); }),
              AllOf(HasSubstr("is a dataset"), HasSubstr("no values to judge by")));
}

}  // namespace
}  // namespace widehash::test
