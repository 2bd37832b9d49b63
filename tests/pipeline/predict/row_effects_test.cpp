// Compares the effects of features with a plain reference: the raw output of a dense row, minus that of the
// same row with the columns of one feature at their means.

#include "network/reference.hpp"
#include "pipeline/shop_columns.hpp"
#include "pipeline/training_kit.hpp"

#include <widehash/csr_ops.hpp>
#include <widehash/model.hpp>
#include <widehash/predict.hpp>
#include <widehash/predictor.hpp>
#include <widehash/row_effects.hpp>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <vector>

namespace widehash::test {
namespace {

using testing::HasSubstr;

constexpr const char* features = R"(
[[feature]]
field = "shop"
cardinality = 400
missing = "skip"
[[feature]]
field = "tags"
separator = ","
cardinality = 20
[[feature]]
field = "price"
encoding = "numeric"
[[feature]]
field = "price"
name = "step"
encoding = "numeric"
transform = "bucketize"
boundaries = [0.2, 0.7]
[[feature]]
field = "y"
name = "nothing"
encoding = "ignore"
[[feature]]
cross = ["shop", "price"]
encoding = "one_hot"
buckets = 50
)";

const std::string binary_schema = std::string("label = \"y\"\n") + features;
const std::string classes_schema =
    std::string("label = { field = \"y\", classes = [\"0\", \"1\", \"2\"] }\n") + features;

Parameters<double> in_double(const Architecture& architecture, const Parameters<float>& parameters) {
  auto result = make_zero_parameters<double>(architecture, parameters.columns);
  const auto from = parameters.tensors();
  const auto to = result.tensors();
  for (std::size_t i = 0; i < from.size(); ++i)
    std::copy(from[i].values.begin(), from[i].values.end(), to[i].values.begin());
  return result;
}

Matrix dense(const CodeBatchView& rows) {
  const Csr csr = to_csr(rows);
  Matrix x{rows.num_rows, rows.layout->num_columns,
           std::vector<double>(rows.num_rows * rows.layout->num_columns)};
  for (std::size_t row = 0; row < rows.num_rows; ++row) {
    for (auto i = csr.row_offsets[row]; i < csr.row_offsets[row + 1]; ++i)
      x.at(row, static_cast<std::size_t>(csr.columns[static_cast<std::size_t>(i)])) +=
          double{csr.values[static_cast<std::size_t>(i)]};
  }
  return x;
}

/// Output outputs[row] of each row, in the units of the targets but without their shift, averaged over towers.
std::vector<double> raw(const Ensemble<float>& model, const Matrix& x,
                        std::span<const std::uint32_t> outputs) {
  std::vector<double> sums(x.rows);
  const auto add = [&](const Network<float>& tower) {
    const Architecture& architecture = tower.architecture();
    const Matrix z = reference_outputs(architecture, in_double(architecture, tower.parameters()), x);
    for (std::size_t row = 0; row < x.rows; ++row) {
      double value = z.at(row, outputs[row]);
      if (architecture.loss == LossKind::softmax) {
        for (std::size_t k = 0; k < z.columns; ++k) value -= z.at(row, k) / static_cast<double>(z.columns);
      }
      sums[row] +=
          architecture.target_units.scale * value / static_cast<double>(1 + model.other_towers.size());
    }
  };
  add(model.network);
  for (const auto& tower : model.other_towers) add(tower);
  return sums;
}

class RowEffectsTest : public TrainTest {
 protected:
  /// Rows in which some labels are 2 and some shops are missing.
  static std::string rows_text(std::size_t rows, unsigned seed) {
    std::string text = shop_text(rows, seed);
    std::size_t line = 0;
    for (std::size_t at = text.find('\n') + 1; at < text.size(); at = text.find('\n', at) + 1, ++line) {
      if (line % 5 == 0) text[at] = '2';
      if (line % 7 == 0) text.erase(at + 2, text.find('\t', at + 2) - at - 2);
    }
    return text;
  }

  void expect_those_of_reference(const std::string& toml, TrainOptions options) {
    const std::string text = rows_text(1100, 3);  // more than one batch of work
    const std::string name = "d" + std::to_string(++made_);
    const std::string data = make_dataset(folder_, name, toml, text);
    options.datasets = {data};
    options.model = file(name + ".model");
    train(options);
    const Predictor predictor(options.model);
    const Ensemble<float> model = load_ensemble(open_model<float>(options.model));
    const CodeLayout& layout = *predictor.encoder().layout();
    const ShopColumns columns(text);
    const CodeBatch batch = predictor.encoder().encode(columns.table);
    const Matrix x = dense(batch.view());

    std::vector<double> means(layout.num_columns);
    for (std::size_t c = 0; c < x.columns; ++c) {
      for (std::size_t row = 0; row < x.rows; ++row) means[c] += x.at(row, c) / static_cast<double>(x.rows);
      ASSERT_NEAR(model.source.column_means[c], means[c], 1e-6 * (1 + std::abs(means[c]))) << c;
    }
    std::vector<EncodeIssue> issues;
    const ExplainedRows found = predictor.explain(columns.table, issues);
    EXPECT_TRUE(issues.empty());
    EXPECT_EQ(found.predictions, predictor.predict(columns.table));
    const std::size_t num_outputs = predictor.num_outputs();
    for (std::size_t row = 0; row < x.rows; ++row) {
      const auto* const probabilities = found.predictions.data() + row * num_outputs;
      ASSERT_EQ(found.outputs[row],
                std::max_element(probabilities, probabilities + num_outputs) - probabilities);
    }
    const std::vector<double> whole = raw(model, x, found.outputs);
    const std::vector<std::size_t>& with_columns = predictor.effects().features();
    ASSERT_EQ(with_columns, (std::vector<std::size_t>{0, 1, 2, 3, 5}));
    std::vector<double> sums(x.rows);
    double largest = 0;
    for (std::size_t f = 0; f < with_columns.size(); ++f) {
      const FeatureBlock& block = layout.blocks[with_columns[f]];
      Matrix without = x;
      for (std::size_t row = 0; row < x.rows; ++row) {
        for (std::size_t c = block.column_offset; c < block.column_offset + block.num_columns; ++c)
          without.at(row, c) = means[c];
      }
      const std::vector<double> other = raw(model, without, found.outputs);
      for (std::size_t row = 0; row < x.rows; ++row) {
        const double effect = found.effects[row * with_columns.size() + f];
        ASSERT_NEAR(effect, whole[row] - other[row], 2e-5 * (1 + std::abs(whole[row]))) << row << ' ' << f;
        sums[row] += effect;
        largest = std::max(largest, std::abs(effect));
      }
    }
    EXPECT_GT(largest, 0.01);
    if (!model.network.architecture().hidden.empty()) return;
    const double shift = model.network.architecture().target_units.shift;
    for (std::size_t row = 0; row < x.rows; ++row)
      ASSERT_NEAR(predictor.effects().base()[found.outputs[row]] + sums[row], whole[row] + shift, 1e-4)
          << row;
  }

  int made_ = 0;
};

TEST_F(RowEffectsTest, AreThoseOfTheReference) {
  for (const char* const hidden : {"none", "5", "6,3"}) {
    for (const LossKind loss : {LossKind::logistic, LossKind::softmax, LossKind::mse}) {
      TrainOptions options = quick_training("", "");
      options.hidden = hidden;
      options.loss = loss;
      SCOPED_TRACE(std::string(hidden) + ' ' + to_string(loss));
      // A label of 2 is not a probability.
      std::string schema =
          loss == LossKind::logistic
              ? "label = { field = \"y\", positive = [\"1\"], negative = [\"0\", \"2\"] }\n" +
                    std::string(features)
          : loss == LossKind::softmax ? classes_schema
                                      : binary_schema;
      expect_those_of_reference(schema, options);
    }
  }
}

TEST_F(RowEffectsTest, WhereEveryRowHasAllItsColumns) {
  const std::string data = make_dataset(folder_, "d", R"(label = "y"
[[feature]]
field = "price"
encoding = "numeric"
transform = "bucketize"
boundaries = [0.2, 0.7]
)",
                                        shop_text(300, 1));
  train(quick_training(data, file("m")));
  const Predictor predictor(file("m"));
  const Ensemble<float> model = load_ensemble(open_model<float>(file("m")));
  double base = model.network.parameters().first_bias[0];
  for (std::size_t c = 0; c < 4; ++c)
    base += model.source.column_means[c] * double{model.network.parameters().first_weights[c]};
  EXPECT_NEAR(predictor.effects().base()[0], base, 1e-5);
}

TEST_F(RowEffectsTest, OfSeveralTowersAreTheirMean) {
  TrainOptions options = quick_training("", "");
  options.hidden = "4";
  options.loss = LossKind::softmax;
  options.devices = {{DeviceKind::cpu, 0}, {DeviceKind::cpu, 0}, {DeviceKind::cpu, 0}};
  options.parallel.mode = ParallelMode::tower;
  options.parallel.mix = Mix::predictions;
  expect_those_of_reference(classes_schema, options);
}

TEST_F(RowEffectsTest, OfBadRowsAreNaNAndOfAskedOutputsThose) {
  const std::string data = make_dataset(folder_, "d", classes_schema, rows_text(300, 1));
  TrainOptions options = quick_training(data, file("m"));
  options.loss = LossKind::softmax;
  train(options);
  const Predictor predictor(file("m"));
  const std::string text = "y\tshop\ttags\tprice\n1\tshop1\tt1\t0.5\n1\tshop2\tt2\tnone\n2\tshop1\tt1\t0.5\n";
  const ShopColumns columns(text);
  for (const std::uint32_t output : {0u, 1u, 2u}) {
    std::vector<EncodeIssue> issues;
    const ExplainedRows found = predictor.explain(columns.table, issues, output);
    ASSERT_EQ(issues.size(), 1u);
    EXPECT_EQ(issues[0].row, 1u);
    EXPECT_EQ(found.outputs, (std::vector<std::uint32_t>{output, 0, output}));
    ASSERT_EQ(found.effects.size(), 15u);
    for (std::size_t f = 0; f < 5; ++f) {
      EXPECT_TRUE(std::isnan(found.effects[5 + f]));
      EXPECT_EQ(found.effects[f], found.effects[10 + f]);
    }
  }
  std::vector<EncodeIssue> issues;
  EXPECT_THROW(predictor.explain(columns.table, issues, 3), ConfigError);
}

TEST_F(RowEffectsTest, AreThoseOfTextWhateverTheThreadsAndBlocks) {
  const std::string text = rows_text(900, 2);
  const std::string data = make_dataset(folder_, "d", binary_schema, text);
  TrainOptions options = quick_training(data, file("m"));
  options.loss = LossKind::mse;
  options.hidden = "3";
  train(options);
  const ShopColumns columns(text);
  const Predictor predictor(file("m"));
  std::vector<EncodeIssue> issues;
  const ExplainedRows expected = predictor.explain(columns.table, issues);
  for (const std::size_t threads : {1, 3}) {
    std::vector<float> effects;
    std::vector<std::string> values;
    PredictOptions what{file("m"), {file("d.tsv")}, ""};
    what.effects = true;
    with_threads(threads, [&] {
      std::mutex mutex;
      predict(
          what,
          [&](const PredictedLines& lines) {
            const std::lock_guard lock(mutex);
            EXPECT_EQ(lines.features.size(), 5u);
            effects.insert(effects.end(), lines.effects.begin(), lines.effects.end());
            values.insert(values.end(), lines.values.begin(), lines.values.end());
            return std::string("some");
          },
          [](std::string_view) {});
    });
    EXPECT_EQ(effects, expected.effects);
    ASSERT_EQ(values.size(), 900u);
    const auto& texts = columns.texts;
    for (std::size_t row = 0; row < values.size(); ++row) {
      EXPECT_EQ(values[row], texts[1][row] + '\t' + texts[2][row] + '\t' + texts[3][row] + '\t' +
                                 texts[3][row] + '\t' + texts[1][row] + " × " + texts[3][row] + '\t');
    }
  }
  PredictOptions of_data{file("m"), {data}, ""};
  of_data.effects = true;
  EXPECT_THAT(complaint<ConfigError>([&] { predict(of_data, [](std::span<const float>) {}); }),
              HasSubstr("is a dataset, which has no values to show"));
}

TEST_F(RowEffectsTest, AModelWithoutMeansIsRefused) {
  const std::string data = make_dataset(folder_, "d", binary_schema, rows_text(100, 2));
  TrainOptions options = quick_training(data, file("m"));
  options.loss = LossKind::mse;
  train(options);
  Model<float> model = load_model(open_model<float>(file("m")));
  model.source.column_means.clear();
  save_model(file("old"), model);
  const Predictor predictor(file("old"));
  for (int again = 0; again < 2; ++again)
    EXPECT_THAT(complaint<ConfigError>([&] { predictor.effects(); }),
                HasSubstr("how often its columns are set"));
}

}  // namespace
}  // namespace widehash::test
