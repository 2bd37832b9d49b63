#include "sparse/sample.hpp"

#include <widehash/csr_ops.hpp>
#include <widehash/error.hpp>
#include <widehash/threads.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace widehash {
namespace {

using test::every_kind_sample;
using test::Sample;
using testing::ElementsAre;

using Dense = std::vector<std::vector<float>>;

Dense to_dense(const CsrView& matrix) {
  Dense dense(static_cast<std::size_t>(matrix.num_rows),
              std::vector<float>(static_cast<std::size_t>(matrix.num_columns)));
  for (std::size_t row = 0; row < dense.size(); ++row) {
    for (SparseIndex i = matrix.row_offsets[row]; i < matrix.row_offsets[row + 1]; ++i) {
      dense[row][static_cast<std::size_t>(matrix.columns[i])] += matrix.values[i];
    }
  }
  return dense;
}

Csr random_csr(std::mt19937& random, SparseIndex num_rows, SparseIndex num_columns) {
  Csr matrix;
  matrix.num_rows = num_rows;
  matrix.num_columns = num_columns;
  for (SparseIndex row = 0; row < num_rows; ++row) {
    for (SparseIndex column = 0; column < num_columns; ++column) {
      if (random() % 3 != 0) continue;
      matrix.columns.push_back(column);
      matrix.values.push_back(static_cast<float>(random() % 9 + 1));
    }
    matrix.row_offsets.push_back(static_cast<SparseIndex>(matrix.columns.size()));
  }
  return matrix;
}

void expect_rows(const Csr& matrix, const Sample& sample, std::size_t begin = 0) {
  ASSERT_NO_THROW(check_csr(matrix.view()));
  ASSERT_EQ(matrix.num_columns, static_cast<SparseIndex>(sample.layout->num_columns));
  for (std::size_t row = 0; row < static_cast<std::size_t>(matrix.num_rows); ++row) {
    std::map<SparseIndex, float> found;
    for (SparseIndex i = matrix.row_offsets[row]; i < matrix.row_offsets[row + 1]; ++i) {
      found[matrix.columns[i]] = matrix.values[i];
    }
    ASSERT_EQ(found, sample.rows[begin + row]) << "row " << row;
  }
}

TEST(ToCsr, EmptyBatchGivesEmptyCsr) {
  const Sample sample = every_kind_sample(0, 1);
  const Csr matrix = to_csr(sample.batch.view());
  EXPECT_EQ(matrix.num_rows, 0);
  EXPECT_THAT(matrix.row_offsets, ElementsAre(0));
  expect_rows(matrix, sample);
}

TEST(ToCsr, EqualsTheOracle) {
  for (const std::size_t rows : {1, 31, 32, 33, 4095, 4096, 4097, 10'000}) {
    const Sample sample = every_kind_sample(rows, static_cast<unsigned>(rows));
    expect_rows(to_csr(sample.batch.view()), sample);
  }
}

TEST(ToCsr, PartOfABatchIsThatPartOfTheMatrix) {
  const Sample sample = every_kind_sample(50, 3);
  const Csr matrix = to_csr(sample.batch.view().rows(13, 20));
  EXPECT_EQ(matrix.num_rows, 20);
  expect_rows(matrix, sample, 13);
}

TEST(ToCsr, DoesNotDependOnThreads) {
  const Sample sample = every_kind_sample(9000, 4);
  Csr one;
  Csr three;
  with_threads(1, [&] { one = to_csr(sample.batch.view()); });
  with_threads(3, [&] { three = to_csr(sample.batch.view()); });
  EXPECT_EQ(one.row_offsets, three.row_offsets);
  EXPECT_EQ(one.columns, three.columns);
  EXPECT_EQ(one.values, three.values);
}

/// Rows without absent values, numbers or runs, which take a path of their own.
Sample fixed_sample(std::size_t rows, unsigned seed) {
  Schema schema;
  schema.features = {test::make_feature("small", Encoding::four_split, 100),
                     test::make_feature("large", Encoding::four_split, 1'000'000),
                     test::make_feature("one", Encoding::one_hot, 64),
                     test::make_feature("last", Encoding::four_split, 4'000'000'000)};
  return test::make_sample(schema, {}, rows, seed);
}

TEST(ToCsr, RowsOfCodesAloneEqualTheOracle) {
  for (const std::size_t rows : {0, 1, 33, 4096, 4097, 10'000}) {
    const Sample sample = fixed_sample(rows, static_cast<unsigned>(rows));
    expect_rows(to_csr(sample.batch.view()), sample);
  }
  const Sample sample = fixed_sample(50, 3);
  expect_rows(to_csr(sample.batch.view().rows(13, 20)), sample, 13);
}

/// Features of random kinds in random order, so that each kind has every other kind, and itself, as a neighbour.
Schema random_schema(std::mt19937& random, std::vector<std::uint32_t>& heads) {
  Schema schema;
  heads.clear();
  for (int i = 0; i < 12; ++i) {
    const std::string name = "f" + std::to_string(i);
    Feature feature = test::make_feature(name, Encoding::four_split, random() % 2 == 0 ? 100 : 1'000'000);
    const auto kind = random() % 7;
    if (kind == 2) {
      feature = test::make_feature(name, Encoding::one_hot);
      feature.buckets = 5;
    }
    if (kind == 3) feature = test::make_feature(name, Encoding::numeric);
    if (kind == 4) feature.separator = "|";
    if (kind == 5) feature = test::make_feature(name, Encoding::exact, 100);
    if (kind == 6) feature = test::make_feature(name, Encoding::ignore);
    if (kind <= 2 && random() % 3 == 0) feature.missing = Missing::skip;
    heads.push_back(kind == 5 ? 3 : 0);
    schema.features.push_back(feature);
  }
  return schema;
}

TEST(ToCsr, FeaturesInAnyOrderEqualTheOracle) {
  std::mt19937 random(11);
  for (unsigned seed = 0; seed < 100; ++seed) {
    std::vector<std::uint32_t> heads;
    const Schema schema = random_schema(random, heads);
    const Sample sample = test::make_sample(schema, heads, 20, seed);
    SCOPED_TRACE(seed);
    expect_rows(to_csr(sample.batch.view()), sample);
  }
}

TEST(ToCsr, NarrowIndicesAreTheSameMatrix) {
  for (const Sample& sample : {every_kind_sample(5000, 5), fixed_sample(5000, 6)}) {
    const Csr wide = to_csr(sample.batch.view());
    std::vector<std::int32_t> row_offsets(5001);
    csr_row_offsets<std::int32_t>(sample.batch.view(), row_offsets);
    EXPECT_TRUE(std::ranges::equal(row_offsets, wide.row_offsets));
    std::vector<std::int32_t> columns(static_cast<std::size_t>(row_offsets.back()));
    std::vector<float> values(columns.size());
    csr_entries<std::int32_t>(sample.batch.view(), row_offsets, columns, values);
    EXPECT_TRUE(std::ranges::equal(columns, wide.columns));
    EXPECT_EQ(values, wide.values);
  }
}

TEST(ToCsr, RoomThatDoesNotFitIsAShapeError) {
  const Sample sample = fixed_sample(3, 7);
  const CodeBatchView rows = sample.batch.view();
  std::vector<std::int64_t> row_offsets(3);
  EXPECT_THROW(csr_row_offsets<std::int64_t>(rows, row_offsets), ShapeError);
  row_offsets.resize(4);
  csr_row_offsets<std::int64_t>(rows, row_offsets);
  std::vector<std::int64_t> columns(static_cast<std::size_t>(row_offsets.back()));
  std::vector<float> values(columns.size() - 1);
  EXPECT_THROW(csr_entries<std::int64_t>(rows, row_offsets, columns, values), ShapeError);
  EXPECT_THROW(to_csr({}), ShapeError);
}

TEST(ToCsr, RowOffsetsOfOtherRowsWriteNothingPastTheRoom) {
  for (const Sample& sample : {every_kind_sample(9000, 5), fixed_sample(9000, 6)}) {
    const CodeBatchView rows = sample.batch.view();
    std::vector<std::int64_t> good(rows.num_rows + 1);
    csr_row_offsets<std::int64_t>(rows, good);
    const auto expect_refused = [&](std::vector<std::int64_t> offsets) {
      // The sanitizers notice writes past the end of these.
      std::vector<std::int64_t> columns(static_cast<std::size_t>(std::max<std::int64_t>(offsets.back(), 0)));
      std::vector<float> values(columns.size());
      EXPECT_THROW(csr_entries<std::int64_t>(rows, offsets, columns, values), ShapeError);
    };
    std::vector<std::int64_t> offsets = good;
    for (std::int64_t& offset : offsets) offset += 3;
    expect_refused(offsets);
    std::ranges::fill(offsets, 0);
    expect_refused(offsets);
    for (std::size_t i = 0; i < offsets.size(); ++i) offsets[i] = static_cast<std::int64_t>(i);
    expect_refused(offsets);
    for (const std::int64_t wrong : {std::int64_t{-5}, good.back() + 1, good[4096] + 1}) {
      offsets = good;
      offsets[4096] = wrong;
      expect_refused(offsets);
    }
    offsets = good;
    offsets.back() -= 1;
    expect_refused(offsets);
    // A wrong offset inside a chunk, such as the same rows in another order would have.
    for (const std::int64_t wrong : {std::int64_t{-400000000}, good[17] + 1, good.back()}) {
      offsets = good;
      offsets[17] = wrong;
      expect_refused(offsets);
    }
  }
}

TEST(ToCsr, EntriesThatPassTheIndexAreAShapeError) {
  Schema schema;
  for (int i = 0; i < 5000; ++i) {
    schema.features.push_back(test::make_feature("f" + std::to_string(i), Encoding::four_split, 64));
  }
  const CodeLayout layout = make_layout(schema);
  // There are 20,000 entries a row, and all rows are the same one.
  const std::vector<std::uint16_t> codes(layout.code_stride);
  const auto offsets_of = [&](std::size_t num_rows) {
    const std::vector<const std::uint16_t*> rows(num_rows, codes.data());
    CodeBatchView batch;
    batch.layout = &layout;
    batch.num_rows = num_rows;
    batch.scattered_codes = rows;
    std::vector<std::int32_t> row_offsets(num_rows + 1);
    csr_row_offsets<std::int32_t>(batch, row_offsets);
    return row_offsets.back();
  };
  EXPECT_EQ(offsets_of(107'374), 2'147'480'000);
  EXPECT_THROW(offsets_of(107'375), ShapeError);
}

TEST(ToCsr, RepeatedColumnsAddUp) {
  Schema schema;
  schema.features = {test::make_feature("tags", Encoding::four_split, 64)};
  schema.features.front().separator = "|";
  Sample sample = test::make_sample(schema, {}, 2, 1);
  sample.batch.ragged = {9, 3, 9, 9, 31};
  sample.batch.ragged_offsets = {0, 4, 5};
  const Csr matrix = to_csr(sample.batch.view());
  EXPECT_THAT(matrix.columns, ElementsAre(3, 9, 31));
  EXPECT_THAT(matrix.values, ElementsAre(1, 3, 1));
}

TEST(ToCsr, BatchWithoutFeaturesHasEmptyRows) {
  Schema schema;
  schema.features = {test::make_feature("note", Encoding::ignore)};
  const Sample sample = test::make_sample(schema, {}, 3, 1);
  const Csr matrix = to_csr(sample.batch.view());
  EXPECT_THAT(matrix.row_offsets, ElementsAre(0, 0, 0, 0));
  EXPECT_EQ(matrix.num_columns, 0);
}

TEST(Hstack, EqualsTheDenseOracle) {
  std::mt19937 random(5);
  for (int round = 0; round < 100; ++round) {
    const auto rows = static_cast<SparseIndex>(random() % 5);
    std::vector<Csr> parts;
    std::vector<CsrView> views;
    for (unsigned p = random() % 4 + 1; p > 0; --p) {
      parts.push_back(random_csr(random, rows, static_cast<SparseIndex>(random() % 6)));
    }
    Dense wanted(static_cast<std::size_t>(rows));
    for (const Csr& part : parts) {
      views.push_back(part.view());
      const Dense dense = to_dense(part.view());
      for (std::size_t r = 0; r < wanted.size(); ++r)
        wanted[r].insert(wanted[r].end(), dense[r].begin(), dense[r].end());
    }
    const Csr stacked = hstack(views);
    ASSERT_NO_THROW(check_csr(stacked.view()));
    ASSERT_EQ(to_dense(stacked.view()), wanted);
  }
}

TEST(Vstack, EqualsTheDenseOracle) {
  std::mt19937 random(6);
  for (int round = 0; round < 100; ++round) {
    const auto columns = static_cast<SparseIndex>(random() % 6);
    std::vector<Csr> parts;
    std::vector<CsrView> views;
    for (unsigned p = random() % 4 + 1; p > 0; --p) {
      parts.push_back(random_csr(random, static_cast<SparseIndex>(random() % 5), columns));
    }
    Dense wanted;
    for (const Csr& part : parts) {
      views.push_back(part.view());
      const Dense dense = to_dense(part.view());
      wanted.insert(wanted.end(), dense.begin(), dense.end());
    }
    const Csr stacked = vstack(views);
    ASSERT_NO_THROW(check_csr(stacked.view()));
    ASSERT_EQ(to_dense(stacked.view()), wanted);
  }
}

TEST(Stacks, OfNothingAreEmpty) {
  EXPECT_NO_THROW(check_csr(hstack({}).view()));
  EXPECT_NO_THROW(check_csr(vstack({}).view()));
  EXPECT_EQ(hstack({}).num_rows, 0);
  const std::array views{CsrView(), CsrView()};
  EXPECT_NO_THROW(check_csr(hstack(views).view()));
  EXPECT_NO_THROW(check_csr(vstack(views).view()));
}

TEST(Stacks, ThatDoNotFitAreShapeErrors) {
  std::mt19937 random(7);
  const Csr a = random_csr(random, 3, 4);
  const Csr b = random_csr(random, 2, 5);
  EXPECT_THROW(hstack(std::array{a.view(), b.view()}), ShapeError);
  EXPECT_THROW(vstack(std::array{a.view(), b.view()}), ShapeError);
  for (const SparseIndex num_rows : {-2, 2, 4}) {
    CsrView bad = a.view();
    bad.num_rows = num_rows;
    EXPECT_THROW(hstack(std::array{bad}), ShapeError) << num_rows;
    EXPECT_THROW(vstack(std::array{bad}), ShapeError) << num_rows;
  }
  for (const std::vector<SparseIndex>& row_offsets : {std::vector<SparseIndex>{0, 5}, {1, 1}}) {
    const Csr bad{1, 8, row_offsets, {3}, {1}};
    EXPECT_THROW(hstack(std::array{bad.view()}), ShapeError);
    EXPECT_THROW(vstack(std::array{bad.view()}), ShapeError);
  }
  EXPECT_THROW(one_hot_csr({}, -5), ShapeError);
}

TEST(Hstack, CountsColumnsIn64Bits) {
  const SparseIndex wide = SparseIndex{1} << 30;
  const Csr empty{1, wide, {0, 0}, {}, {}};
  const Csr last{1, wide, {0, 2}, {7, wide - 1}, {5, 6}};
  const Csr stacked = hstack(std::array{empty.view(), empty.view(), empty.view(), last.view()});
  EXPECT_EQ(stacked.num_columns, 4 * wide);
  EXPECT_THAT(stacked.columns, ElementsAre(3 * wide + 7, 4 * wide - 1));
  EXPECT_THAT(stacked.values, ElementsAre(5, 6));
  const Csr widest{1, std::numeric_limits<SparseIndex>::max(), {0, 0}, {}, {}};
  EXPECT_THROW(hstack(std::array{widest.view(), widest.view()}), ShapeError);
}

TEST(OneHotCsr, HasOneEntryARow) {
  const Csr matrix = one_hot_csr(std::array<std::uint32_t, 4>{2, 0, 3, 2}, 4);
  ASSERT_NO_THROW(check_csr(matrix.view()));
  EXPECT_EQ(to_dense(matrix.view()), (Dense{{0, 0, 1, 0}, {1, 0, 0, 0}, {0, 0, 0, 1}, {0, 0, 1, 0}}));
  EXPECT_EQ(one_hot_csr({}, 4).num_rows, 0);
  EXPECT_THROW(one_hot_csr(std::array<std::uint32_t, 1>{4}, 4), ShapeError);
}

}  // namespace
}  // namespace widehash
