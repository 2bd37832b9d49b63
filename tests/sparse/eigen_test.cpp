#include "sparse/sample.hpp"

#include <widehash/csr_ops.hpp>
#include <widehash/eigen.hpp>

#include <gtest/gtest.h>

namespace widehash {
namespace {

Eigen::VectorXf random_weights(Eigen::Index count) {
  std::mt19937 random(3);
  Eigen::VectorXf weights(count);
  for (float& weight : weights) weight = static_cast<float>(random() % 100) / 8 - 6;
  return weights;
}

TEST(Eigen, LooksAtTheSameArrays) {
  const Csr x = to_csr(test::every_kind_sample(33, 1).batch.view());
  const auto mapped = to_eigen(x.view());
  EXPECT_EQ(mapped.outerIndexPtr(), x.row_offsets.data());
  EXPECT_EQ(mapped.innerIndexPtr(), x.columns.data());
  EXPECT_EQ(mapped.valuePtr(), x.values.data());
  EXPECT_EQ(mapped.rows(), x.num_rows);
  EXPECT_EQ(mapped.cols(), x.num_columns);
  EXPECT_EQ(mapped.nonZeros(), x.view().num_nonzeros());
}

TEST(Eigen, ProductEqualsTheSumOverEntries) {
  const test::Sample sample = test::every_kind_sample(100, 2);
  const Csr x = to_csr(sample.batch.view());
  const Eigen::VectorXf weights = random_weights(x.num_columns);
  const Eigen::VectorXf product = to_eigen(x.view()) * weights;
  for (std::size_t row = 0; row < sample.rows.size(); ++row) {
    float sum = 0;  // exact: all terms are eighths of small integers
    for (const auto& [column, value] : sample.rows[row]) sum += value * weights[column];
    EXPECT_EQ(product[static_cast<Eigen::Index>(row)], sum) << row;
  }
}

TEST(Eigen, ThereAndBackIsTheSameView) {
  const Csr x = to_csr(test::every_kind_sample(10, 3).batch.view());
  const EigenMatrix copy = to_eigen(x.view());
  const CsrView back = from_eigen(copy);
  EXPECT_EQ(back.row_offsets.data(), copy.outerIndexPtr());
  EXPECT_EQ(back.columns.data(), copy.innerIndexPtr());
  EXPECT_EQ(back.values.data(), copy.valuePtr());
  EXPECT_NO_THROW(check_csr(back));
  EXPECT_TRUE(std::equal(back.columns.begin(), back.columns.end(), x.columns.begin(), x.columns.end()));
  EXPECT_TRUE(std::equal(back.row_offsets.begin(), back.row_offsets.end(), x.row_offsets.begin(),
                         x.row_offsets.end()));
}

TEST(Eigen, EmptyMatricesPassBothWays) {
  const Csr none;
  EXPECT_EQ(to_eigen(none.view()).nonZeros(), 0);
  const EigenMatrix empty(0, 0);
  EXPECT_NO_THROW(check_csr(from_eigen(empty)));
  const EigenMatrix zeros(3, 5);
  const CsrView view = from_eigen(zeros);
  EXPECT_NO_THROW(check_csr(view));
  EXPECT_EQ(view.num_rows, 3);
  EXPECT_EQ(view.num_columns, 5);
}

TEST(Eigen, UncompressedMatrixIsAShapeError) {
  EigenMatrix matrix(2, 3);
  matrix.reserve(Eigen::VectorXi::Constant(2, 3));
  matrix.insert(1, 2) = 4;
  ASSERT_FALSE(matrix.isCompressed());
  EXPECT_THROW(from_eigen(matrix), ShapeError);
  matrix.makeCompressed();
  EXPECT_EQ(from_eigen(matrix).num_nonzeros(), 1);
}

}  // namespace
}  // namespace widehash
