#include "pipeline/training_kit.hpp"

#include <widehash/evaluate.hpp>
#include <widehash/model.hpp>
#include <widehash/predict.hpp>

#include <algorithm>
#include <cmath>
#include <functional>

namespace widehash::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::vector<float> predictions(const std::string& model, const std::vector<std::string>& inputs,
                               const std::string& tables = "") {
  std::vector<float> all;
  const PredictReport report = predict({model, inputs, tables}, [&](std::span<const float> some) {
    all.insert(all.end(), some.begin(), some.end());
  });
  EXPECT_EQ(report.rows * report.outputs, all.size());
  return all;
}

std::string without_first_field(const std::string& text) {
  std::string out;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin) + 1;
    const std::size_t tab = text.find('\t', begin);
    out += text.substr(tab + 1, end - tab - 1);
    begin = end;
  }
  return out;
}

class PredictTest : public testing::Test {
 protected:
  PredictTest() {
    text_ = shop_text(700, 1);
    dataset_ = make_dataset(folder_, "train", shop_schema, text_);
    model_ = folder_.file("m.model");
    train(quick_training(dataset_, model_));
  }
  std::string write(const std::string& name, const std::string& text) {
    write_text_file(folder_.file(name), text);
    return folder_.file(name);
  }

  TempFolder folder_;
  std::string text_;
  std::string dataset_;
  std::string model_;
};

TEST_F(PredictTest, TextAndDatasetGiveTheSamePredictions) {
  const auto from_dataset = predictions(model_, {dataset_});
  ASSERT_EQ(from_dataset.size(), 700u);
  EXPECT_EQ(predictions(model_, {write("in.tsv", text_)}), from_dataset);
  for (const std::size_t threads : {1, 5}) {
    with_threads(threads, [&] { EXPECT_EQ(predictions(model_, {folder_.file("in.tsv")}), from_dataset); });
  }
}

TEST_F(PredictTest, LabelsAreNotNeeded) {
  EXPECT_EQ(predictions(model_, {write("in.tsv", without_first_field(text_))}),
            predictions(model_, {dataset_}));
  std::string bad_labels = text_;
  bad_labels[bad_labels.find('\n') + 1] = '?';
  EXPECT_EQ(predictions(model_, {write("bad.tsv", bad_labels)}), predictions(model_, {dataset_}));
}

TEST_F(PredictTest, SeveralInputsComeInTheirOrder) {
  const std::string a = write("a.tsv", shop_text(30, 3));
  const std::string b = write("b.tsv", shop_text(20, 4));
  auto both = predictions(model_, {b});
  const auto second = predictions(model_, {a});
  both.insert(both.end(), second.begin(), second.end());
  EXPECT_EQ(predictions(model_, {b, a}), both);
}

TEST_F(PredictTest, PredictionsAreTheSigmoidOfSummedWeights) {
  const Model<float> model = load_model<float>(model_);
  const auto& parameters = model.network.parameters();
  const auto rows = matrix_rows(all_rows(Dataset(dataset_)).view());
  const auto predicted = predictions(model_, {dataset_});
  for (std::size_t i = 0; i < rows.size(); ++i) {
    double z = parameters.first_bias[0];
    for (const auto& [column, value] : rows[i])
      z += static_cast<double>(value) * parameters.first_weights[static_cast<std::size_t>(column)];
    EXPECT_NEAR(predicted[i], 1 / (1 + std::exp(-z)), 1e-5);
  }
}

TEST_F(PredictTest, ABadRowIsAnError) {
  const std::string bad = write("bad.tsv", "shop\ttags\tprice\nshop1\tt1\t1\nshop1\tt1\tcheap\nshort\n");
  std::size_t given = 0;
  try {
    predict({model_, {bad}, ""}, [&](std::span<const float> some) { given += some.size(); });
    FAIL();
  } catch (const DataError& error) {
    EXPECT_EQ(error.path(), bad);
    EXPECT_EQ(error.row(), 3u);
  }
  EXPECT_EQ(given, 0u);
}

TEST_F(PredictTest, TheListOfBadRowsReplacesNothingThatIsRead) {
  const std::string text = "shop\ttags\tprice\nshop1\tt1\t1\nshop1\tt1\tcheap\n";
  const std::string input = write("bad.tsv", text);
  const std::string model = read_text_file(model_);
  for (const std::string& list : {input, model_}) {
    PredictOptions options{model_, {input}, ""};
    options.max_bad_rows = 1;
    options.rejected_path = list;
    EXPECT_THAT(complaint<ConfigError>([&] { predict(options, [](std::span<const float>) {}); }),
                HasSubstr(list));
  }
  EXPECT_EQ(read_text_file(input), text);
  EXPECT_EQ(read_text_file(model_), model);
}

TEST_F(PredictTest, AnotherDelimiterIsThoughtOf) {
  const std::string input = write("in.csv", "shop,tags,price\nshop1,t1,1\n");
  EXPECT_THAT(complaint<ConfigError>([&] { predictions(model_, {input}); }),
              AllOf(HasSubstr("has no field"), HasSubstr("`delimiter`")));
  // The first row is taken for a header; a number among its fields is enough to give it away.
  const std::string first = write("first.tsv", "tan\tt1,t2\t7\n");
  EXPECT_THAT(complaint<ConfigError>([&] { predictions(model_, {first}); }),
              HasSubstr("(echo NAMES; cat FILE)"));
  const std::string quoted = write("quoted.tsv", "\"shop\"\t\"tags\"\t\"price\"\n");
  EXPECT_THAT(complaint<ConfigError>([&] { predictions(model_, {quoted}); }),
              AllOf(HasSubstr("in quotes"), HasSubstr("--quote '\"'")));
}

TEST_F(PredictTest, AMissingFieldIsNamed) {
  const std::string input = write("in.tsv", "shop\ttags\nshop1\tt1\n");
  EXPECT_THAT(complaint<ConfigError>([&] { predictions(model_, {input}); }),
              AllOf(HasSubstr("in.tsv"), HasSubstr("'price'")));
}

TEST_F(PredictTest, NoRowsJudgeNoModel) {
  const std::string empty = make_dataset(folder_, "empty", shop_schema, shop_text(0, 1));
  EXPECT_THAT(complaint<DataError>([&] { evaluate(model_, {empty}); }), HasSubstr("has no rows to judge by"));
}

TEST_F(PredictTest, NoRowsGiveNoPredictions) {
  EXPECT_TRUE(predictions(model_, {write("in.tsv", "shop\ttags\tprice\n")}).empty());
  EXPECT_TRUE(predictions(model_, {make_dataset(folder_, "empty", shop_schema, shop_text(0, 1))}).empty());
}

TEST_F(PredictTest, BlankLinesOfASingleFieldArePredicted) {
  const std::string toml = "label = \"y\"\n[[feature]]\nfield = \"a\"\ncardinality = 10\n";
  train(quick_training(make_dataset(folder_, "one", toml, "y\ta\n1\tx\n0\t\n1\tx\n0\t\n"),
                       folder_.file("one.model")));
  const auto found = predictions(folder_.file("one.model"), {write("in.tsv", "a\nx\n\nx\n\n")});
  ASSERT_EQ(found.size(), 4u);
  EXPECT_EQ(found[0], found[2]);
  EXPECT_EQ(found[1], found[3]);
  EXPECT_GT(found[0], found[1]);
}

TEST_F(PredictTest, AnotherSchemaIsRefused) {
  std::string other = shop_schema;
  other.replace(other.find("40"), 2, "41");
  const std::string dataset = make_dataset(folder_, "other", other, shop_text(20, 1));
  EXPECT_THAT(complaint<ConfigError>([&] { predictions(model_, {dataset}); }), HasSubstr("cardinality"));
  EXPECT_THAT(complaint<ConfigError>([&] { evaluate(model_, {dataset}); }), HasSubstr("cardinality"));
}

TEST_F(PredictTest, AModelOfOtherRowsThanItsSchemaMakesIsRefusedByAll) {
  const std::string bad = folder_.file("bad.model");
  const auto expect_refused = [&](const std::function<void(ModelSource&)>& change) {
    Model<float> model = load_model<float>(model_);
    change(model.source);
    save_model(bad, model);
    EXPECT_THROW(verify_model(bad), DataError);
    EXPECT_THROW(predictions(bad, {dataset_}), DataError);
    EXPECT_THROW(predictions(bad, {folder_.file("in.tsv")}), DataError);
    EXPECT_THROW(evaluate(bad, {dataset_}), DataError);
    TrainOptions options = quick_training(dataset_, folder_.file("new.model"));
    options.from = bad;
    EXPECT_THROW(train(options), DataError);
  };
  expect_refused([](ModelSource& source) { source = {}; });
  expect_refused([](ModelSource& source) { source.num_classes = 77; });
  expect_refused(
      [](ModelSource& source) { source.schema_toml += "# altered\n[[feature]]\nfield = \"b\"\n"; });
  expect_refused([](ModelSource& source) { source.schema_toml = "no TOML"; });
  expect_refused([](ModelSource& source) { source.schema_fingerprint = "0123456789abcdef"; });
  expect_refused([](ModelSource& source) { source.head_columns.push_back(1); });
}

TEST_F(PredictTest, ExactEncodingsNeedTheirTables) {
  const std::string toml =
      "label = \"y\"\n[[feature]]\nfield = \"shop\"\nencoding = \"exact\"\ncardinality = 10\n";
  const std::string input = write("in.tsv", text_);
  run_fit(toml, {input}, folder_.file("tables"));
  TransformOptions options;
  options.tables_directory = folder_.file("tables");
  run_transform(toml, {input}, folder_.file("exact"), options);
  train(quick_training(folder_.file("exact"), folder_.file("exact.model")));
  const auto from_dataset = predictions(folder_.file("exact.model"), {folder_.file("exact")});
  EXPECT_EQ(predictions(folder_.file("exact.model"), {input}, folder_.file("tables")), from_dataset);
  EXPECT_THAT(complaint<ConfigError>([&] { predictions(folder_.file("exact.model"), {input}); }),
              HasSubstr("--tables"));
  run_fit(toml, {write("less.tsv", shop_text(30, 9))}, folder_.file("other"));
  EXPECT_THAT(complaint<ConfigError>(
                  [&] { predictions(folder_.file("exact.model"), {input}, folder_.file("other")); }),
              HasSubstr("tables"));
  // As many columns but other values: an equal layout does not mean equal tables.
  options.tables_directory = folder_.file("other");
  run_transform(toml, {input}, folder_.file("exact2"), options);
  EXPECT_THAT(
      complaint<ConfigError>([&] { predictions(folder_.file("exact.model"), {folder_.file("exact2")}); }),
      HasSubstr("tables"));
}

TEST_F(PredictTest, EvaluateAgreesWithItsPredictions) {
  const auto predicted = predictions(model_, {dataset_});
  const CodeBatch rows = all_rows(Dataset(dataset_));
  double loss = 0;
  double squares = 0;
  double right = 0;
  double ordered = 0;
  double pairs = 0;
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    const double p = predicted[i];
    const double t = rows.targets[i];
    loss -= t * std::log(p) + (1 - t) * std::log(1 - p);
    squares += (p - t) * (p - t);
    right += (p >= 0.5) == (t >= 0.5) ? 1 : 0;
    for (std::size_t j = 0; j < predicted.size(); ++j) {
      if (t != 1 || rows.targets[j] != 0) continue;
      pairs += 1;
      ordered += predicted[i] > predicted[j] ? 1 : predicted[i] == predicted[j] ? 0.5 : 0;
    }
  }
  const auto n = static_cast<double>(predicted.size());
  const MetricsReport report = evaluate(model_, {dataset_});
  EXPECT_EQ(report.rows, 700u);
  EXPECT_NEAR(*report.log_loss, loss / n, 1e-6);
  EXPECT_NEAR(*report.rmse, std::sqrt(squares / n), 1e-6);
  EXPECT_NEAR(*report.accuracy, right / n, 1e-9);
  EXPECT_NEAR(*report.auc, ordered / pairs, 1e-9);
}

TEST_F(PredictTest, SoftmaxGivesAProbabilityPerClass) {
  const std::string toml =
      "label = { field = \"y\", classes = [\"0\", \"1\", \"2\"] }\n[[feature]]\nfield = "
      "\"shop\"\ncardinality = 40\n";
  TrainOptions options =
      quick_training(make_dataset(folder_, "classes", toml, text_), folder_.file("classes.model"));
  options.loss = LossKind::softmax;
  train(options);
  const auto found = predictions(options.model, options.datasets);
  ASSERT_EQ(found.size(), 2100u);
  for (std::size_t row = 0; row < 700; ++row) {
    EXPECT_NEAR(found[3 * row] + found[3 * row + 1] + found[3 * row + 2], 1, 1e-5);
  }
  EXPECT_EQ(predictions(options.model, {write("in.tsv", text_)}), found);
}

TEST_F(PredictTest, AShardOfVeryManyPredictionsIsPredictedInPieces) {
  constexpr std::size_t num_classes = 2000;
  constexpr std::size_t num_rows = 1300;
  std::string toml = "label = { field = \"y\", classes = [";
  for (std::size_t i = 0; i < num_classes; ++i) toml += fmt::format("\"c{}\",", i);
  toml += "] }\n[[feature]]\nfield = \"shop\"\ncardinality = 40\n";
  std::string text = "y\tshop\n";
  for (std::size_t i = 0; i < num_rows; ++i) text += fmt::format("c{}\t{}\n", i * 7 % num_classes, i % 30);
  TrainOptions options =
      quick_training(make_dataset(folder_, "many", toml, text, 1 << 20), folder_.file("many.model"));
  options.loss = LossKind::softmax;
  options.epochs = 1;
  train(options);
  ASSERT_EQ(Dataset(options.datasets.front()).num_shards(), 1U);
  std::vector<float> found;
  std::size_t calls = 0;
  std::uint64_t bytes_done = 0;
  predict(
      {options.model, options.datasets, ""},
      [&](std::span<const float> some) {
        ++calls;
        EXPECT_LE(some.size(), std::size_t{2} << 20);
        found.insert(found.end(), some.begin(), some.end());
      },
      [&](const Progress& done) { bytes_done = done.bytes_done; });
  EXPECT_EQ(calls, 2U);
  EXPECT_EQ(bytes_done, Dataset(options.datasets.front()).manifest().num_bytes());
  ASSERT_EQ(found.size(), num_rows * num_classes);
  EXPECT_EQ(predictions(options.model, {write("in.tsv", text)}), found);
  EXPECT_EQ(evaluate(options.model, options.datasets).rows, num_rows);
}

TEST_F(PredictTest, AStopOfTheSinkStopsThePrediction) {
  struct Stopped {};
  EXPECT_THROW(predict({model_, {dataset_}, ""}, [](std::span<const float>) { throw Stopped(); }), Stopped);
  EXPECT_THROW(
      predict({model_, {write("in.tsv", text_)}, ""}, [](std::span<const float>) { throw Stopped(); }),
      Stopped);
}

}  // namespace
}  // namespace widehash::test
