// Sums over the rows of a matrix, plain and weighted, compared with the processor's in double.

#include "cuda/column_sums.hpp"

#include "cuda_test.hpp"
#include "on_device.hpp"

#include <cmath>
#include <random>
#include <vector>

namespace widehash::cuda {
namespace {

std::vector<float> random_floats(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> values(count);
  for (float& value : values) value = uniform(random);
  return values;
}

class ColumnSumsTest : public CudaTest {
 protected:
  /// Calls `check` for every shape that leads to other blocks: units that fill warps and blocks or do not,
  /// rows of one slice and of many.
  template <class Check>
  static void for_each_shape(const Check& check) {
    for (const std::uint32_t units : {1u, 2u, 3u, 31u, 32u, 33u, 256u, 300u}) {
      for (const std::size_t rows : {0, 1, 33, 700, 5000}) {
        if (rows == 5000 && units > 33) continue;  // too slow on the simulator
        check(units, rows);
      }
    }
    check(1u, 70'000);  // all slices, and rows in flight for each
  }

  static void expect_near(const std::vector<float>& actual, const std::vector<float>& values,
                          const std::vector<float>& weights, std::uint32_t units) {
    for (std::uint32_t unit = 0; unit < units; ++unit) {
      double sum = 0;
      for (std::size_t row = 0; row < values.size() / units; ++row)
        sum += double{values[row * units + unit]} * (weights.empty() ? 1.0 : double{weights[row]});
      ASSERT_NEAR(actual[unit], sum, 1e-6 * std::abs(sum) + 1e-9)
          << values.size() / units << " rows, unit " << unit << " of " << units;
    }
  }
};

TEST_F(ColumnSumsTest, AreThoseOfTheProcessorInDouble) {
  const DeviceContext context(0);
  ColumnSums sums;
  for_each_shape([&](std::uint32_t units, std::size_t rows) {
    const auto values = random_floats(rows * units, rows + units);
    const auto on = on_device(context, values);
    const auto result = on_device(context, std::vector<float>(units, 7.0f));
    sums.compute(context, on.data(), rows, units, result.data());
    expect_near(on_host(context, result), values, {}, units);
  });
}

TEST_F(ColumnSumsTest, OfWeightedRowsAreTheGradientOfALayerWithOneOutput) {
  const DeviceContext context(0);
  ColumnSums sums;
  for_each_shape([&](std::uint32_t units, std::size_t rows) {
    const auto values = random_floats(rows * units, rows + units);
    const auto weights = random_floats(rows, rows);
    const auto on = on_device(context, values);
    const auto on_weights = on_device(context, weights);
    const auto result = on_device(context, std::vector<float>(units, 7.0f));
    sums.compute_weighted(context, on.data(), on_weights.data(), rows, units, result.data());
    expect_near(on_host(context, result), values, weights, units);
  });
}

TEST_F(ColumnSumsTest, OfMoreNumbersThanGoAtOnce) {
  constexpr std::uint32_t most_at_once = 4;
  constexpr std::uint32_t num_numbers = 2 * most_at_once + 3;
  constexpr std::uint32_t num_slots = 5;
  constexpr std::size_t num_rows = 2;
  const DeviceContext context(0);
  ColumnSums sums(most_at_once * 256 * sizeof(double));  // 256 slices of one unit each
  const auto values = random_floats(num_rows, 1);
  const auto numbers = random_floats(num_rows * num_slots, 2);
  std::vector<DeviceSlot> slots(num_numbers);
  for (std::uint32_t n = 0; n < num_numbers; ++n) slots[n] = {n % num_slots, 0, num_numbers - 1 - n, 1};
  const auto on_values = on_device(context, values);
  const auto on_numbers = on_device(context, numbers);
  const auto on_slots = on_device(context, slots);
  DeviceRows rows;
  rows.num_rows = rows.stride = num_rows;
  rows.numbers = on_numbers.data();
  DevicePlan plan;
  plan.numbers = on_slots.data();
  plan.num_numbers = num_numbers;
  for (const bool by_column : {false, true}) {
    const auto result = on_device(context, std::vector<float>(num_numbers, 7.0f));
    sums.compute_numbers(context, rows, plan, on_values.data(), 1, by_column, result.data());
    const std::vector<float> actual = on_host(context, result);
    for (std::uint32_t n = 0; n < num_numbers; ++n) {
      double sum = 0;
      for (std::size_t row = 0; row < num_rows; ++row)
        sum += double{values[row]} * double{numbers[slots[n].slot * num_rows + row]};
      ASSERT_NEAR(actual[by_column ? slots[n].shift : n], sum, 1e-6) << n << " " << by_column;
    }
  }
}

}  // namespace
}  // namespace widehash::cuda
