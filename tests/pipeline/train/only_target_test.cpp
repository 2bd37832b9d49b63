// Whether all rows of a training have the same label, so that there is nothing to learn.
#include "pipeline/training_kit.hpp"

#include <string>

namespace widehash::test {
namespace {

class OnlyTarget : public TrainTest {
 protected:
  /// What training reports for rows of "label weight value".
  std::optional<float> found(const std::string& label, const std::string& rows,
                             const ClassWeights& weights = {}) {
    const std::string day = fmt::format("day {}", ++num_days_);
    make_dataset(folder_, day, label + "weight = \"w\"\n[[feature]]\nfield = \"a\"\ncardinality = 9\n",
                 "y\tw\ta\n" + rows, 1 << 10);
    TrainOptions options = quick_training(file(day), file("m"));
    options.epochs = 1;
    options.class_weights = weights;
    return train(options).only_target;
  }

 private:
  int num_days_ = 0;
};

TEST_F(OnlyTarget, IsReportedWhereNoRowHasAnother) {
  const std::string number = "label = \"y\"\n";
  const std::string classes = "label = { field = \"y\", classes = [\"AA\", \"YV\"] }\n";
  EXPECT_EQ(found(number, "1\t1\ta\n0\t1\tb\n"), std::nullopt);
  EXPECT_EQ(found(number, "0\t1\ta\n0\t2\tb\n"), 0.0F);
  EXPECT_EQ(found(classes, "YV\t1\ta\nYV\t1\tb\n"), 1.0F);
  EXPECT_EQ(found(classes, "YV\t1\ta\nAA\t1\tb\n"), std::nullopt);
  std::string many;
  for (int i = 0; i < 2000; ++i) many += "0\t1\tvalue" + std::to_string(i) + "\n";
  EXPECT_EQ(found(number, many), 0.0F);
  EXPECT_EQ(found(number, many + "1\t1\tlast\n"), std::nullopt) << "in the last of several shards";
}

TEST_F(OnlyTarget, RowsThatWeighNothingDoNotCount) {
  const std::string number = "label = \"y\"\n";
  EXPECT_EQ(found(number, "1\t0\ta\n0\t1\tb\n"), 0.0F);
  EXPECT_EQ(found(number, "1\t1\ta\n0\t1\tb\n", {.of_class = {0, 1}}), 1.0F);
}

}  // namespace
}  // namespace widehash::test
