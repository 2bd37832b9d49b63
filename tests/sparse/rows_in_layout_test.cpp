#include "sparse/sample.hpp"

#include <widehash/csr_ops.hpp>
#include <widehash/error.hpp>
#include <widehash/rows_in_layout.hpp>

#include <memory>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace widehash {
namespace {

using test::every_kind_heads;
using test::every_kind_schema;
using test::make_sample;
using test::same_rows;
using test::Sample;

std::shared_ptr<const CodeLayout> layout_of(const Schema& schema, CodeBytes code_bytes) {
  return std::make_shared<const CodeLayout>(make_layout(schema, every_kind_heads(), code_bytes));
}

TEST(RowsInLayout, CodesOfOtherSizesAreTheSameRowsOfTheMatrix) {
  const Schema schema = every_kind_schema();
  for (const std::size_t num_rows : {0, 1, 33}) {
    const Sample sample = make_sample(schema, every_kind_heads(), num_rows, 7, CodeBytes::two);
    const CodeBatch least = rows_in_layout(sample.batch.view(), layout_of(schema, CodeBytes::least));
    EXPECT_LT(least.layout().code_stride, sample.layout->code_stride);
    EXPECT_NO_THROW(check_batch(least.view(), "batch"));
    const Csr expected = to_csr(sample.batch.view());
    const Csr found = to_csr(least.view());
    EXPECT_EQ(found.row_offsets, expected.row_offsets);
    EXPECT_EQ(found.columns, expected.columns);
    EXPECT_EQ(found.values, expected.values);
    EXPECT_TRUE(same_rows(rows_in_layout(least.view(), sample.layout).view(), sample.batch.view()));
  }
}

TEST(RowsInLayout, PartsOfABatchAreTheirRows) {
  const Schema schema = every_kind_schema();
  const Sample sample = make_sample(schema, every_kind_heads(), 33, 7, CodeBytes::two);
  const CodeBatchView part = sample.batch.view().rows(5, 20);
  const CodeBatch least = rows_in_layout(part, layout_of(schema, CodeBytes::least));
  EXPECT_TRUE(same_rows(rows_in_layout(least.view(), sample.layout).view(), part));
}

TEST(RowsInLayout, AnotherEncodingIsRefused) {
  const Schema schema = every_kind_schema();
  const Sample sample = make_sample(schema, every_kind_heads(), 2, 7, CodeBytes::two);
  Schema other = schema;
  other.features.front().cardinality = 10;
  EXPECT_THROW(rows_in_layout(sample.batch.view(), layout_of(other, CodeBytes::least)), ShapeError);
  other = schema;
  std::swap(other.features.front(), other.features.back());
  EXPECT_THROW(rows_in_layout(sample.batch.view(), layout_of(other, CodeBytes::least)), ShapeError);
  EXPECT_THROW(rows_in_layout(CodeBatchView(), layout_of(schema, CodeBytes::least)), ShapeError);
}

}  // namespace
}  // namespace widehash
