// How much noisier row weights make gradients.
#include "train/weight_noise.hpp"

#include "pipeline/training_kit.hpp"

#include <string>
#include <vector>

namespace widehash::test {
namespace {

class WeightNoiseTest : public TrainTest {
 protected:
  /// The noise of rows of "label weight".
  double noise(const std::string& rows, const std::vector<double>& of_class = {}) {
    const std::string name = fmt::format("rows {}", ++count_);
    Dataset dataset(make_dataset(
        folder_, name, "label = \"y\"\nweight = \"w\"\n[[feature]]\nfield = \"a\"\ncardinality = 9\n",
        "y\tw\ta\n" + rows));
    if (!of_class.empty()) dataset.weigh_classes(of_class);
    return weight_noise(dataset);
  }

  /// `all` rows, one of which is positive and has weight `weight`.
  static std::string rare(int all, double weight) {
    std::string rows = fmt::format("1\t{}\tv\n", weight);
    for (int i = 1; i < all; ++i) rows += "0\t1\tv\n";
    return rows;
  }

  int count_ = 0;
};

TEST_F(WeightNoiseTest, RowsThatWeighAlikeHaveNone) {
  EXPECT_NEAR(noise(rare(50, 1)), 1, 1e-12);
  EXPECT_NEAR(noise("0\t0.1\tv\n1\t0.1\tv\n0\t0.1\tv\n"), 1, 1e-6);
  EXPECT_NEAR(noise(rare(50, 1), {3, 3}), 1, 1e-12);
  EXPECT_EQ(noise("1\t5\tv\n1\t2\tv\n"), 1) << "one class";
  EXPECT_EQ(noise("1\t0\tv\n0\t0\tv\n"), 1) << "no weight";
}

TEST_F(WeightNoiseTest, ItIsThatOfTheFormula) {
  // 100 rows, one positive of weight 99: both shares are a half, so all squares are a half.
  const double weights = 99 + 99;
  const double expected = (99.0 * 99 + 99) / weights * 100 / weights;
  EXPECT_NEAR(noise(rare(100, 99)), expected, 1e-9);
  EXPECT_NEAR(noise(rare(100, 1), {1, 99}), expected, 1e-9);
  // Common rows that were thinned out and have more weight are no noisier.
  EXPECT_LT(noise("1\t1\tv\n0\t20\tv\n0\t20\tv\n1\t1\tv\n"), 1);
}

}  // namespace
}  // namespace widehash::test
