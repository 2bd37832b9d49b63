#include "pipeline/pipeline_kit.hpp"

#include <widehash/batch_reader.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <numeric>
#include <optional>
#include <vector>

#include <fmt/format.h>

namespace widehash::test {
namespace {

constexpr std::size_t num_rows = 100;

/// Datasets of several shards, in which the label of a row is its number.
class BatchReaderTest : public testing::Test {
 protected:
  std::shared_ptr<const Dataset> dataset() {
    std::string text = "y\ta\n";
    for (std::size_t i = 0; i < num_rows; ++i) text += fmt::format("{}\tv{}\n", i, i);
    write_text_file(folder_.file("in.tsv"), text);
    TransformOptions options;
    options.block_bytes = 150;
    run_transform("label = \"y\"\n[[feature]]\nfield = \"a\"\ncardinality = 1000\n", {folder_.file("in.tsv")},
                  folder_.file("out"), options);
    return std::make_shared<const Dataset>(folder_.file("out"));
  }

  /// The rows of each batch.
  static std::vector<std::vector<float>> batches(const std::shared_ptr<const Dataset>& dataset,
                                                 const BatchReaderOptions& options) {
    BatchReader reader(dataset, options);
    CodeBatch batch(dataset->layout());
    std::vector<std::vector<float>> all;
    while (reader.next(batch)) {
      check_batch(batch.view(), "batch");
      all.emplace_back(batch.targets.begin(), batch.targets.end());
    }
    EXPECT_EQ(all.size(), reader.num_batches());
    EXPECT_FALSE(reader.next(batch));
    return all;
  }
  static std::vector<float> joined(const std::vector<std::vector<float>>& batches) {
    std::vector<float> all;
    for (const auto& batch : batches) all.insert(all.end(), batch.begin(), batch.end());
    return all;
  }

  TempFolder folder_;
};

TEST_F(BatchReaderTest, ABatchOfAnotherLayoutOrNoneIsRefused) {
  const auto data = dataset();
  BatchReader reader(data, {});
  CodeBatch none;
  EXPECT_THROW(reader.next(none), ShapeError);
  CodeLayout layout = *data->layout();
  layout.fingerprint.tables = "others";
  CodeBatch other(std::make_shared<const CodeLayout>(layout));
  EXPECT_THROW(reader.next(other), ShapeError);
  CodeBatch batch(data->layout());
  EXPECT_TRUE(reader.next(batch));
  EXPECT_EQ(batch.num_rows(), num_rows);
}

TEST_F(BatchReaderTest, WithoutASeedRowsComeInTheOrderOfTheDataset) {
  const auto data = dataset();
  ASSERT_GT(data->num_shards(), 1u);
  std::vector<float> expected(num_rows);
  std::iota(expected.begin(), expected.end(), 0.0F);
  for (const std::uint64_t rows : {1, 32, 33, 99, 100, 1000}) {
    const auto all = batches(data, {.rows = rows});
    EXPECT_EQ(joined(all), expected);
    for (std::size_t i = 0; i + 1 < all.size(); ++i) EXPECT_EQ(all[i].size(), rows);
  }
}

TEST_F(BatchReaderTest, EpochsOfASeedAreOrdersOfTheirOwnThatComeAgain) {
  const auto data = dataset();
  const auto first = joined(batches(data, {.rows = 32, .seed = 7}));
  EXPECT_EQ(joined(batches(data, {.rows = 32, .seed = 7})), first);
  for (const BatchReaderOptions& other :
       {BatchReaderOptions{.rows = 32, .seed = 7, .epoch = 2}, BatchReaderOptions{.rows = 32, .seed = 8},
        BatchReaderOptions{.rows = 32}}) {
    auto rows = joined(batches(data, other));
    EXPECT_NE(rows, first);
    std::ranges::sort(rows);
    for (std::size_t i = 0; i < num_rows; ++i) EXPECT_EQ(rows[i], static_cast<float>(i));
  }
}

TEST_F(BatchReaderTest, NoRowsToABatchAreRefused) {
  EXPECT_THROW(BatchReader(dataset(), {.rows = 0}), ConfigError);
}

}  // namespace
}  // namespace widehash::test
