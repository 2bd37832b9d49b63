// Compares the first layer on the device with the processor's, on every kind of slot.

#include "cuda/first_layer_gradient.hpp"
#include "cuda/gather_sum.hpp"
#include "cuda/staged_rows.hpp"
#include "cuda_test.hpp"
#include "network/batches.hpp"

#include <widehash/first_layer.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>
#include <vector>

#include <gmock/gmock.h>

namespace widehash::cuda {
namespace {

std::vector<float> random_values(std::size_t count, std::uint64_t seed, float size = 1) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<float> uniform(-size, size);
  std::vector<float> values(count);
  for (float& value : values) value = uniform(random);
  return values;
}

std::vector<std::uint32_t> bits_of(const std::vector<float>& values) {
  std::vector<std::uint32_t> bits(values.size());
  std::transform(values.begin(), values.end(), bits.begin(),
                 [](float v) { return std::bit_cast<std::uint32_t>(v); });
  return bits;
}

/// Gives nearly all rows the first bucket of every slot.
void skew(CodeBatch& batch) {
  std::size_t i = 0;
  for (std::size_t row = 0; row < batch.num_rows(); ++row) {
    for (const FeatureBlock& block : batch.layout().blocks) {
      if (!block.has_codes() || batch.view().code(row, block, 0) == block.absent_mark()) continue;
      for (std::uint32_t k = 0; k < num_splits; ++k) {
        if (i++ % 97 != 0) batch.set_code(row, block, k, 0);
      }
    }
  }
}

class FirstLayerOnDevice : public CudaTest {
 protected:
  std::vector<float> gather(const CodeBatchView& rows, const std::vector<float>& weights, ColumnRange range,
                            std::uint32_t units) {
    const DeviceContext context(0);
    StagedRows staged(context);
    staged.stage(rows);
    const SlotPlanCopy plan(context, *rows.layout, range);
    const auto device_weights = make_device_copy<float>(context, weights, "weights");
    const DeviceBuffer<float> sums(context, rows.num_rows * units, "sums");
    gather_sum(staged.take(), plan.device(), device_weights.data(), units, sums.data(), context.stream());
    return fetch(context, sums);
  }

  /// Runs twice with the same object, because what one step leaves behind must not reach the next.
  std::vector<float> scatter(const CodeBatchView& rows, const std::vector<float>& deltas, ColumnRange range,
                             std::uint32_t units) {
    const DeviceContext context(0);
    StagedRows staged(context);
    staged.stage(rows);
    const SlotPlanCopy plan(context, *rows.layout, range);
    const ScatterTiles tiles(context, plan, units);
    const auto device_deltas = make_device_copy<float>(context, deltas, "deltas");
    const DeviceBuffer<StepStatus> status(context, 1, "status");
    const DeviceBuffer<float> gradient(context, range.size() * units, "gradient");
    FirstLayerGradient sums(context, range.size(), units);
    std::vector<float> first;
    for (int turn = 0; turn < 2; ++turn) {
      find_largest_delta(context, device_deltas.data(), device_deltas.size(), status.data());
      sums.add_up(staged.take(), plan, tiles, device_deltas.data(), status.data());
      sums.finish(staged.take(), plan, device_deltas.data(), status.data(), gradient.data());
      const std::vector<float> values = fetch(context, gradient);
      if (turn == 0) first = values;
      EXPECT_EQ(bits_of(values), bits_of(first));  // a NaN does not equal itself
    }
    return first;
  }

  static std::vector<float> fetch(const DeviceContext& context, const DeviceBuffer<float>& from) {
    std::vector<float> values(from.size());
    copy_to_host<float>(from.data(), values, context.stream());
    context.stream().synchronize();
    return values;
  }
};

std::vector<std::shared_ptr<const CodeLayout>> layouts() {
  Schema numbers_only;
  numbers_only.features.push_back(test::feature("n", Encoding::numeric, 0));
  Schema nothing;
  nothing.features.push_back(test::feature("c", Encoding::ignore, 0));
  return {test::plain_layout(3, 100), test::two_sizes_layout(), test::mixed_layout(),
          test::share(make_layout(numbers_only)), test::share(make_layout(nothing))};
}

// The middle third of the columns.
ColumnRange middle(std::uint64_t columns) { return {columns / 3, 2 * columns / 3}; }

std::vector<float> rows_of(const std::vector<float>& table, ColumnRange range, std::uint32_t units) {
  const auto begin = table.begin() + static_cast<std::ptrdiff_t>(range.begin * units);
  return {begin, begin + static_cast<std::ptrdiff_t>(range.size() * units)};
}

TEST_F(FirstLayerOnDevice, GatherIsThatOfTheProcessor) {
  for (const auto& layout : layouts()) {
    for (const std::size_t rows : {0, 1, 31, 32, 33, 300}) {
      CodeBatch batch = test::random_batch(layout, rows, rows + 1);
      if (rows == 300) skew(batch);
      for (const std::uint32_t units : {1u, 3u, 4u, 32u, 132u}) {
        const auto table = random_values(layout->num_columns * units, 5);
        for (const ColumnRange range : {ColumnRange{0, layout->num_columns}, middle(layout->num_columns)}) {
          const auto weights = rows_of(table, range, units);
          std::vector<float> expected(rows * units);
          widehash::gather_sum<float>(batch.view(), weights, range, units, expected);
          EXPECT_THAT(gather(batch.view(), weights, range, units),
                      ::testing::Pointwise(::testing::FloatNear(2e-5f), expected))
              << rows << " rows, " << units << " units";
        }
      }
    }
  }
}

TEST_F(FirstLayerOnDevice, GradientIsThatOfTheProcessorInDouble) {
  for (const auto& layout : layouts()) {
    for (const std::size_t rows : {0, 1, 31, 32, 33, 2500}) {
      CodeBatch batch = test::random_batch(layout, rows, rows + 1);
      if (rows == 2500) skew(batch);
      for (const std::uint32_t units : {1u, 3u, 40u}) {
        if (rows == 2500 && units == 40) continue;  // too slow on the simulator
        const auto deltas = random_values(rows * units, 9, 1e-3f);
        const std::vector<double> wide(deltas.begin(), deltas.end());
        for (const ColumnRange range : {ColumnRange{0, layout->num_columns}, middle(layout->num_columns)}) {
          std::vector<double> expected(range.size() * units);
          scatter_gradient<double>(batch.view(), wide, range, units, expected, nullptr);
          const auto actual = scatter(batch.view(), deltas, range, units);
          ASSERT_EQ(actual.size(), expected.size());
          for (std::size_t i = 0; i < actual.size(); ++i)
            ASSERT_NEAR(actual[i], expected[i], 1e-7 * std::abs(expected[i]) + 1e-12)
                << rows << " rows, " << units << " units, value " << i;
        }
      }
    }
  }
}

TEST_F(FirstLayerOnDevice, TablesTooLargeForSharedMemoryGoDirectly) {
  // Four slots of `width` columns each, with 8 bytes of sums per column. The sums of 12,000 columns fit the
  // half of shared memory that a block takes on most devices, those of 16,000 fit only the whole, and the
  // others fit neither.
  for (const std::uint64_t width : {12000, 16000, 40000, 65536}) {
    Schema schema;
    schema.features.push_back(test::feature("wide", Encoding::four_split, width * width));
    schema.features.back().missing = Missing::skip;
    schema.features.push_back(test::feature("narrow", Encoding::four_split, 100));
    const auto layout = test::share(make_layout(schema));
    const CodeBatch batch = test::random_batch(layout, 200, 3);
    const auto deltas = random_values(200, 4);
    const std::vector<double> wide(deltas.begin(), deltas.end());
    const ColumnRange all{0, layout->num_columns};
    std::vector<double> expected(all.size());
    scatter_gradient<double>(batch.view(), wide, all, 1, expected, nullptr);
    const auto actual = scatter(batch.view(), deltas, all, 1);
    for (std::size_t i = 0; i < actual.size(); ++i)
      ASSERT_NEAR(actual[i], expected[i], 1e-6) << width << ", value " << i;
  }
}

TEST_F(FirstLayerOnDevice, GradientOfAHotBucketHasNoErrorThatGrowsWithTheRows) {
  const auto layout = test::plain_layout(1, 4);
  const std::size_t rows = 20000;
  CodeBatch batch = test::random_batch(layout, rows, 1);
  std::fill(batch.codes.begin(), batch.codes.end(), std::uint16_t{0});
  const std::vector<float> deltas(rows, 0.1f);
  const auto actual = scatter(batch.view(), deltas, {0, layout->num_columns}, 1);
  EXPECT_FLOAT_EQ(actual[0], static_cast<float>(rows * static_cast<double>(0.1f)));
}

TEST_F(FirstLayerOnDevice, DeltasOfEverySizeKeepTheirPlaces) {
  const auto layout = test::plain_layout(1, 64);
  for (const float size : {1e-38f, 1e-45f, 1e-20f, 1.0f, 1e20f, 1e38f}) {
    CodeBatch batch = test::random_batch(layout, 40, 1);
    const auto deltas = random_values(40, 2, size);
    const std::vector<double> wide(deltas.begin(), deltas.end());
    std::vector<double> expected(layout->num_columns);
    scatter_gradient<double>(batch.view(), wide, {0, layout->num_columns}, 1, expected, nullptr);
    const auto actual = scatter(batch.view(), deltas, {0, layout->num_columns}, 1);
    for (std::size_t i = 0; i < actual.size(); ++i)
      ASSERT_NEAR(actual[i], expected[i], 1e-6 * static_cast<double>(size)) << size;
  }
}

TEST_F(FirstLayerOnDevice, ADeltaThatIsNotFiniteMakesTheGradientNotFinite) {
  const auto layout = test::plain_layout(1, 4);
  const CodeBatch batch = test::random_batch(layout, 3, 1);
  for (const float bad : {INFINITY, NAN}) {
    const auto actual = scatter(batch.view(), {1, bad, 1}, {0, layout->num_columns}, 1);
    EXPECT_FALSE(std::isfinite(actual[0]));
  }
}

}  // namespace
}  // namespace widehash::cuda
