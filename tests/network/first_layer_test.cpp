#include "network/batches.hpp"

#include <widehash/error.hpp>
#include <widehash/first_layer.hpp>
#include <widehash/threads.hpp>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace widehash {
namespace {

/// Multiples of 1/64 of moderate size: sums of some hundred of them are exact in float, in any order.
template <class Real>
std::vector<Real> exact_values(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Real> values(count);
  for (Real& value : values) value = static_cast<Real>(static_cast<int>(random() % 257) - 128) / 64;
  return values;
}

void make_numbers_exact(CodeBatch& batch) {
  for (float& number : batch.numbers) number = std::round(number * 8) / 8;
}

template <class Real>
std::vector<Real> slice(const std::vector<Real>& table, ColumnRange range, std::uint32_t units) {
  const auto begin = table.begin() + static_cast<std::ptrdiff_t>(range.begin * units);
  return {begin, begin + static_cast<std::ptrdiff_t>(range.size() * units)};
}

std::vector<double> dense_gather(const std::vector<double>& x, std::size_t rows,
                                 const std::vector<float>& weights, std::uint32_t units) {
  const std::size_t columns = weights.size() / units;
  std::vector<double> sums(rows * units);
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t c = 0; c < columns; ++c)
      for (std::uint32_t u = 0; u < units; ++u)
        sums[row * units + u] += x[row * columns + c] * weights[c * units + u];
  return sums;
}

std::vector<double> dense_scatter(const std::vector<double>& x, std::size_t columns,
                                  const std::vector<float>& deltas, std::uint32_t units) {
  const std::size_t rows = deltas.size() / units;
  std::vector<double> gradient(columns * units);
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t c = 0; c < columns; ++c)
      for (std::uint32_t u = 0; u < units; ++u)
        gradient[c * units + u] += x[row * columns + c] * deltas[row * units + u];
  return gradient;
}

std::vector<std::shared_ptr<const CodeLayout>> layouts() {
  Schema numbers_only;
  numbers_only.features.push_back(test::feature("n", Encoding::numeric, 0));
  Schema nothing;
  nothing.features.push_back(test::feature("c", Encoding::ignore, 0));
  return {
      test::plain_layout(3, 100), test::plain_layout(2, 70'000),          test::two_sizes_layout(),
      test::mixed_layout(),       test::share(make_layout(numbers_only)), test::share(make_layout(nothing))};
}

TEST(FirstLayer, GatherAndScatterEqualDenseProductsForEveryKindOfSlot) {
  for (const auto& layout : layouts()) {
    for (const std::size_t rows : {0, 1, 31, 32, 33, 300}) {
      CodeBatch batch = test::random_batch(layout, rows, rows + 1);
      make_numbers_exact(batch);
      const auto x = test::dense_matrix(batch.view());
      for (const std::uint32_t units : {1u, 2u, 5u, 16u}) {
        const ColumnRange all{0, layout->num_columns};
        const auto weights = exact_values<float>(all.size() * units, 7);
        std::vector<float> sums(rows * units, 99);
        gather_sum<float>(batch.view(), weights, all, units, sums);
        const auto expected = dense_gather(x, rows, weights, units);
        EXPECT_TRUE(std::equal(sums.begin(), sums.end(), expected.begin(), expected.end()))
            << rows << "x" << units;

        const auto deltas = exact_values<float>(rows * units, 8);
        std::vector<float> gradient(all.size() * units);
        scatter_gradient<float>(batch.view(), deltas, all, units, gradient, nullptr);
        const auto expected_gradient = dense_scatter(x, all.size(), deltas, units);
        EXPECT_TRUE(
            std::equal(gradient.begin(), gradient.end(), expected_gradient.begin(), expected_gradient.end()))
            << rows << "x" << units;
      }
    }
  }
}

TEST(FirstLayer, CodesTooWideForSixteenBitsReachTheirColumns) {
  const auto layout = test::mixed_layout(true);
  ASSERT_EQ(layout->blocks.back().slot_kind, SlotKind::columns);
  const CodeBatch batch = test::random_batch(layout, 20, 3);
  const ColumnRange all{0, layout->num_columns};
  const auto weights = exact_values<double>(all.size(), 7);
  std::vector<double> sums(20);
  gather_sum<double>(batch.view(), weights, all, 1, sums);
  const auto x = test::dense_matrix(batch.view());
  for (std::size_t row = 0; row < 20; ++row) {
    double expected = 0;
    for (std::size_t c = 0; c < all.size(); ++c) expected += x[row * all.size() + c] * weights[c];
    EXPECT_NEAR(sums[row], expected, 1e-12);
  }
}

TEST(FirstLayer, BucketThatLooksLikeTheAbsentMarkCountsWhereNothingIsAbsent) {
  // At m = 65536 and without skipping, 0xFFFF is a bucket like any other.
  Schema schema;
  schema.features.push_back(test::feature("wide", Encoding::four_split, max_cardinality_xxh64));
  const auto layout = test::share(make_layout(schema));
  ASSERT_EQ(layout->blocks[0].slot_kind, SlotKind::codes);
  CodeBatch batch(layout);
  batch.resize(1);
  std::fill(batch.codes.begin(), batch.codes.end(), absent_code);
  const ColumnRange all{0, layout->num_columns};
  const std::vector<float> ones(all.size(), 1);
  std::vector<float> sum(1);
  gather_sum<float>(batch.view(), ones, all, 1, sum);
  EXPECT_EQ(sum[0], 4);
  // The same through the checking path, which a cut range takes.
  gather_sum<float>(batch.view(), std::span(ones).subspan(1), {1, all.end}, 1, sum);
  EXPECT_EQ(sum[0], 4);
}

TEST(FirstLayer, PartialSumsOfDisjointRangesAddUpToTheWhole) {
  for (const auto& layout : {test::plain_layout(3, 100), test::two_sizes_layout(), test::mixed_layout()}) {
    CodeBatch batch = test::random_batch(layout, 100, 5);
    make_numbers_exact(batch);
    const std::uint64_t n = layout->num_columns;
    for (const std::uint32_t units : {1u, 3u}) {
      const auto weights = exact_values<float>(n * units, 9);
      const auto deltas = exact_values<float>(100 * units, 10);
      std::vector<float> whole(100 * units);
      std::vector<float> whole_gradient(n * units);
      gather_sum<float>(batch.view(), weights, {0, n}, units, whole);
      scatter_gradient<float>(batch.view(), deltas, {0, n}, units, whole_gradient, nullptr);
      for (const std::uint64_t parts : {2u, 3u, 7u}) {
        std::vector<float> total(100 * units);
        for (std::uint64_t p = 0; p < parts; ++p) {
          const ColumnRange range{n * p / parts, n * (p + 1) / parts};
          std::vector<float> partial(100 * units);
          gather_sum<float>(batch.view(), slice(weights, range, units), range, units, partial);
          for (std::size_t i = 0; i < total.size(); ++i) total[i] += partial[i];
          std::vector<float> gradient(range.size() * units);
          scatter_gradient<float>(batch.view(), deltas, range, units, gradient, nullptr);
          EXPECT_EQ(gradient, slice(whole_gradient, range, units));
        }
        EXPECT_EQ(total, whole);
      }
    }
  }
}

TEST(FirstLayer, GradientHasTheSameBitsHoweverColumnsAndThreadsAreDivided) {
  const auto layout = test::mixed_layout();
  const CodeBatch batch = test::random_batch(layout, 700, 6);
  const std::uint64_t n = layout->num_columns;
  std::vector<float> deltas(700 * 3);
  std::mt19937_64 random(1);
  for (float& delta : deltas) delta = static_cast<float>(random() >> 40) * 1e-7f - 0.7f;
  std::vector<float> whole(n * 3);
  with_threads(1, [&] { scatter_gradient<float>(batch.view(), deltas, {0, n}, 3, whole, nullptr); });
  for (const std::size_t threads : {2, 3}) {
    with_threads(threads, [&] {
      for (const ColumnRange range :
           {ColumnRange{0, n}, ColumnRange{17, n - 5}, ColumnRange{n / 2, n / 2 + 1}}) {
        std::vector<float> gradient(range.size() * 3);
        scatter_gradient<float>(batch.view(), deltas, range, 3, gradient, nullptr);
        EXPECT_EQ(gradient, slice(whole, range, 3));
      }
    });
  }
}

TEST(FirstLayer, RowsDoNotDependOnTheRowsBesideThem) {
  const auto layout = test::mixed_layout();
  const CodeBatch batch = test::random_batch(layout, 600, 11);
  std::vector<float> weights(layout->num_columns);
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = std::sin(static_cast<float>(i));
  const ColumnRange all{0, layout->num_columns};
  std::vector<float> whole(600);
  gather_sum<float>(batch.view(), weights, all, 1, whole);
  for (std::size_t begin = 0; begin < 600; begin += 59) {
    const auto part = batch.view().rows(begin, std::min<std::size_t>(59, 600 - begin));
    std::vector<float> sums(part.num_rows);
    gather_sum<float>(part, weights, all, 1, sums);
    EXPECT_TRUE(std::equal(sums.begin(), sums.end(), whole.begin() + static_cast<std::ptrdiff_t>(begin)));
  }
}

TEST(TouchedColumns, AreTheColumnsSetInTheRangeEachOnce) {
  const auto layout = test::mixed_layout();
  CodeBatch batch = test::random_batch(layout, 9, 12);
  for (float& number : batch.numbers) number += 3;  // never 0, so that the dense matrix shows the column
  const auto x = test::dense_matrix(batch.view());
  const std::uint64_t n = layout->num_columns;
  for (const ColumnRange range : {ColumnRange{0, n}, ColumnRange{40, n - 30}}) {
    std::set<std::uint32_t> expected;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const std::uint64_t column = i % n;
      if (x[i] != 0 && column >= range.begin && column < range.end) {
        expected.insert(static_cast<std::uint32_t>(column - range.begin));
      }
    }
    TouchedColumns touched(range);
    const std::vector<float> deltas(9 * 2, 1);
    std::vector<float> gradient(range.size() * 2);
    for (int round = 0; round < 2; ++round) {
      scatter_gradient<float>(batch.view(), deltas, range, 2, gradient, &touched);
      EXPECT_THAT(touched.positions(), ::testing::ElementsAreArray(expected));
    }
    touched.clear();
    EXPECT_TRUE(touched.positions().empty());
    scatter_gradient<float>(batch.view(), deltas, range, 2, gradient, &touched);
    EXPECT_THAT(touched.positions(), ::testing::ElementsAreArray(expected));
  }
}

TEST(TouchedColumns, AreListedInOrderAndForgotten) {
  std::mt19937_64 random(3);
  for (const std::uint64_t size : {1, 63, 64, 65, 5000}) {
    TouchedColumns touched({7, 7 + size});
    for (int round = 0; round < 50; ++round) {
      std::set<std::uint32_t> expected;
      for (std::uint64_t i = random() % 40; i > 0; --i) {
        const auto position = static_cast<std::uint32_t>(random() % size);
        touched.marker()(position);
        expected.insert(position);
        if (random() % 8 == 0) touched.list();
      }
      touched.list();
      ASSERT_THAT(touched.positions(), ::testing::ElementsAreArray(expected));
      // Columns that were marked but not listed are cleared, too.
      if (round % 2 == 0) touched.marker()(size - 1);
      touched.clear();
      ASSERT_TRUE(touched.positions().empty());
    }
  }
}

TEST(TouchedColumns, ThreadsMarkNeighbours) {
  TouchedColumns touched({0, 100'000});
  with_threads(4, [&] {
    parallel_for(50, [&](std::size_t part) {
      for (std::uint64_t at = part; at < 100'000; at += 50) touched.marker()(at);
    });
  });
  touched.list();
  ASSERT_EQ(touched.positions().size(), 100'000u);
  EXPECT_EQ(touched.positions()[77'777], 77'777u);
}

TEST(FirstLayer, ShapesThatDoNotFitAreRefused) {
  const auto layout = test::plain_layout(1, 10);
  const CodeBatch batch = test::random_batch(layout, 4, 1);
  const ColumnRange all{0, layout->num_columns};
  std::vector<float> weights(all.size());
  std::vector<float> sums(4);
  const auto refused = [&](ColumnRange range, std::uint32_t units) {
    EXPECT_THROW(gather_sum<float>(batch.view(), weights, range, units, sums), ShapeError);
    EXPECT_THROW(scatter_gradient<float>(batch.view(), sums, range, units, weights, nullptr), ShapeError);
  };
  refused(all, 2);
  refused(all, 0);
  refused({1, all.end}, 1);
  refused({1, all.end + 1}, 1);
  refused({all.end, 0}, 1);
  TouchedColumns other({0, 3});
  EXPECT_THROW(scatter_gradient<float>(batch.view(), sums, all, 1, weights, &other), ShapeError);
  EXPECT_THROW(gather_sum<float>(CodeBatchView{}, weights, all, 1, sums), ShapeError);
}

TEST(FirstLayer, BordersCutNoSlot) {
  EXPECT_EQ(slot_borders(*test::plain_layout(2, 50)),
            (std::vector<std::uint64_t>{0, 8, 16, 24, 32, 40, 48, 56, 64}));
  const auto layout = test::mixed_layout();
  const auto borders = slot_borders(*layout);
  EXPECT_TRUE(std::is_sorted(borders.begin(), borders.end()));
  EXPECT_EQ(borders.front(), 0u);
  EXPECT_EQ(borders.back(), layout->num_columns);
  for (const FeatureBlock& block : layout->blocks) {
    EXPECT_TRUE(std::binary_search(borders.begin(), borders.end(), block.column_offset)) << block.name;
    // All columns of the feature form one slot, so there is no border inside it.
    if (block.encoding != Encoding::one_hot) continue;
    const auto next = std::upper_bound(borders.begin(), borders.end(), block.column_offset);
    EXPECT_EQ(*next, block.column_offset + block.num_columns);
  }
}

TEST(FirstLayer, SetColumnsAreCountedInSixtyFourBits) {
  const auto layout = test::plain_layout(26, 1000);
  CodeBatchView view;
  view.layout = layout.get();
  view.num_rows = 30'000'000;
  EXPECT_EQ(num_set_columns(view), 3'120'000'000u);
  const CodeBatch ragged = test::random_batch(test::mixed_layout(), 50, 2);
  EXPECT_EQ(num_set_columns(ragged.view()), 50u * 11 + ragged.ragged.size());
  EXPECT_EQ(num_set_columns(ragged.view().rows(50, 0)), 0u);
}

}  // namespace
}  // namespace widehash
