// Compares the vector kernels on every instruction set of this machine with the plain code in double
// precision (which has no kernels), and with one another bit by bit.

#include "kernels.hpp"

#include "network/batches.hpp"
#include "network/optimizer_kinds.hpp"
#include "update_rules.hpp"

#include <widehash/activation.hpp>
#include <widehash/first_layer.hpp>
#include <widehash/loss.hpp>
#include <widehash/optimizer.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <hwy/highway.h>

namespace widehash {
namespace {

/// Calls body(name) with the kernels restricted to each instruction set in turn.
void on_every_target(const std::function<void(const std::string&)>& body) {
  for (std::int64_t targets = hwy::SupportedTargets(); targets != 0; targets &= targets - 1) {
    const std::int64_t target = targets & -targets;
    hwy::SetSupportedTargetsForTest(target);
    body(hwy::TargetName(target));
  }
  hwy::SetSupportedTargetsForTest(0);
}

/// Calls body() on every target and expects the same bits from each.
void expect_same_bits(const std::function<std::vector<float>()>& body, const std::string& what) {
  std::vector<float> first;
  std::string first_name;
  on_every_target([&](const std::string& name) {
    const std::vector<float> values = body();
    if (first_name.empty()) {
      first = values;
      first_name = name;
    }
    ASSERT_EQ(values.size(), first.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      ASSERT_EQ(std::bit_cast<std::uint32_t>(values[i]), std::bit_cast<std::uint32_t>(first[i]))
          << what << ": " << name << " gives " << values[i] << ", " << first_name << " " << first[i] << " at "
          << i;
    }
  });
}

std::vector<float> random_floats(std::size_t count, std::uint64_t seed, float scale = 1) {
  std::mt19937_64 random(seed);
  std::vector<float> values(count);
  for (float& value : values) value = scale * (static_cast<float>(random() >> 40) * 0x1p-23f - 1);
  return values;
}

std::vector<double> widened(const std::vector<float>& values) { return {values.begin(), values.end()}; }

/// Features of different widths; some may be absent if `skips`.
std::shared_ptr<const CodeLayout> code_layout(int num_features, bool skips) {
  Schema schema;
  schema.label.field = "y";
  for (int i = 0; i < num_features; ++i) {
    schema.features.push_back(
        test::feature("f", Encoding::four_split, std::array{3u, 100'000u, 5000u}[i % 3]));
    if (skips && i % 2 == 0) schema.features.back().missing = Missing::skip;
  }
  return test::share(make_layout(schema));
}

/// Makes nine rows in ten hold the same value of every feature, as click data nearly does.
void skew(CodeBatch& batch) {
  const std::size_t stride = batch.layout().code_stride;
  for (std::size_t row = 1; row < batch.num_rows(); ++row) {
    if (row % 10 != 0)
      std::copy_n(batch.codes.begin(), stride,
                  batch.codes.begin() + static_cast<std::ptrdiff_t>(row * stride));
  }
}

struct Case {
  std::shared_ptr<const CodeLayout> layout;
  CodeBatch batch;
  ColumnRange range;
  std::string name;
};

void for_each_case(const std::function<void(const Case&)>& body) {
  std::vector<std::pair<std::string, std::shared_ptr<const CodeLayout>>> layouts = {
      {"mixed", test::mixed_layout()}};
  for (const int features : {1, 3, 4, 5, 8, 13}) {
    layouts.emplace_back(std::to_string(features) + " features", code_layout(features, false));
    layouts.emplace_back(std::to_string(features) + " features, some absent", code_layout(features, true));
  }
  for (const auto& [name, layout] : layouts) {
    const std::uint64_t columns = layout->num_columns;
    for (const std::size_t rows : {0, 1, 31, 32, 33, 300}) {
      for (const bool skewed : {false, true}) {
        CodeBatch batch = test::random_batch(layout, rows, rows + 7);
        if (skewed) skew(batch);
        for (const ColumnRange range :
             {ColumnRange{0, columns}, ColumnRange{columns / 3, columns - columns / 5}}) {
          body({layout, batch, range,
                name + ", " + std::to_string(rows) + " rows, columns from " + std::to_string(range.begin)});
        }
      }
    }
  }
}

TEST(Kernels, GatherAgreesWithThePlainSumsOnEveryTarget) {
  for_each_case([](const Case& c) {
    for (const std::uint32_t units : {1u, 2u, 7u, 16u, 27u, 65u}) {
      const auto weights = random_floats(c.range.size() * units, 3);
      std::vector<double> expected(c.batch.num_rows() * units);
      gather_sum<double>(c.batch.view(), widened(weights), c.range, units, expected);
      const auto gather = [&] {
        std::vector<float> sums(c.batch.num_rows() * units, 99);
        gather_sum<float>(c.batch.view(), weights, c.range, units, sums);
        return sums;
      };
      const auto sums = gather();
      for (std::size_t i = 0; i < sums.size(); ++i) ASSERT_NEAR(sums[i], expected[i], 2e-5) << c.name;
      expect_same_bits(gather, c.name);
    }
  });
}

TEST(Kernels, ScatterAgreesWithThePlainSumsOnEveryTarget) {
  for_each_case([](const Case& c) {
    for (const std::uint32_t units : {1u, 2u, 7u, 16u, 27u, 65u}) {
      const auto deltas = random_floats(c.batch.num_rows() * units, 4);
      std::vector<double> expected(c.range.size() * units);
      scatter_gradient<double>(c.batch.view(), widened(deltas), c.range, units, expected, nullptr);
      const auto scatter = [&] {
        std::vector<float> gradient(c.range.size() * units);
        scatter_gradient<float>(c.batch.view(), deltas, c.range, units, gradient, nullptr);
        return gradient;
      };
      const auto gradient = scatter();
      for (std::size_t i = 0; i < gradient.size(); ++i) ASSERT_NEAR(gradient[i], expected[i], 1e-3) << c.name;
      expect_same_bits(scatter, c.name);
    }
  });
}

TEST(Kernels, AbsentMarkIsNoColumnWhereOneLiesThatFar) {
  Schema schema;
  schema.label.field = "y";
  schema.features.push_back(test::feature("skipped", Encoding::four_split, 80));
  schema.features.back().missing = Missing::skip;
  schema.features.push_back(test::feature("wide", Encoding::four_split, 400'000'000));
  const auto layout = test::share(make_layout(schema));
  ASSERT_GT(layout->num_columns, 0xFFFFu + 100);
  const CodeBatch batch = test::random_batch(layout, 40, 1);
  const ColumnRange all{0, layout->num_columns};
  for (const std::uint32_t units : {1u, 3u}) {
    const auto weights = random_floats(all.size() * units, 2);
    std::vector<double> expected(40 * units);
    gather_sum<double>(batch.view(), widened(weights), all, units, expected);
    on_every_target([&](const std::string& name) {
      std::vector<float> sums(40 * units);
      gather_sum<float>(batch.view(), weights, all, units, sums);
      for (std::size_t i = 0; i < sums.size(); ++i) ASSERT_NEAR(sums[i], expected[i], 1e-5) << name;
    });
  }
}

TEST(Kernels, ScatteredRowsGiveTheBitsOfRowsSideBySide) {
  for (const int features : {1, 5, 8}) {
    const auto layout = code_layout(features, features == 5);
    const CodeBatch batch = test::random_batch(layout, 100, 8);
    std::vector<const std::uint16_t*> places;
    for (std::size_t row = 0; row < 100; ++row) places.push_back(batch.view().row_codes(row));
    CodeBatchView scattered = batch.view();
    scattered.codes = {};
    scattered.scattered_codes = places;
    const ColumnRange all{0, layout->num_columns};
    for (const std::uint32_t units : {1u, 5u}) {
      const auto weights = random_floats(all.size() * units, 1);
      std::vector<float> sums(100 * units);
      std::vector<float> sums_scattered(90 * units);
      gather_sum<float>(batch.view(), weights, all, units, sums);
      gather_sum<float>(scattered.rows(10, 90), weights, all, units, sums_scattered);
      EXPECT_EQ(sums_scattered, std::vector<float>(sums.begin() + 10 * units, sums.end()));
      std::vector<float> gradient(all.size() * units);
      std::vector<float> gradient_scattered(all.size() * units);
      scatter_gradient<float>(batch.view(), sums, all, units, gradient, nullptr);
      scatter_gradient<float>(scattered, sums, all, units, gradient_scattered, nullptr);
      EXPECT_EQ(gradient_scattered, gradient);
    }
  }
}

TEST(Kernels, UpdatesAgreeWithThePlainRulesOnEveryTarget) {
  for (const auto kind : test::optimizer_kinds) {
    for (const double l1 : {0.0, 0.003}) {
      for (const double l2 : {0.0, 0.02}) {
        OptimizerSettings settings = default_settings(kind);
        settings.l1 = l1;
        settings.l2 = l2;
        for (const std::size_t count : {0, 1, 15, 16, 17, 200}) {
          const auto run = [&](auto zero) {
            using Real = decltype(zero);
            const auto start = random_floats(count, 5);
            std::vector<Real> weights(start.begin(), start.end());
            std::vector<Real> first(num_states(kind) > 0 ? count : 0);
            std::vector<Real> second(num_states(kind) > 1 ? count : 0);
            for (std::uint64_t step = 1; step <= 5; ++step) {
              auto wide = random_floats(count, step);
              // Whole vectors of zeros, and zeros among others.
              for (std::size_t i = 0; i < count; ++i) wide[i] = i % 64 < 32 || i % 3 == 0 ? 0 : wide[i];
              const std::vector<Real> gradient(wide.begin(), wide.end());
              update_dense<Real>(settings, step, true, weights, gradient, {first, second});
            }
            weights.insert(weights.end(), first.begin(), first.end());
            weights.insert(weights.end(), second.begin(), second.end());
            return weights;
          };
          const auto expected = run(double{});
          const auto values = run(float{});
          for (std::size_t i = 0; i < values.size(); ++i)
            ASSERT_NEAR(values[i], expected[i], 1e-5 * (1 + std::abs(expected[i]))) << to_string(kind);
          expect_same_bits([&] { return run(float{}); }, to_string(kind));
        }
      }
    }
  }
}

// Devices run the plain rules themselves, and models move between devices and the CPU. The smaller 1 - beta
// is, the more it would lose if beta itself were rounded.
TEST(Kernels, UpdatesHaveTheBitsOfThePlainRulesOnEveryTarget) {
  constexpr std::size_t count = 200;
  for (const auto kind : test::optimizer_kinds) {
    for (const double memory : {0.9, 0.999, 0.99999999}) {
      OptimizerSettings settings = default_settings(kind);
      settings.l1 = 0.003;
      settings.l2 = 0.02;
      settings.rho = settings.beta2 = memory;
      const auto start = random_floats(count, 5);
      std::vector<float> expected = start;
      std::vector<float> expected_first(count);
      std::vector<float> expected_second(count);
      const auto gradient = [](std::uint64_t step) { return random_floats(count, step); };
      for (std::uint64_t step = 1; step <= 5; ++step) {
        detail::with_rule<float>(settings, step, true, [&](const auto& rule) {
          const auto g = gradient(step);
          for (std::size_t i = 0; i < count; ++i)
            rule(expected[i], g[i], &expected_first[i], &expected_second[i]);
        });
      }
      on_every_target([&](const std::string& name) {
        std::vector<float> weights = start;
        std::vector<float> first(num_states(kind) > 0 ? count : 0);
        std::vector<float> second(num_states(kind) > 1 ? count : 0);
        for (std::uint64_t step = 1; step <= 5; ++step)
          update_dense<float>(settings, step, true, weights, gradient(step), {first, second});
        EXPECT_EQ(weights, expected) << name << " " << to_string(kind) << " " << memory;
        expected_first.resize(first.size());
        expected_second.resize(second.size());
        EXPECT_EQ(first, expected_first) << name << " " << to_string(kind);
        EXPECT_EQ(second, expected_second) << name << " " << to_string(kind);
      });
    }
  }
}

TEST(Kernels, UpdatedRowsHaveTheBitsOfAnUpdateOfAllOnEveryTarget) {
  for (const auto kind : {OptimizerKind::ftrl, OptimizerKind::adagrad, OptimizerKind::sgd}) {
    const OptimizerSettings settings = default_settings(kind);
    for (const std::uint32_t units : {1u, 3u, 4u, 16u, 27u}) {
      on_every_target([&](const std::string& name) {
        const std::vector<std::uint32_t> positions = {7, 0, 3};
        auto weights = random_floats(8 * units, 1);
        std::vector<float> gradient(8 * units);
        for (const std::uint32_t position : positions) {
          const auto values = random_floats(units, position);
          std::copy(values.begin(), values.end(), gradient.begin() + position * units);
        }
        auto rows = weights;
        std::vector<float> first(num_states(kind) > 0 ? 8 * units : 0, 0.5f);
        std::vector<float> second(num_states(kind) > 1 ? 8 * units : 0, 0.25f);
        auto rows_first = first;
        auto rows_second = second;
        update_dense<float>(settings, 2, true, weights, gradient, {first, second});
        update_rows<float>(settings, 2, true, units, positions, rows, gradient, {rows_first, rows_second});
        EXPECT_EQ(rows, weights) << name << " " << units;
        EXPECT_EQ(rows_first, first) << name << " " << units;
        EXPECT_EQ(rows_second, second) << name << " " << units;
      });
    }
  }
}

TEST(Kernels, LogisticLossAgreesWithTheLibrarysFunctionsOnEveryTarget) {
  std::vector<float> outputs = random_floats(67, 6, 20);
  outputs.insert(outputs.end(), {0.0f, -0.0f, 1e-20f, 88.0f, -88.0f, 750.0f, -750.0f, 3e38f, -3e38f});
  std::vector<float> targets;
  for (std::size_t i = 0; i < outputs.size(); ++i)
    targets.push_back(i % 5 == 0 ? 0.3f : static_cast<float>(i % 2));
  const auto weights = random_floats(outputs.size(), 9);
  for (std::size_t rows = 0; rows <= outputs.size(); ++rows) {
    const std::size_t from = outputs.size() - rows;
    double expected = 0;
    for (std::size_t i = from; i < outputs.size(); ++i) {
      const double z = outputs[i];
      const double t = targets[i];
      expected += weights[i] * (std::log1p(std::exp(-std::abs(z))) + (z >= 0 ? (1 - t) * z : -t * z));
    }
    on_every_target([&](const std::string& name) {
      std::vector<float> deltas(rows);
      const double loss = detail::logistic_loss(outputs.data() + from, targets.data() + from,
                                                weights.data() + from, rows, 0.5, deltas.data());
      EXPECT_NEAR(loss, expected, 1e-14 * std::abs(expected) + 1e-13) << name << " " << rows;
      for (std::size_t i = 0; i < rows; ++i) {
        const double error = 0.5 * weights[from + i] * (sigmoid(outputs[from + i]) - targets[from + i]);
        EXPECT_NEAR(deltas[i], error, 1e-7 * std::abs(error) + 1e-30) << name << " " << outputs[from + i];
      }
    });
  }
}

TEST(Kernels, SmallLossesKeepTheirDigits) {
  for (const float z : {5.0f, 20.0f, 40.0f, 90.0f}) {
    const float one = 1;
    const double expected = std::log1p(std::exp(-double{z}));
    EXPECT_NEAR(detail::logistic_loss(&z, &one, nullptr, 1, 1, nullptr) / expected, 1, 4e-16) << z;
  }
}

TEST(Kernels, SigmoidAgreesWithTheLibrarysAndKeepsNaN) {
  std::vector<float> values = random_floats(41, 2, 30);
  const float infinity = std::numeric_limits<float>::infinity();
  values.insert(values.end(), {infinity, -infinity, 800.0f, -800.0f});
  on_every_target([&](const std::string& name) {
    auto found = values;
    detail::sigmoid_values(found);
    for (std::size_t i = 0; i < values.size(); ++i)
      EXPECT_FLOAT_EQ(found[i], static_cast<float>(sigmoid(values[i]))) << name << " " << values[i];
    std::vector<float> nothing = {std::numeric_limits<float>::quiet_NaN(), 0.0f};
    detail::sigmoid_values(nothing);
    EXPECT_TRUE(std::isnan(nothing[0])) << name;
    EXPECT_EQ(nothing[1], 0.5f) << name;
  });
  expect_same_bits(
      [&] {
        auto found = values;
        detail::sigmoid_values(found);
        return found;
      },
      "sigmoid");
}

TEST(Kernels, LossThatIsNotANumberStaysOne) {
  const float bad = std::numeric_limits<float>::quiet_NaN();
  const float target = 0;
  on_every_target([&](const std::string& name) {
    EXPECT_TRUE(std::isnan(detail::logistic_loss(&bad, &target, nullptr, 1, 1, nullptr))) << name;
  });
}

}  // namespace
}  // namespace widehash
