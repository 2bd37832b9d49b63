#include "pipeline/training_kit.hpp"

#include <widehash/code.hpp>
#include <widehash/explain.hpp>
#include <widehash/model.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include <fmt/format.h>

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

TEST_F(ExplainTest, CanBeStoppedWithinAFeature) {
  train_model();
  const ExplainOptions options{folder_.file("m.model"), folder_.file("tables")};
  std::uint64_t features = 0;
  std::uint64_t calls = 0;
  explain(options, 0, [&](const Progress& done) {
    ++calls;
    features = done.bytes_done;
    EXPECT_EQ(done.bytes_total, 5U);
  });
  EXPECT_EQ(features, 5U);
  EXPECT_GT(calls, features);
  EXPECT_THROW(explain(options, 0, [](const Progress&) { throw Stopped("as asked"); }), Stopped);
}

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
  EXPECT_NEAR(*shops.spread, std::sqrt(spread), 1e-5);
  EXPECT_GT(shops.spread, 0.05);
  for (const ValueEffect& value : shops.highest) {
    EXPECT_NEAR(value.effect, sums.at(value.value) - mean, 1e-5) << value.value;
    EXPECT_EQ(value.count, counts.at(value.value));
  }
}

TEST_F(ExplainTest, OrderIsByEffectAndBySpread) {
  train_model();
  const auto all = explained(5, 1);
  ASSERT_EQ(all.size(), 5u);
  for (std::size_t i = 0; i + 1 < all.size(); ++i) EXPECT_GE(all[i].spread, all[i + 1].spread);
  const auto everything = explained(100000, 1);
  for (const FeatureEffects& some : all) {
    if (some.kind == FeatureEffects::Kind::number) continue;
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
  // Whatever number is requested, the first of all values are returned; ties keep the order of the table.
  for (const std::size_t top : {0, 1, 2, 3, 7, 40}) {
    for (const FeatureEffects& some : explained(top, 1)) {
      if (some.kind == FeatureEffects::Kind::number) continue;
      const FeatureEffects& whole = feature(everything, some.feature);
      ASSERT_EQ(some.highest.size(), std::min(top, whole.highest.size()));
      ASSERT_EQ(some.lowest.size(), some.highest.size());
      for (std::size_t i = 0; i < some.highest.size(); ++i) {
        EXPECT_EQ(some.highest[i].value, whole.highest[i].value);
        EXPECT_EQ(some.lowest[i].value, whole.lowest[i].value);
      }
    }
  }
  // Even shops are liked.
  for (const ValueEffect& value : feature(all, "known shop").highest) {
    EXPECT_EQ((value.value.back() - '0') % 2, 0) << value.value;
  }
}

TEST_F(ExplainTest, NumbersHaveAnEffectForEachUnit) {
  train_model();
  const auto all = explained(3, 1);
  const FeatureEffects& price = feature(all, "price");
  EXPECT_EQ(price.kind, FeatureEffects::Kind::number);
  const Model<float> model = load_model<float>(folder_.file("m.model"));
  const CodeLayout layout = *Dataset(folder_.file("data")).layout();
  const std::uint64_t column = layout.blocks[3].column_offset;
  EXPECT_NEAR(price.per_unit, model.network.parameters().first_weights[column], 1e-6);
  EXPECT_NE(price.per_unit, 0);
  EXPECT_GT(price.moments.standard_deviation, 0);
  EXPECT_NEAR(*price.spread, std::abs(price.per_unit) * price.moments.standard_deviation, 1e-9);
}

TEST_F(ExplainTest, EveryTransformOfANumberIsReported) {
  const std::string toml = R"(label = "y"
[[feature]]
field = "price"
name = "standard"
encoding = "numeric"
transform = "standardize"
[[feature]]
field = "price"
name = "log"
encoding = "numeric"
transform = "log1p"
[[feature]]
field = "price"
name = "pieces"
encoding = "numeric"
transform = "bucketize"
boundaries = [0.25, 0.75]
[[feature]]
field = "price"
name = "not missing"
encoding = "numeric"
transform = "bucketize"
missing = "skip"
boundaries = [2]
[[feature]]
field = "tags"
encoding = "ignore"
)";
  FitOptions again;
  again.overwrite = true;
  run_fit(toml, {folder_.file("in.tsv")}, folder_.file("tables"), again);
  TransformOptions options;
  options.tables_directory = folder_.file("tables");
  options.overwrite = true;
  run_transform(toml, {folder_.file("in.tsv")}, folder_.file("data"), options);
  train_model();
  const auto all = explained(10, 1);
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(*feature(all, "standard").spread, std::abs(feature(all, "standard").per_unit));
  EXPECT_FALSE(feature(all, "log").spread);
  EXPECT_NE(feature(all, "log").per_unit, 0);
  const auto names = [](const FeatureEffects& effects) {
    std::vector<std::string> found;
    for (const ValueEffect& value : effects.highest) found.push_back(value.value);
    std::sort(found.begin(), found.end());
    return found;
  };
  const FeatureEffects& pieces = feature(all, "pieces");
  EXPECT_EQ(pieces.kind, FeatureEffects::Kind::intervals);
  // Without the intervals that no row is in: no number is missing, and none is 2 or more.
  EXPECT_THAT(names(pieces), testing::ElementsAre("0.25 to below 0.75", "below 0.25", "from 0.75"));
  EXPECT_THAT(names(feature(all, "not missing")), testing::ElementsAre("below 2"));
  // Compares the weight of each interval's column with the mean weight over the rows.
  const Model<float> model = load_model<float>(folder_.file("m.model"));
  const Dataset dataset(folder_.file("data"));
  const FeatureBlock& block = dataset.layout()->blocks[2];
  const CodeBatch rows = all_rows(dataset);
  std::vector<double> weights;
  for (std::size_t row = 0; row < rows.num_rows(); ++row) {
    const std::uint32_t column = rows.columns[row * dataset.layout()->column_stride + block.slot];
    weights.push_back(model.network.parameters().first_weights[block.column_offset + column]);
  }
  const double n = static_cast<double>(weights.size());
  const double mean = std::accumulate(weights.begin(), weights.end(), 0.0) / n;
  double squares = 0;
  for (const double weight : weights) squares += (weight - mean) * (weight - mean) / n;
  EXPECT_NEAR(*pieces.spread, std::sqrt(squares), 1e-5);
  EXPECT_GT(*pieces.spread, 1e-4);
  for (const ValueEffect& value : pieces.highest) {
    if (value.value == "below 0.25") {
      EXPECT_NEAR(value.effect, model.network.parameters().first_weights[block.column_offset] - mean, 1e-5);
    }
  }
  for (std::size_t i = 0; i + 1 < all.size(); ++i) EXPECT_GE(all[i].spread, all[i + 1].spread);
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
    if (effects.highest.empty() || !effects.highest[0].value.starts_with("shop") ||
        effects.highest[0].value.find(" × ") == std::string::npos)
      continue;
    EXPECT_THAT(effects.highest[0].value, testing::MatchesRegex("shop[0-9]+ × t[0-9]"));
    return;
  }
  FAIL() << "no cross";
}

TEST_F(ExplainTest, RowsWithoutAValueCountWithNoEffect) {
  const std::string toml = R"(label = "y"
[[feature]]
field = "a"
cardinality = 10
missing = "skip"
[[feature]]
field = "x"
encoding = "numeric"
[[feature]]
field = "z"
encoding = "numeric"
transform = "standardize"
[[feature]]
field = "l"
cardinality = 10
separator = ","
missing = "skip"
)";
  std::string text = "y\ta\tx\tz\tl\n";
  for (int row = 0; row < 1000; ++row) {
    const bool has = row % 4 == 0;
    text += fmt::format("{}\t{}\t{}\t{}\t{}\n", has || row % 10 == 1 ? 1 : 0, has ? "there" : "",
                        has ? "5" : "", has ? fmt::format("{}", row % 8) : "",
                        has            ? "p"
                        : row % 2 == 0 ? "q"
                                       : "");
  }
  write_text_file(folder_.file("gaps.tsv"), text);
  run_fit(toml, {folder_.file("gaps.tsv")}, folder_.file("gap tables"));
  TransformOptions options;
  options.tables_directory = folder_.file("gap tables");
  run_transform(toml, {folder_.file("gaps.tsv")}, folder_.file("gaps"), options);
  train(quick_training(folder_.file("gaps"), folder_.file("gaps.model")));
  const auto all = explain({folder_.file("gaps.model"), folder_.file("gap tables"), 10, 1});
  const Model<float> model = load_model<float>(folder_.file("gaps.model"));
  const CodeLayout layout = *Dataset(folder_.file("gaps")).layout();
  const auto& weights = model.network.parameters().first_weights;
  const auto effect_of = [&](std::size_t index, std::string_view value) {
    const std::uint64_t hash = hash_xxh64(value);
    double sum = 0;
    for (std::uint64_t k = 0; k < 4; ++k)
      sum += weights[layout.blocks[index].column_offset + k * 8 + ((hash >> (48 - 16 * k)) & 0xFFFF) % 8];
    return sum;
  };
  // A value in a quarter of the rows: the standard deviation is sqrt(1/4 * 3/4) times the effect.
  const double there = effect_of(0, "there");
  const FeatureEffects& a = feature(all, "a");
  EXPECT_NEAR(*a.spread, std::abs(there) * std::sqrt(0.1875), 1e-5);
  EXPECT_GT(*a.spread, 0.1);
  ASSERT_EQ(a.highest.size(), 2u);
  EXPECT_EQ(a.num_values, 1u);
  EXPECT_EQ(a.highest[0].value, "there");
  EXPECT_NEAR(a.highest[0].effect, 0.75 * there, 1e-5);
  EXPECT_EQ(a.highest[1].value, "");
  EXPECT_EQ(a.highest[1].count, 750u);
  EXPECT_NEAR(a.highest[1].effect, -0.25 * there, 1e-5);

  const FeatureEffects& x = feature(all, "x");
  EXPECT_NEAR(*x.spread, std::abs(x.per_unit) * 5 * std::sqrt(0.1875), 1e-6);
  EXPECT_GT(*x.spread, 0);
  const FeatureEffects& z = feature(all, "z");
  EXPECT_NEAR(*z.spread, std::abs(z.per_unit) / 2, 1e-9);

  const double p = effect_of(3, "p");
  const double q = effect_of(3, "q");
  const FeatureEffects& l = feature(all, "l");
  EXPECT_EQ(l.kind, FeatureEffects::Kind::items);
  EXPECT_NEAR(*l.spread, std::sqrt(0.1875 * p * p + 0.1875 * q * q), 1e-5);
  ASSERT_EQ(l.highest.size(), 2u);
  EXPECT_EQ(l.highest[0].value, p > q ? "p" : "q");
  EXPECT_NEAR(l.highest[0].effect, 0.75 * std::max(p, q), 1e-5);
  EXPECT_EQ(l.highest[0].count, 250u);
}

TEST_F(ExplainTest, HiddenLayersHaveEffectsToo) {
  train_model("6");
  const auto all = explained(3, 1);
  for (const FeatureEffects& effects : all) {
    ASSERT_TRUE(effects.spread);
    EXPECT_TRUE(std::isfinite(*effects.spread));
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
