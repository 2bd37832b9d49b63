// --resume with more or fewer epochs than the training began with.

#include "pipeline/training_kit.hpp"

#include <widehash/model.hpp>

namespace widehash::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

struct Enough {};

class TrainEpochs : public testing::Test {
 protected:
  TrainEpochs() {
    options_ = quick_training(make_dataset(folder_, "train", shop_schema, shop_text(300, 1)),
                              folder_.file("m.model"));
    options_.checkpoint_every = 1;
  }
  void train_until(std::uint64_t batches) {
    std::uint64_t done = 0;
    const auto stop = [&](const Progress&) {
      if (++done == batches) throw Enough();
    };
    EXPECT_THROW(train(options_, stop), Enough);
  }
  std::string checkpoint() const { return options_.model + ".checkpoint"; }

  TempFolder folder_;
  TrainOptions options_;
};

TEST_F(TrainEpochs, FewerLeaveTheCheckpointThatIsInTheMiddleOfAFurtherOne) {
  options_.decay_learning_rate = false;
  options_.epochs = 3;
  train(options_);
  const std::string expected = read_text_file(options_.model);
  std::filesystem::remove(options_.model);

  train_until(8);  // at 5 batches per epoch
  const std::string reached = read_text_file(checkpoint());
  options_.resume = true;
  options_.epochs = 1;
  EXPECT_EQ(train(options_).rows, 0u);
  EXPECT_EQ(read_text_file(checkpoint()) == reached, true);
  options_.epochs = 3;
  EXPECT_LT(train(options_).rows, 600u);
  EXPECT_EQ(read_text_file(options_.model) == expected, true);
  EXPECT_FALSE(file_exists(checkpoint()));
}

// One of the validation rows has a number that is too large for the model.
TEST_F(TrainEpochs, OneThatCannotBeJudgedIsKept) {
  const std::string schema = "label = \"y\"\n[[feature]]\nfield = \"x\"\nencoding = \"numeric\"\n";
  std::string text = "y\tx\n";
  for (int i = 0; i < 300; ++i) text += fmt::format("{}\t0.{}\n", 100 * (i % 7), i % 7);
  TrainOptions options =
      quick_training(make_dataset(folder_, "rows", schema, text), folder_.file("judged.model"));
  options.loss = LossKind::mse;
  options.optimizer.learning_rate = 1;  // to reach a weight of 5
  options.valid = {make_dataset(folder_, "bad", schema, text + "1\t3.4e38\n")};
  EXPECT_THAT(complaint<DataError>([&] { train(options); }),
              AllOf(HasSubstr("bad:301"), HasSubstr("is not finite: a number in the row is too large")));
  const std::string checkpoint = folder_.file("judged.model.checkpoint");
  EXPECT_EQ(read_model_header<float>(checkpoint).position.rows_seen, 300u);

  options.overwrite = false;
  options.resume = true;
  EXPECT_THROW(train(options), DataError) << "the same rows say the same";
  // No epoch has been judged yet, so other rows may judge all of them.
  options.valid = {make_dataset(folder_, "good", schema, text)};
  train(options);
  TrainOptions whole = options;
  whole.resume = false;
  whole.model = folder_.file("whole");
  train(whole);
  EXPECT_EQ(load_model<float>(options.model).network.parameters().first_weights,
            load_model<float>(whole.model).network.parameters().first_weights);
}

TEST_F(TrainEpochs, MoreEpochsOfAFallenRateAreAdvisedToStartFromTheModel) {
  options_.decay_learning_rate = true;
  options_.epochs = 1;
  train(options_);
  options_.resume = true;
  options_.epochs = 2;
  EXPECT_THAT(complaint<ConfigError>([&] { train(options_); }),
              AllOf(HasSubstr("--lr-decay"), HasSubstr("--from " + options_.model)));
}

}  // namespace
}  // namespace widehash::test
