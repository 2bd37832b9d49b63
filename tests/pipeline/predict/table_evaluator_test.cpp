// Judging by rows in memory: bit for bit the same as judging by their text.
#include "judging_kit.hpp"
#include "pipeline/memory_table.hpp"

#include <widehash/table_evaluator.hpp>

namespace widehash::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class TableEvaluation : public JudgingTest {
 protected:
  void SetUp() override {
    JudgingTest::SetUp();
    train(quick_training(make_dataset(folder_, "train", memory_table_schema, MemoryTable(3000).tsv()),
                         file("m")));
    predictor_.emplace(file("m"));
  }

  std::optional<Predictor> predictor_;
};

TEST_F(TableEvaluation, IsThatOfTheSameText) {
  const MemoryTable table(20'000);
  const std::vector<std::string> by{"b", "many", "unused"};
  const EvaluateReport expected =
      evaluate({.model = file("m"), .inputs = {write("rows.tsv", table.tsv())}, .by = by, .most_values = 20});
  for (const std::size_t threads : {1, 3}) {
    with_threads(threads, [&] {
      TableEvaluator evaluator(*predictor_, 0, by, 20);
      for (const ColumnTable& batch : table.batches(3000, threads)) evaluator.append(batch);
      const EvaluateReport found = evaluator.report();
      expect_same(found.metrics, expected.metrics);
      EXPECT_EQ(found.rejected_rows, 0u);
      ASSERT_EQ(found.by.size(), 3u);
      for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(found.by[i].field, by[i]);
        EXPECT_EQ(found.by[i].others.has_value(), expected.by[i].others.has_value());
        ASSERT_EQ(found.by[i].values.size(), expected.by[i].values.size());
        for (std::size_t k = 0; k < found.by[i].values.size(); ++k) {
          EXPECT_EQ(found.by[i].values[k].value, expected.by[i].values[k].value);
          expect_same(found.by[i].values[k].metrics, expected.by[i].values[k].metrics);
        }
      }
    });
  }
}

TEST_F(TableEvaluation, BadRowsAreLeftOutWhereThatIsAllowed) {
  const MemoryTable table(2000, {5, 1500, 1999});
  const EvaluateReport expected = evaluate(
      {.model = file("m"), .inputs = {write("rows.tsv", table.tsv())}, .max_bad_rows = 3, .by = {"b"}});
  TableEvaluator evaluator(*predictor_, 3, {"b"});
  for (const ColumnTable& batch : table.batches(300, 1)) evaluator.append(batch);
  const EvaluateReport found = evaluator.report();
  EXPECT_EQ(found.rejected_rows, 3u);
  expect_same(found.metrics, expected.metrics);
  ASSERT_EQ(found.by[0].values.size(), expected.by[0].values.size());
  for (std::size_t k = 0; k < found.by[0].values.size(); ++k)
    expect_same(found.by[0].values[k].metrics, expected.by[0].values[k].metrics);

  TableEvaluator strict(*predictor_, 1);
  strict.append(table.rows(0, 1000));
  const EvaluateReport before = strict.report();
  EXPECT_THAT(complaint<DataError>([&] { strict.append(table.rows(1000, 1000)); }),
              AllOf(HasSubstr("table in memory:1501: "), HasSubstr("--max-bad-rows")));
  expect_same(strict.report().metrics, before.metrics);
}

TEST_F(TableEvaluation, WhatCannotBeJudgedByIsReported) {
  const MemoryTable table(20);
  ColumnTable unlabelled;
  for (const std::string& name : MemoryTable::column_names())
    if (name != "y") unlabelled.add(name, text_column({}));
  EXPECT_THAT(complaint<ConfigError>([&] { TableEvaluator(*predictor_).append(unlabelled); }),
              HasSubstr("has no field 'y', which the schema uses as the label"));
  EXPECT_THAT(
      complaint<ConfigError>([&] { TableEvaluator(*predictor_, 0, {"manny"}).append(table.whole()); }),
      AllOf(HasSubstr("has no field 'manny', which rows are to be judged by"),
            HasSubstr("did you mean 'many'")));
  EXPECT_THAT(complaint<DataError>([&] { (void)TableEvaluator(*predictor_).report(); }),
              HasSubstr("table in memory: has no rows to judge by"));
}

}  // namespace
}  // namespace widehash::test
