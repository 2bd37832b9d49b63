// Labels in other units than the labels of the model that training starts from.
#include "pipeline/training_kit.hpp"

#include <optional>
#include <string>

namespace widehash::test {
namespace {

class LabelShiftTest : public TrainTest {
 protected:
  /// Rows whose labels are `scale` times 5, 6, ... 14, plus `shift`.
  std::string dataset(const std::string& name, double scale, double shift = 0) {
    std::string rows = "y\ta\n";
    for (int i = 0; i < 200; ++i) rows += fmt::format("{}\tv{}\n", scale * (5 + i % 10) + shift, i % 7);
    return make_dataset(folder_, name, "label = \"y\"\n[[feature]]\nfield = \"a\"\ncardinality = 9\n", rows);
  }

  TrainReport trained(const std::string& dataset, const std::string& model, LossKind loss,
                      const std::string& from = "") {
    TrainOptions options = quick_training(dataset, file(model));
    options.loss = loss;
    options.from = from;
    return train(options);
  }
};

TEST_F(LabelShiftTest, IsReportedWhereLabelsAreInOtherUnits) {
  EXPECT_FALSE(trained(dataset("first", 1), "m", LossKind::mse).label_shift);
  const auto found = [&](double scale, double shift) {
    const std::string day = fmt::format("day {} {}", scale, shift);
    return trained(dataset(day, scale, shift), day + " model", LossKind::mse, file("m")).label_shift;
  };
  EXPECT_FALSE(found(1, 0));
  EXPECT_FALSE(found(1.2, 0)) << "dearer";
  EXPECT_FALSE(found(3, -19)) << "of another spread about the same mean";
  EXPECT_FALSE(found(1, -5)) << "a bad day";
  EXPECT_TRUE(found(1 / 1.609, 0)) << "miles for kilometres";
  EXPECT_TRUE(found(0.01, 0));
  EXPECT_TRUE(found(1.8, 32)) << "Fahrenheit for Celsius";
  EXPECT_TRUE(found(-1, 0));
  EXPECT_TRUE(found(1, 1000));
  const std::optional<LabelShift> cents = found(100, 0);
  ASSERT_TRUE(cents);
  EXPECT_NEAR(cents->before.shift, 9.5, 1e-9);
  EXPECT_NEAR(cents->now.shift, 950, 1e-9);
  EXPECT_NEAR(cents->now.scale, 100 * cents->before.scale, 1e-6);
}

TEST_F(LabelShiftTest, OfCountsNothingIsKnownOfTheRowsBefore) {
  trained(dataset("first", 1), "m", LossKind::poisson);
  EXPECT_FALSE(trained(dataset("second", 100), "n", LossKind::poisson, file("m")).label_shift);
}

}  // namespace
}  // namespace widehash::test
