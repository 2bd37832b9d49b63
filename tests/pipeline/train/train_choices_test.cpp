#include "pipeline/training_kit.hpp"

#include <widehash/error.hpp>
#include <widehash/train_choices.hpp>

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace widehash::test {
namespace {

using testing::HasSubstr;

template <class Call>
std::string refusal(const Call& call) {
  try {
    call();
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "not refused";
}

class TrainChoicesTest : public testing::Test {
 protected:
  TrainChoicesTest() {
    dataset_ = make_dataset(folder_, "rows", shop_schema, shop_text(320, 1));
    options_.datasets = {dataset_};
    options_.model = folder_.file("model");
  }

  RowShape shape(std::uint64_t batch_size, std::uint64_t dense_weights = 0,
                 LossKind loss = LossKind::logistic) const {
    return {.active_columns = active_columns(Dataset(dataset_)),
            .num_rows = 320,
            .dense_weights = dense_weights,
            .batch_size = batch_size,
            .loss = loss,
            .columns_per_value = columns_per_value(*Dataset(dataset_).layout())};
  }

  TempFolder folder_;
  std::string dataset_;
  TrainOptions options_;
};

TEST_F(TrainChoicesTest, UnsetOptionsFollowTheRows) {
  const TrainOptions options = with_defaults(options_, {});
  EXPECT_EQ(options.batch_size, default_batch_size(320, false, options_.epochs));
  EXPECT_EQ(options.optimizer, default_settings(OptimizerKind::adagrad, shape(options.batch_size)));
  EXPECT_DOUBLE_EQ(options.optimizer.l2,
                   prior_precision * columns_per_value(*Dataset(dataset_).layout()) / 320);
  TrainOptions deep = options_;
  deep.hidden = "4";
  EXPECT_DOUBLE_EQ(with_defaults(deep, {}).optimizer.l2,
                   options.optimizer.l2 * 320 * hidden_prior / (320 + hidden_prior_rows));
  train(options);
  TrainOptions further = options_;
  further.from = options_.model;
  further.model = folder_.file("further");
  EXPECT_DOUBLE_EQ(with_defaults(further, {}).optimizer.l2, options.optimizer.l2 / 8);
}

TEST_F(TrainChoicesTest, SetOptionsStay) {
  const TrainChoices choices{.optimizer = OptimizerKind::adam,
                             .learning_rate = 0.25,
                             .l1 = 1e-4,
                             .l2 = 0,
                             .beta1 = 0.5,
                             .beta2 = 0.75,
                             .epsilon = 1e-3,
                             .batch_size = 100};
  const TrainOptions options = with_defaults(options_, choices);
  EXPECT_EQ(options.batch_size, 100u);
  EXPECT_EQ(options.optimizer, (OptimizerSettings{.kind = OptimizerKind::adam,
                                                  .learning_rate = 0.25,
                                                  .l1 = 1e-4,
                                                  .l2 = 0,
                                                  .beta1 = 0.5,
                                                  .beta2 = 0.75,
                                                  .epsilon = 1e-3}));
}

TEST_F(TrainChoicesTest, ATrainingThatIsResumedKeepsTheSizeOfItsBatches) {
  options_.decay_learning_rate = false;
  train(with_defaults(options_, {}));
  options_.resume = true;
  options_.epochs = 5;  // a new training would choose fewer rows per step
  ASSERT_NE(default_batch_size(320, false, 5), default_batch_size(320, false, 1));
  const TrainOptions onwards = with_defaults(options_, {});
  EXPECT_EQ(onwards.batch_size, default_batch_size(320, false, 1));
  EXPECT_EQ(train(onwards).rows, 4 * 320u);
}

TEST_F(TrainChoicesTest, ATrainingThatIsResumedKeepsItsOptimizer) {
  options_.loss = LossKind::mse;
  const TrainChoices said{.optimizer = OptimizerKind::sgd, .learning_rate = 0.125, .l1 = 1e-3};
  const TrainOptions first = with_defaults(options_, said);
  train(first);
  options_.resume = true;
  EXPECT_EQ(with_defaults(options_, {}).optimizer, first.optimizer);
  EXPECT_EQ(train(with_defaults(options_, {})).rows, 0u) << "it is finished";
  // A setting given now takes precedence, and train() compares it with the earlier one.
  const TrainOptions faster = with_defaults(options_, {.learning_rate = 0.25});
  EXPECT_EQ(faster.optimizer.learning_rate, 0.25);
  EXPECT_THAT(refusal([&] { train(faster); }), HasSubstr("--lr: 0.125 before, 0.25 now"));
  EXPECT_THAT(refusal([&] { train(with_defaults(options_, {.optimizer = OptimizerKind::adam})); }),
              HasSubstr("--optimizer: sgd before, adam now"));
}

TEST_F(TrainChoicesTest, SgdTakesSmallerStepsWhereNumbersAreLarge) {
  // Logarithms of amounts around 200,000; the label is a tenth of the amount, plus some noise.
  std::string text = "y\tshop\tamount\n";
  for (int i = 0; i < 2000; ++i)
    text += fmt::format("{}\ts{}\t{}\n", 20 + static_cast<double>(i % 100) / 10 + i % 7, i % 5,
                        150000 + 1000 * (i % 100));
  options_.datasets.front() =
      make_dataset(folder_, "amounts",
                   "label = \"y\"\n[[feature]]\nfield = \"shop\"\ncardinality = 5\n[[feature]]\n"
                   "field = \"amount\"\nencoding = \"numeric\"\ntransform = \"log1p\"\n",
                   text);
  options_.loss = LossKind::mse;
  options_.valid = {options_.datasets.front()};
  options_.epochs = 3;
  const TrainOptions options = with_defaults(options_, {.optimizer = OptimizerKind::sgd});
  EXPECT_LT(options.optimizer.learning_rate, 1.0 / 140);
  const MetricsReport metrics = *train(options).epochs.back().valid;
  EXPECT_LT(*metrics.rmse, 1.02 * *metrics.constant_rmse);
  EXPECT_GT(with_defaults(options_, {}).optimizer.learning_rate, 0.1) << "of adagrad it does not matter";
}

TEST_F(TrainChoicesTest, ATrainingInLargeBatchesIsResumedAtItsRate) {
  options_.decay_learning_rate = false;
  const TrainOptions first = with_defaults(options_, {.batch_size = 2048});
  train(first);
  options_.resume = true;
  options_.epochs = 2;
  for (const TrainChoices& choices : {TrainChoices{.batch_size = 2048}, TrainChoices{}}) {
    const TrainOptions onwards = with_defaults(options_, choices);
    EXPECT_EQ(onwards.batch_size, 2048u);
    EXPECT_EQ(onwards.optimizer, first.optimizer);
  }
  EXPECT_EQ(train(with_defaults(options_, {})).rows, 320u);
}

TEST_F(TrainChoicesTest, SettingsOfAnotherRuleAreRefused) {
  const auto refusal = [&](const TrainChoices& choices) {
    return complaint<ConfigError>([&] { with_defaults(options_, choices); });
  };
  EXPECT_THAT(refusal({.beta = 1.0}), HasSubstr("--beta is a setting of ftrl, but the optimizer is adagrad"));
  EXPECT_THAT(refusal({.beta1 = 0.9}), HasSubstr("--beta1 is a setting of adam"));
  EXPECT_THAT(refusal({.optimizer = OptimizerKind::rmsprop, .beta2 = 0.9}), HasSubstr("--beta2"));
  EXPECT_THAT(refusal({.optimizer = OptimizerKind::adam, .rho = 0.9}), HasSubstr("--rho"));
  EXPECT_THAT(refusal({.optimizer = OptimizerKind::sgd, .epsilon = 0.1}), HasSubstr("--epsilon"));
  EXPECT_EQ(with_defaults(options_, {.optimizer = OptimizerKind::ftrl, .beta = 3.0}).optimizer.beta, 3.0);
  EXPECT_EQ(with_defaults(options_, {.optimizer = OptimizerKind::rmsprop, .rho = 0.5}).optimizer.rho, 0.5);
}

TEST_F(TrainChoicesTest, LayersAndLossOfANewNetworkCount) {
  options_.hidden = "8";
  options_.loss = LossKind::mse;
  const TrainOptions options = with_defaults(options_, {});
  EXPECT_EQ(options.optimizer, default_settings(OptimizerKind::adagrad, shape(512, 8, LossKind::mse)));
  EXPECT_NE(options.optimizer, default_settings(OptimizerKind::adagrad, shape(512)));
}

TEST_F(TrainChoicesTest, ABatchLargerThanUsualDoesNotRaiseTheRate) {
  const TrainOptions options = with_defaults(options_, {.batch_size = 16384});
  EXPECT_EQ(options.batch_size, 16384u);
  EXPECT_EQ(options.optimizer, default_settings(OptimizerKind::adagrad, shape(512)));
}

TEST_F(TrainChoicesTest, TheModelToStartFromSettlesNetworkAndOptimizer) {
  TrainOptions first = options_;
  first.hidden = "4";
  first.optimizer = default_settings(OptimizerKind::ftrl);
  train(first);
  options_.from = first.model;
  options_.model = folder_.file("next");
  RowShape further = shape(512, 8);
  further.goes_on = true;
  EXPECT_EQ(with_defaults(options_, {}).optimizer, default_settings(OptimizerKind::ftrl, further));
  EXPECT_EQ(with_defaults(options_, {.optimizer = OptimizerKind::sgd}).optimizer,
            default_settings(OptimizerKind::sgd, further));
}

TEST_F(TrainChoicesTest, OptionsOfANewNetworkAreRefusedBesideAModel) {
  EXPECT_NO_THROW(check_start("1.model", {}));
  EXPECT_EQ(
      refusal([] {
        check_start("1.model", std::vector<std::string>{"--hidden", "--loss"});
      }),
      "train: --hidden is for a new network, but the model of --from 1.model already has its layers and "
      "loss; leave out one of the two");
  EXPECT_EQ(
      refusal([] { check_start("", {}); }),
      "train: --from is empty; name the model to start from, or leave --from out to start from scratch");
}

TEST_F(TrainChoicesTest, AnActivationIsOfHiddenLayers) {
  EXPECT_EQ(refusal([] { check_activation("none"); }),
            "train: --activation is for hidden layers, but there are none; add --hidden, or leave it out");
  for (const char* hidden : {"8,4", "auto"})
    EXPECT_EQ(refusal([&] { check_activation(hidden); }), "not refused");
}

TEST_F(TrainChoicesTest, OnlyTowersAreMixed) {
  const auto said_of = [](const ParallelSettings& settings) {
    return refusal([&] { check_mixing(settings); });
  };
  EXPECT_EQ(said_of({ParallelMode::data, Mix::parameters, 1}),
            "train: --mix says how towers are brought together; add --parallel tower");
  EXPECT_EQ(said_of({ParallelMode::tower, Mix::gradients, 2}),
            "train: --mix-every is for towers that mix parameters; add --parallel tower --mix parameters");
  EXPECT_EQ(said_of({ParallelMode::tower, Mix::parameters, 0}), "train: --mix-every must be at least 1");
  for (const ParallelSettings& settings : {ParallelSettings{},
                                           {ParallelMode::model, Mix::gradients, 1},
                                           {ParallelMode::tower, Mix::parameters, 7},
                                           {ParallelMode::tower, Mix::predictions, 1}})
    EXPECT_EQ(said_of(settings), "not refused");
}

}  // namespace
}  // namespace widehash::test
