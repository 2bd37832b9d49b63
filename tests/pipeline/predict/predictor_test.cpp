#include "pipeline/shop_columns.hpp"
#include "pipeline/training_kit.hpp"

#include <widehash/predict.hpp>
#include <widehash/predictor.hpp>
#include <widehash/row_effects.hpp>
#include <widehash/unpacked_runs.hpp>

#include <cmath>

namespace widehash::test {
namespace {

using testing::HasSubstr;

class PredictorTest : public testing::Test {
 protected:
  PredictorTest() : text_(shop_text(700, 1)) {
    const std::string dataset = make_dataset(folder_, "train", shop_schema, text_);
    model_ = folder_.file("m.model");
    train(quick_training(dataset, model_));
    predict({model_, {dataset}, ""}, [&](std::span<const float> some) {
      expected_.insert(expected_.end(), some.begin(), some.end());
    });
  }

  TempFolder folder_;
  std::string text_;
  std::string model_;
  std::vector<float> expected_;
};

TEST_F(PredictorTest, RowsInMemoryArePredictedAsThoseOfFiles) {
  const Predictor predictor(model_);
  const ShopColumns rows(text_);
  for (const std::size_t threads : {1, 4}) {
    with_threads(threads, [&] { EXPECT_EQ(predictor.predict(rows.table), expected_); });
  }
  EXPECT_EQ(predictor.predict(predictor.encoder().encode(rows.table).view()), expected_);
  EXPECT_EQ(predictor.num_outputs(), 1u);
}

TEST_F(PredictorTest, RowsOfTextsArePredictedAsColumnsAre) {
  const Predictor predictor(model_);
  ShopColumns columns(text_);
  const auto names = columns.table.names();
  const auto price = static_cast<std::size_t>(std::find(names.begin(), names.end(), "price") - names.begin());
  columns.views[price][5] = "cheap";
  std::vector<std::string_view> values;
  for (std::size_t row = 0; row < columns.table.num_rows(); ++row) {
    for (const auto& column : columns.views) values.push_back(column[row]);
  }
  const FieldBinding binding =
      predictor.encoder().bind(std::vector<std::string>(names.begin(), names.end()), "requests", false);
  std::vector<EncodeIssue> issues;
  const std::vector<float> predictions = predictor.predict(RowsView{values, names.size()}, binding, issues);
  ASSERT_EQ(predictions.size(), expected_.size());
  ASSERT_EQ(issues.size(), 1u);
  EXPECT_EQ(issues[0].row, 5u);
  for (std::size_t row = 0; row < predictions.size(); ++row) {
    if (row == 5) {
      EXPECT_TRUE(std::isnan(predictions[row]));
    } else {
      EXPECT_EQ(predictions[row], expected_[row]) << row;
    }
  }
  EXPECT_THROW(predictor.predict(RowsView{values, names.size() - 1}, binding, issues), ShapeError);
  EXPECT_TRUE(predictor.predict(RowsView{{}, names.size()}, binding, issues).empty());
  FieldBinding of_a_fold = binding;
  of_a_fold.folds = parse_folds("1/2");
  EXPECT_THAT(complaint<ConfigError>([&] {
                predictor.predict(RowsView{values, names.size()}, of_a_fold, issues);
              }),
              HasSubstr("every row gets a prediction"));
}

TEST_F(PredictorTest, LabelsAreNotLookedAt) {
  EXPECT_EQ(Predictor(model_).predict(ShopColumns(text_, {"y"}).table), expected_);
  std::string bad_label = text_;
  bad_label[bad_label.find('\n') + 1] = '?';
  const Predictor predictor(model_);
  EXPECT_EQ(predictor.predict(ShopColumns(bad_label).table), expected_);
  std::vector<EncodeIssue> issues;
  EXPECT_EQ(predictor.explain(ShopColumns(bad_label).table, issues).predictions, expected_);
  EXPECT_TRUE(issues.empty());
}

TEST_F(PredictorTest, NoRowsGiveNoPredictions) {
  const std::string header = text_.substr(0, text_.find('\n') + 1);
  EXPECT_TRUE(Predictor(model_).predict(ShopColumns(header).table).empty());
}

TEST_F(PredictorTest, ABadRowIsNamedOrNanInItsPlace) {
  const Predictor predictor(model_);
  ShopColumns rows(text_);
  const auto names = rows.table.names();
  const auto price = static_cast<std::size_t>(std::find(names.begin(), names.end(), "price") - names.begin());
  ASSERT_LT(price, names.size());
  rows.views[price][5] = "cheap";
  rows.views[price][699] = "dear";
  try {
    predictor.predict(rows.table);
    FAIL();
  } catch (const DataError& error) {
    EXPECT_EQ(error.row(), 6u);
  }
  std::vector<EncodeIssue> issues;
  const std::vector<float> predictions = predictor.predict(rows.table, issues);
  ASSERT_EQ(predictions.size(), 700u);
  for (std::size_t row = 0; row < 700; ++row) {
    if (row == 5 || row == 699) {
      EXPECT_TRUE(std::isnan(predictions[row])) << row;
    } else {
      EXPECT_EQ(predictions[row], expected_[row]) << row;
    }
  }
  ASSERT_EQ(issues.size(), 2u);
  EXPECT_EQ(issues[1].row, 699u);
}

TEST_F(PredictorTest, RowsOfAnOlderLayoutArePredictedAlike) {
  const Predictor predictor(model_);
  const Encoder older(predictor.encoder().schema(), "", CodeBytes::two);
  const CodeBatch rows = older.encode(ShopColumns(text_).table);
  ASSERT_FALSE(same_layout(rows.layout(), *predictor.encoder().layout()));
  EXPECT_EQ(predictor.predict(rows.view()), expected_);
}

TEST_F(PredictorTest, RowsOfShardsArePredictedAlike) {
  const Predictor predictor(model_);
  const Dataset dataset(folder_.file("train"));
  std::vector<float> predictions;
  for (std::size_t i = 0; i < dataset.num_shards(); ++i) {
    const Shard shard = dataset.open_shard(i, true);
    EXPECT_TRUE(shard.view().has_packed_runs());
    const std::vector<float> some = predictor.predict(shard.view());
    predictions.insert(predictions.end(), some.begin(), some.end());
    std::vector<float> effects(shard.view().num_rows * predictor.effects().features().size());
    std::vector<float> of_columns(effects.size());
    const std::vector<std::uint32_t> outputs(shard.view().num_rows, 0);
    UnpackedRuns runs;
    RowEffects::Work work;
    predictor.effects().find(shard.view(), outputs, work, effects);
    predictor.effects().find(unpacked(shard.view(), runs), outputs, work, of_columns);
    EXPECT_EQ(effects, of_columns);
  }
  EXPECT_EQ(predictions, expected_);
}

TEST_F(PredictorTest, RowsOfAnotherEncodingAreRefused) {
  const Encoder other(parse_schema("[[feature]]\nfield = \"a\"\ncardinality = 10\n", "schema.toml"));
  const std::vector<std::string_view> values{"x"};
  EXPECT_THROW(Predictor(model_).predict(other.encode({values, 1}).view()), ShapeError);
  Schema seeded = Predictor(model_).encoder().schema();  // the same columns, but other values in them
  seeded.seed = 1;
  EXPECT_THROW(Predictor(model_).predict(Encoder(seeded).encode(ShopColumns(text_).table).view()),
               ShapeError);
  EXPECT_THAT(complaint<ConfigError>([&] { Predictor(model_).predict(ColumnTable()); }),
              HasSubstr("no field"));
}

TEST(Predictor, AModelThatNeedsTablesSaysSo) {
  const TempFolder folder;
  const std::string toml =
      "label = \"y\"\n[[feature]]\nfield = \"a\"\nencoding = \"exact\"\ncardinality = 10\n";
  const std::string text = "y\ta\n1\tu\n0\tv\n1\tu\n0\tw\n";
  write_text_file(folder.file("in.tsv"), text);
  run_fit(toml, {folder.file("in.tsv")}, folder.file("tables"));
  TransformOptions options{.inputs = {folder.file("in.tsv")},
                           .output_directory = folder.file("train"),
                           .tables_directory = folder.file("tables")};
  transform(source(toml), options);
  train(quick_training(folder.file("train"), folder.file("m.model")));
  EXPECT_THAT(complaint<ConfigError>([&] { Predictor predictor(folder.file("m.model")); }),
              HasSubstr("needs lookup tables"));
  write_text_file(folder.file("other.tsv"), text + "1\tx\n");
  run_fit(toml, {folder.file("other.tsv")}, folder.file("other"));
  EXPECT_THAT(
      complaint<ConfigError>([&] { Predictor predictor(folder.file("m.model"), folder.file("other")); }),
      HasSubstr("not those the model was trained with"));
  const Predictor predictor(folder.file("m.model"), folder.file("tables"));
  EXPECT_EQ(predictor.predict(ShopColumns(text).table).size(), 4u);
}

}  // namespace
}  // namespace widehash::test
