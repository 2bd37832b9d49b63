// Rows with a larger weight than others, or with none.
#include "network/optimizer_kinds.hpp"
#include "pipeline/training_kit.hpp"
#include "train/sampled_rows.hpp"

#include <widehash/model.hpp>

#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace widehash::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class TrainWeights : public TrainTest {};

TEST_F(TrainWeights, AWeightOfTwoIsTheRowTwice) {
  const std::string features = "[[feature]]\nfield = \"a\"\ncardinality = 10\n";
  std::string weighted = "y\tw\ta\n";
  std::string repeated = "y\ta\n";
  std::mt19937 random(6);
  for (int i = 0; i < 60; ++i) {
    const auto y = random() % 2;
    const auto a = random() % 9;
    const auto weight = random() % 3;
    weighted += fmt::format("{}\t{}\t{}\n", y, weight, a);
    for (unsigned k = 0; k < weight; ++k) repeated += fmt::format("{}\t{}\n", y, a);
  }
  TrainOptions options = quick_training(
      make_dataset(folder_, "weighted", "label = \"y\"\nweight = \"w\"\n" + features, weighted),
      file("w.model"));
  options.batch_size = 1000;  // one batch: its mean is over weight
  options.epochs = 5;
  const TrainReport first = train(options);
  options.datasets = {make_dataset(folder_, "repeated", "label = \"y\"\n" + features, repeated)};
  options.model = file("r.model");
  const TrainReport second = train(options);
  EXPECT_NEAR(first.epochs[4].train_loss, second.epochs[4].train_loss, 1e-6);
  const auto a = load_model<float>(file("w.model"));
  const auto b = load_model<float>(file("r.model"));
  for (std::size_t i = 0; i < a.network.parameters().first_weights.size(); ++i) {
    EXPECT_NEAR(a.network.parameters().first_weights[i], b.network.parameters().first_weights[i], 1e-5);
  }
}

TEST_F(TrainWeights, RowsThatWeighMuchCountForAsMuchHoweverFewAreInAStep) {
  // Two in a hundred rows are 1 and have weight 49: half of the total weight, in few of the batches. No
  // feature distinguishes the classes.
  std::string text = "y\tw\tc\n";
  for (std::size_t i = 0; i < 5000; ++i)
    text += i % 50 == 0 ? fmt::format("1\t49\tv{}\n", i % 3) : fmt::format("0\t1\tv{}\n", i % 3);
  const std::string dataset = make_dataset(folder_, "weighted",
                                           "label = \"y\"\nweight = \"w\"\n[[feature]]\nfield = \"c\"\n"
                                           "cardinality = 3\n",
                                           text);
  EXPECT_NEAR(row_weights(Dataset(dataset)).mean, 1.96, 1e-6);
  EXPECT_EQ(row_weights(Dataset(dataset)).heaviest, 49);
  EXPECT_EQ(row_weights(Dataset(data("without", 10, 1))).mean, 0);
  for (const OptimizerKind kind : {OptimizerKind::ftrl, OptimizerKind::adagrad}) {
    TrainOptions options = quick_training(dataset, file("m.model"));
    options.overwrite = true;
    options.epochs = 20;
    options.batch_size = 32;
    options.optimizer = default_settings(kind, {.active_columns = 4});
    options.valid = {dataset};
    const MetricsReport metrics = *train(options).epochs.back().valid;
    EXPECT_NEAR(*metrics.calibration_ratio, 1, 0.05) << to_string(kind);
    EXPECT_LT(*metrics.log_loss, std::log(2.0) + 0.01) << to_string(kind);
  }
}

TEST_F(TrainWeights, TheMeanWeightIsInTheNotesAndInNoSettingsThatOlderProgramsWouldRefuse) {
  std::string text = "y\tw\tc\n";
  for (std::size_t i = 0; i < 500; ++i) text += fmt::format("{}\t{}\tv{}\n", i % 3 == 0, 1 + i % 5, i % 7);
  TrainOptions options = quick_training(make_dataset(folder_, "weights",
                                                     "label = \"y\"\nweight = \"w\"\n[[feature]]\n"
                                                     "field = \"c\"\ncardinality = 7\n",
                                                     text),
                                        file("whole.model"));
  options.decay_learning_rate = false;
  options.epochs = 3;
  train(options);
  const std::string whole = read_text_file(options.model);
  const ModelHeader header = ModelFile<float>(options.model).header();
  EXPECT_EQ(header.optimizer.mean_weight, 0);
  EXPECT_NE(header.training.find("\"mean_weight\":3.0"), std::string::npos) << header.training;
  options.model = file("parts.model");
  options.epochs = 1;
  train(options);
  options.epochs = 3;
  options.resume = true;
  EXPECT_EQ(train(options).rows, 1000u);
  EXPECT_EQ(read_text_file(options.model) == whole, true);
}

TEST_F(TrainWeights, ARowThatWeighsAsMuchAsManyBatchesThrowsNoModel) {
  std::string text = "y\tw\tc\n";
  for (std::size_t i = 0; i < 4000; ++i)
    text += fmt::format("{}\t{}\tv{}\n", i % 7 == 0 ? 1 : 0, i % 1000 == 0 ? 1000000 : 1, i % 3);
  const std::string dataset = make_dataset(folder_, "heavy",
                                           "label = \"y\"\nweight = \"w\"\n[[feature]]\nfield = \"c\"\n"
                                           "cardinality = 3\n",
                                           text);
  for (const OptimizerKind kind : test::optimizer_kinds) {
    TrainOptions options = quick_training(dataset, file("m.model"));
    options.loss = LossKind::mse;
    options.optimizer =
        default_settings(kind, {.active_columns = 4, .loss = LossKind::mse, .most_step_weight = 4});
    options.valid = {dataset};
    const MetricsReport metrics = *train(options).epochs.back().valid;
    EXPECT_LT(*metrics.rmse, 2) << to_string(kind);
  }
}

TEST_F(TrainWeights, TheMeanWeightIsOfAllRowsHoweverShardsAreCut) {
  // A thousand rows of weight 1 in one shard, and two hundred of weight 6 in many.
  std::string light = "y\tw\tc\n";
  for (std::size_t i = 0; i < 1000; ++i) light += fmt::format("{}\t1\tv\n", i % 2);
  std::string heavy = "y\tw\tc\n";
  for (std::size_t i = 0; i < 20; ++i) heavy += fmt::format("{}\t6\tv\n", i % 2);
  write_text_file(file("light.tsv"), light);
  std::vector<std::string> inputs{file("light.tsv")};
  for (std::size_t i = 0; i < 10; ++i) {
    inputs.push_back(file(fmt::format("heavy{}.tsv", i)));
    write_text_file(inputs.back(), heavy);
  }
  run_transform("label = \"y\"\nweight = \"w\"\n[[feature]]\nfield = \"c\"\ncardinality = 3\n", inputs,
                file("unequal"), TransformOptions());
  const Dataset dataset(file("unequal"));
  ASSERT_EQ(dataset.num_shards(), 11u);
  EXPECT_DOUBLE_EQ(row_weights(dataset).mean, 2200.0 / 1200);
  for (const std::uint64_t most_rows : {1200u, 1199u, 100u, 11u, 1u}) {
    double sum = 0;
    double count = 0;
    std::uint64_t looked_at = 0;
    for_each_sampled_row(
        dataset,
        [&](const CodeBatchView& rows, std::size_t row, double share) {
          sum += share * double{rows.weights[row]};
          count += share;
          ++looked_at;
        },
        most_rows);
    EXPECT_NEAR(sum / count, 2200.0 / 1200, 1e-9) << most_rows;
    EXPECT_NEAR(count, 1200, 1e-9);
    EXPECT_LE(looked_at, most_rows + dataset.num_shards());  // at least one row per shard
  }
}

constexpr const char* weighted_schema =
    "label = \"y\"\nweight = \"w\"\n[[feature]]\nfield = \"a\"\ncardinality = 10\n";

TEST_F(TrainWeights, AModelThatNamesItsMeanWeightIsOfAnotherTraining) {
  TrainOptions options = quick_training(
      make_dataset(folder_, "all", weighted_schema, "y\tw\ta\n1\t2\tx\n0\t1\tz\n0\t3\ty\n"), file("a.model"));
  options.decay_learning_rate = false;
  train(options);
  // A program may save such a model; `train` itself keeps the mean weight in the notes.
  Model<float> model = load_model<float>(options.model);
  OptimizerSettings settings = model.optimizer.settings();
  settings.mean_weight = 2;
  model.optimizer = Optimizer<float>(settings, model.optimizer.states(), model.optimizer.step());
  save_model(options.model, model);
  options.resume = true;
  EXPECT_THAT(complaint<ConfigError>([&] { train(options); }),
              testing::HasSubstr("what follows from the data"));
}

TEST_F(TrainWeights, BatchesWithoutWeightMoveNothing) {
  TrainOptions options = quick_training(
      make_dataset(folder_, "all", weighted_schema, "y\tw\ta\n1\t0\tx\n0\t1\tz\n0\t0\ty\n"), file("a.model"));
  options.batch_size = 1;
  options.decay_learning_rate = false;
  const double loss = train(options).epochs.back().train_loss;
  // Other rows, with other labels.
  options.datasets = {
      make_dataset(folder_, "others", weighted_schema, "y\tw\ta\n0\t0\tp\n0\t1\tz\n1\t0\tq\n")};
  options.model = file("b.model");
  EXPECT_EQ(train(options).epochs.back().train_loss, loss);
  EXPECT_EQ(load_model<float>(file("a.model")).network.parameters().first_weights,
            load_model<float>(file("b.model")).network.parameters().first_weights);
}

TEST_F(TrainWeights, DatasetsWithoutWeightAreRefused) {
  const std::string nothing =
      make_dataset(folder_, "nothing", weighted_schema, "y\tw\ta\n1\t0\tx\n0\t0\ty\n");
  TrainOptions options = quick_training(nothing, file("m.model"));
  EXPECT_THAT(complaint<DataError>([&] { train(options); }),
              AllOf(HasSubstr(nothing), HasSubstr("nothing to train on")));
  options.datasets = {make_dataset(folder_, "some", weighted_schema, "y\tw\ta\n1\t1\tx\n0\t2\ty\n")};
  options.valid = {nothing};
  const auto progress = [](const Progress&) { ADD_FAILURE() << "the training began"; };
  EXPECT_THAT(complaint<DataError>([&] { train(options, progress); }),
              AllOf(HasSubstr(nothing), HasSubstr("nothing to judge by")));
  EXPECT_FALSE(file_exists(options.model));
}

}  // namespace
}  // namespace widehash::test
