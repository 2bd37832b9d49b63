#include "training_kit.hpp"

#include <widehash/code.hpp>
#include <widehash/model.hpp>
#include <widehash/predict.hpp>

#include <algorithm>
#include <cmath>
#include <map>

namespace widehash::test {
namespace {

using testing::HasSubstr;

const std::string explain_schema = R"(label = "y"
[[feature]]
field = "shop"
cardinality = 40
[[feature]]
field = "tags"
separator = ","
encoding = "one_hot"
buckets = 64
[[feature]]
cross = ["shop", "tags"]
separator = ","
cardinality = 1000
[[feature]]
field = "price"
encoding = "numeric"
[[feature]]
field = "shop"
name = "known shop"
encoding = "exact"
cardinality = 10
max_values = 30
)";

class ExplainTest : public testing::Test {
 protected:
  ExplainTest() {
    text_ = shop_text(1500, 1);
    write_text_file(folder_.file("in.tsv"), text_);
    run_fit(explain_schema, {folder_.file("in.tsv")}, folder_.file("tables"));
    TransformOptions options;
    options.tables_directory = folder_.file("tables");
    run_transform(explain_schema, {folder_.file("in.tsv")}, folder_.file("data"), options);
  }
  void train_model(const std::string& hidden = "none") {
    TrainOptions options = quick_training(folder_.file("data"), folder_.file("m.model"));
    options.hidden = hidden;
    train(options);
  }
  std::vector<FeatureEffects> explained(std::uint64_t top, std::uint64_t min_count) {
    return explain({folder_.file("m.model"), folder_.file("tables"), top, min_count});
  }
  static const FeatureEffects& feature(const std::vector<FeatureEffects>& all, const std::string& name) {
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const FeatureEffects& f) { return f.feature == name; });
    EXPECT_NE(found, all.end()) << name;
    return *found;
  }

  TempFolder folder_;
  std::string text_;
};

TEST_F(ExplainTest, EffectsOfALinearModelAreSumsOfWeights) {
  train_model();
  const Model<float> model = load_model<float>(folder_.file("m.model"));
  const auto& weights = model.network.parameters().first_weights;
  std::map<std::string, std::uint64_t> counts;
  for (std::size_t at = text_.find('\n') + 1; at < text_.size(); at = text_.find('\n', at) + 1) {
    const std::size_t begin = text_.find('\t', at) + 1;
    ++counts[text_.substr(begin, text_.find('\t', begin) - begin)];
  }
  std::map<std::string, double> sums;
  double mean = 0;
  for (const auto& [shop, count] : counts) {
    const std::uint64_t hash = hash_xxh64(shop);
    double sum = 0;
    for (std::uint64_t k = 0; k < 4; ++k) sum += weights[k * 8 + ((hash >> (48 - 16 * k)) & 0xFFFF) % 8];
    sums[shop] = sum;
    mean += sum * static_cast<double>(count) / 1500;
  }
  double spread = 0;
  for (const auto& [shop, sum] : sums)
    spread += static_cast<double>(counts[shop]) * (sum - mean) * (sum - mean) / 1500;

  const auto all = explained(1000, 1);
  const FeatureEffects& shops = feature(all, "shop");
  EXPECT_EQ(shops.num_values, sums.size());
  ASSERT_EQ(shops.highest.size(), sums.size());
  ASSERT_EQ(shops.lowest.size(), sums.size());
  EXPECT_NEAR(shops.spread, std::sqrt(spread), 1e-5);
  EXPECT_GT(shops.spread, 0.05);
  for (const ValueEffect& value : shops.highest) {
    EXPECT_NEAR(value.effect, sums.at(value.value) - mean, 1e-5) << value.value;
    EXPECT_EQ(value.count, counts.at(value.value));
  }
}

TEST_F(ExplainTest, OrderIsByEffectAndBySpread) {
  train_model();
  const auto all = explained(5, 1);
  ASSERT_EQ(all.size(), 4u);  // the number has no values to tell of
  for (std::size_t i = 0; i + 1 < all.size(); ++i) EXPECT_GE(all[i].spread, all[i + 1].spread);
  const auto everything = explained(100000, 1);
  for (const FeatureEffects& some : all) {
    const FeatureEffects& whole = feature(everything, some.feature);
    ASSERT_EQ(some.highest.size(), 5u);
    ASSERT_EQ(some.lowest.size(), 5u);
    for (std::size_t i = 0; i < 5; ++i) {
      EXPECT_EQ(some.highest[i].effect, whole.highest[i].effect);
      EXPECT_EQ(some.lowest[i].effect, whole.lowest[i].effect);
    }
    const auto falls = [](const ValueEffect& a, const ValueEffect& b) { return a.effect > b.effect; };
    const auto rises = [](const ValueEffect& a, const ValueEffect& b) { return a.effect < b.effect; };
    EXPECT_TRUE(std::is_sorted(whole.highest.begin(), whole.highest.end(), falls));
    EXPECT_TRUE(std::is_sorted(whole.lowest.begin(), whole.lowest.end(), rises));
  }
  // Even shops are liked.
  for (const ValueEffect& value : feature(all, "known shop").highest) {
    EXPECT_EQ((value.value.back() - '0') % 2, 0) << value.value;
  }
}

TEST_F(ExplainTest, RareValuesAreLeftOutOfTheListsOnly) {
  train_model();
  const auto common = explained(1000, 40);
  const auto all = explained(1000, 1);
  const FeatureEffects& shops = feature(common, "shop");
  EXPECT_LT(shops.highest.size(), feature(all, "shop").highest.size());
  EXPECT_FALSE(shops.highest.empty());
  for (const ValueEffect& value : shops.highest) EXPECT_GE(value.count, 40u);
  EXPECT_EQ(shops.spread, feature(all, "shop").spread);
  EXPECT_EQ(shops.num_values, feature(all, "shop").num_values);
  EXPECT_TRUE(feature(explained(0, 1), "shop").highest.empty());
}

TEST_F(ExplainTest, CrossesReadAsTheirParts) {
  train_model();
  const auto all = explained(3, 1);
  for (const FeatureEffects& effects : all) {
    if (!effects.highest[0].value.starts_with("shop") ||
        effects.highest[0].value.find(" × ") == std::string::npos)
      continue;
    EXPECT_THAT(effects.highest[0].value, testing::MatchesRegex("shop[0-9]+ × t[0-9]"));
    return;
  }
  FAIL() << "no cross";
}

TEST_F(ExplainTest, HiddenLayersHaveEffectsToo) {
  train_model("6");
  const auto all = explained(3, 1);
  for (const FeatureEffects& effects : all) {
    EXPECT_TRUE(std::isfinite(effects.spread));
    EXPECT_GT(effects.spread, 0) << effects.feature;
  }
}

TEST_F(ExplainTest, TablesOfAnotherSchemaAndOutputsThatAreNotThereAreRefused) {
  train_model();
  EXPECT_THROW(explain({folder_.file("m.model"), folder_.file("tables"), 3, 1}, 1), ConfigError);
  run_fit(shop_schema, {folder_.file("in.tsv")}, folder_.file("other"));
  EXPECT_THROW(explain({folder_.file("m.model"), folder_.file("other"), 3, 1}), ConfigError);
  write_text_file(folder_.file("less.tsv"), shop_text(20, 1));
  run_fit(explain_schema, {folder_.file("less.tsv")}, folder_.file("less"));
  EXPECT_THAT(complaint<ConfigError>([&] {
                explain({folder_.file("m.model"), folder_.file("less"), 3, 1});
              }),
              HasSubstr("tables"));
}

}  // namespace
}  // namespace widehash::test
