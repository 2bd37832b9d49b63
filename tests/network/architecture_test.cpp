#include "network/batches.hpp"

#include <widehash/architecture.hpp>
#include <widehash/error.hpp>

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace widehash {
namespace {

using Units = std::vector<std::uint32_t>;

TEST(Architecture, HiddenTextsGiveTheirLayers) {
  EXPECT_EQ(parse_hidden("none", 100), Units{});
  EXPECT_EQ(parse_hidden("7", 100), Units{7});
  EXPECT_EQ(parse_hidden("32,16", 100), (Units{32, 16}));
}

TEST(Architecture, AutoIsThePowerThreeTenthsRoundedDown) {
  EXPECT_EQ(parse_hidden("auto", 0), Units{1});
  EXPECT_EQ(parse_hidden("auto", 1), Units{1});
  EXPECT_EQ(parse_hidden("auto", 10), Units{1});
  EXPECT_EQ(parse_hidden("auto", 11), Units{2});
  EXPECT_EQ(parse_hidden("auto", 1023), Units{7});
  EXPECT_EQ(parse_hidden("auto", 1024), Units{8});  // 1024^0.3 is exactly 8
  EXPECT_EQ(parse_hidden("auto", 1048576), Units{64});
  EXPECT_EQ(parse_hidden("auto", max_columns), Units{630});
}

TEST(Architecture, HiddenTextsThatMeanNothingAreRefused) {
  for (const char* text : {"", ",", "8,", ",8", "8,,8", "0", "-1", "8 ", "x", "8,x", "99999999999999999999",
                           "None", "1048577", "3.5"}) {
    EXPECT_THROW(parse_hidden(text, 100), ConfigError) << "'" << text << "'";
  }
}

TEST(Architecture, DenseWeightsAreThoseBehindTheFirstLayer) {
  EXPECT_EQ(dense_weights({}, 3), 0u);
  EXPECT_EQ(dense_weights(Units{7}, 3), 21u);
  EXPECT_EQ(dense_weights(Units{64, 32, 8}, 1), 64u * 32 + 32 * 8 + 8);
  EXPECT_EQ(dense_weights(Units{1u << 20, 1u << 20}, 1), (std::uint64_t{1} << 40) + (1u << 20));
}

TEST(Architecture, SizesOutOfRangeAreRefused) {
  Architecture good;
  good.num_columns = 10;
  EXPECT_NO_THROW(check_architecture(good));
  const auto refused = [&](auto change) {
    Architecture bad = good;
    change(bad);
    EXPECT_THROW(check_architecture(bad), ConfigError);
  };
  refused([](Architecture& a) { a.num_columns = 0; });
  refused([](Architecture& a) { a.num_columns = max_columns + 1; });
  refused([](Architecture& a) { a.outputs = 0; });
  refused([](Architecture& a) { a.hidden = {4, 0}; });
  refused([](Architecture& a) { a.hidden = {max_layer_units + 1}; });
  refused([](Architecture& a) { a.loss = LossKind::softmax; });
  refused([](Architecture& a) { a.active_columns = 0; });
  refused([](Architecture& a) { a.loss = static_cast<LossKind>(77); });
  refused([](Architecture& a) { a.activation = static_cast<ActivationKind>(-1); });
}

TEST(Architecture, TargetUnitsAreFiniteAndOfOneMseOutput) {
  Architecture good;
  good.num_columns = 10;
  good.loss = LossKind::mse;
  good.target_units = {-1e30, 1e-30};
  EXPECT_NO_THROW(check_architecture(good));
  const auto refused = [&](auto change) {
    Architecture bad = good;
    change(bad);
    EXPECT_THROW(check_architecture(bad), ConfigError);
  };
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const double scale : {0.0, -1.0, infinity, std::nan("")})
    refused([&](Architecture& a) { a.target_units.scale = scale; });
  for (const double shift : {infinity, std::nan("")})
    refused([&](Architecture& a) { a.target_units.shift = shift; });
  refused([](Architecture& a) { a.loss = LossKind::logistic; });
  refused([](Architecture& a) { a.outputs = 2; });
}

TEST(Architecture, ActiveColumnsCountsEverySlotAndRaggedFeature) {
  EXPECT_EQ(active_columns(CodeLayout{}), 1u);
  EXPECT_EQ(active_columns(*test::plain_layout(26, 1000)), 104u);
  // plain 4, price 1, skipped 4, colour 1, tags 4 (ragged), city 1 (ragged), age 1
  EXPECT_EQ(active_columns(*test::mixed_layout()), 16u);
  EXPECT_EQ(columns_per_value(CodeLayout{}), 1);
  EXPECT_EQ(columns_per_value(*test::plain_layout(26, 1000)), 4);
  EXPECT_DOUBLE_EQ(columns_per_value(*test::mixed_layout()), 16.0 / 7)
      << "of all features but the one that is ignored";
}

}  // namespace
}  // namespace widehash
