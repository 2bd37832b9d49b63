#include "train/batch_stream.hpp"

#include "pipeline/click_table.hpp"
#include "pipeline/pipeline_kit.hpp"

#include <algorithm>

namespace widehash::test {
namespace {

/// 101 distinguishable rows, with lists of every length, in shards of a given size.
class BatchStreamTest : public testing::Test {
 protected:
  static constexpr const char* schema = R"(label = "y"
[[feature]]
field = "tags"
separator = ","
missing = "skip"
cardinality = 100000000
[[feature]]
field = "y2"
cardinality = 1000
)";
  static constexpr std::size_t num_rows = 101;

  Dataset dataset_of(std::uint64_t block_bytes) {
    std::string text = "y\ttags\ty2\n";
    for (std::size_t i = 0; i < num_rows; ++i) {
      std::string tags;
      for (std::size_t t = 0; t < i % 4; ++t) tags += fmt::format("{}tag{}-{}", t == 0 ? "" : ",", i, t);
      text += fmt::format("{}\t{}\tv{}\n", i, tags, i);
    }
    write_text_file(folder_.file("in.tsv"), text);
    const std::string out = folder_.file(fmt::format("out{}", block_bytes));
    TransformOptions options;
    options.block_bytes = block_bytes;
    run_transform(schema, {folder_.file("in.tsv")}, out, options);
    Dataset dataset(out);
    expected_ = matrix_rows(all_rows(dataset).view());
    return dataset;
  }
  /// The row numbers of each batch from `first_batch` on. Checks every row against its expected contents.
  std::vector<std::vector<std::size_t>> batches(BatchStream& stream, const Dataset& dataset,
                                                std::uint64_t epoch, std::uint64_t first_batch = 0) {
    std::vector<std::vector<std::size_t>> all;
    stream.start(epoch, first_batch);
    BatchPlan plan;
    CodeBatch batch(dataset.layout());
    while (stream.next_plan(plan)) {
      EXPECT_EQ(plan.batch, first_batch + all.size());
      BatchStream::gather(plan, batch);
      check_batch(batch.view(), "batch");
      const auto rows = matrix_rows(batch.view());
      auto& ids = all.emplace_back();
      for (std::size_t i = 0; i < rows.size(); ++i) {
        ids.push_back(static_cast<std::size_t>(batch.targets[i]));
        EXPECT_EQ(rows[i], expected_[ids.back()]);
      }
    }
    return all;
  }
  static std::vector<std::size_t> joined(const std::vector<std::vector<std::size_t>>& batches) {
    std::vector<std::size_t> all;
    for (const auto& batch : batches) all.insert(all.end(), batch.begin(), batch.end());
    return all;
  }

  TempFolder folder_;
  std::vector<RowEntries> expected_;
};

TEST_F(BatchStreamTest, EveryRowComesOncePerEpoch) {
  for (const std::uint64_t block_bytes : {20, 150, 100000}) {
    const Dataset dataset = dataset_of(block_bytes);
    for (const std::uint64_t batch_size : {1, 7, 31, 32, 33, 100, 101, 102, 1000, 2048, 100000}) {
      BatchStream stream(dataset, batch_size, 5, true);
      for (std::uint64_t epoch = 0; epoch < 2; ++epoch) {
        const auto all = batches(stream, dataset, epoch);
        EXPECT_EQ(all.size(), stream.num_batches());
        for (std::size_t i = 0; i + 1 < all.size(); ++i) EXPECT_EQ(all[i].size(), batch_size);
        EXPECT_EQ(all.back().size(), (num_rows - 1) % batch_size + 1);
        auto rows = joined(all);
        std::sort(rows.begin(), rows.end());
        ASSERT_EQ(rows.size(), num_rows);
        for (std::size_t i = 0; i < num_rows; ++i) EXPECT_EQ(rows[i], i);
      }
    }
  }
}

TEST(BatchCutTest, EvenBatchesAreAsManyAndDifferByOneAtMost) {
  for (const std::uint64_t num_rows :
       {0ull, 1ull, 2ull, 511ull, 512ull, 513ull, 1000ull, 102401ull, 1ull << 40, ~0ull}) {
    for (const std::uint64_t batch_size : {1ull, 2ull, 512ull, 513ull, 100000ull, ~0ull}) {
      const BatchCut full = BatchCut::full(num_rows, batch_size);
      const BatchCut even = BatchCut::even(num_rows, batch_size);
      ASSERT_EQ(even.num_batches(), full.num_batches());
      EXPECT_EQ(even.begin(0), 0u);
      EXPECT_EQ(even.begin(even.num_batches()), num_rows);
      EXPECT_EQ(full.begin(full.num_batches()), num_rows);
      std::uint64_t least = ~std::uint64_t{0};
      std::uint64_t most = 0;
      const std::uint64_t batches = even.num_batches();
      const auto look_at = [&](std::uint64_t batch) {
        const std::uint64_t rows = even.begin(batch + 1) - even.begin(batch);
        least = std::min(least, rows);
        most = std::max(most, rows);
        if (batch + 1 < batches) {
          EXPECT_EQ(full.begin(batch + 1) - full.begin(batch), batch_size);
        }
      };
      // Batches from both ends, which are all of them if there are few.
      for (std::uint64_t i = 0; i < std::min<std::uint64_t>(batches, 500); ++i) {
        look_at(i);
        look_at(batches - 1 - i);
      }
      if (batches == 0) continue;
      EXPECT_LE(most, batch_size);
      EXPECT_LE(most - least, 1u) << num_rows << " " << batch_size;
    }
  }
}

TEST(BatchCutTest, EvenBatchesHaveAtLeastTheRowsThatAreAskedFor) {
  for (const std::uint64_t num_rows : {4, 5, 7, 8, 9, 100}) {
    for (const std::uint64_t batch_size : {4, 8, 12}) {
      const BatchCut cut = BatchCut::even(num_rows, batch_size, 4);
      for (std::uint64_t i = 0; i < cut.num_batches(); ++i) EXPECT_GE(cut.begin(i + 1) - cut.begin(i), 4u);
      EXPECT_EQ(cut.begin(cut.num_batches()), num_rows);
    }
  }
  EXPECT_EQ(BatchCut::even(3, 4, 4).num_batches(), 1u);
  EXPECT_EQ(BatchCut::even(0, 4, 4).num_batches(), 0u);
}

TEST_F(BatchStreamTest, EvenBatchesHoldEveryRowOnceAndCanBeEnteredAnywhere) {
  const Dataset dataset = dataset_of(150);
  for (const std::uint64_t batch_size : {1, 7, 50, 100, 101, 1000}) {
    const BatchCut cut = BatchCut::even(num_rows, batch_size);
    BatchStream stream(dataset, batch_size, cut, 5, true);
    const auto all = batches(stream, dataset, 1);
    ASSERT_EQ(all.size(), cut.num_batches());
    for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i].size(), cut.begin(i + 1) - cut.begin(i));
    BatchStream full(dataset, batch_size, 5, true);
    EXPECT_EQ(joined(all), joined(batches(full, dataset, 1)));
    for (std::uint64_t first = 0; first <= all.size() + 1; ++first) {
      BatchStream fresh(dataset, batch_size, cut, 5, true);
      const auto from = std::min<std::size_t>(first, all.size());
      EXPECT_EQ(batches(fresh, dataset, 1, first),
                std::vector(all.begin() + static_cast<std::ptrdiff_t>(from), all.end()));
    }
  }
}

TEST_F(BatchStreamTest, LargeBatchesDrawNeighboursTogether) {
  EXPECT_EQ(group_rows(1), 1u);
  EXPECT_EQ(group_rows(1023), 1u);
  EXPECT_EQ(group_rows(1024), 4u);
  EXPECT_EQ(group_rows(2048), 16u);
  EXPECT_EQ(group_rows(4096), 32u);
  EXPECT_EQ(group_rows(~std::uint64_t{0}), 32u);
  const Dataset dataset = dataset_of(100000);
  BatchStream stream(dataset, 1024, 5, true);
  const auto rows = joined(batches(stream, dataset, 0));
  std::size_t neighbours = 0;
  for (std::size_t i = 1; i < rows.size(); ++i) neighbours += rows[i] == rows[i - 1] + 1 ? 1 : 0;
  EXPECT_GE(neighbours, 3 * (num_rows / 4));
  EXPECT_LT(neighbours, num_rows - 10);
}

TEST_F(BatchStreamTest, ScatteredBatchesHoldTheRowsThatGatheringCopies) {
  std::string text;
  for (std::size_t i = 0; i < num_rows; ++i) text += fmt::format("{}\tv{}\t{}\n", i % 2, i, i + 1);
  write_text_file(folder_.file("codes.tsv"), text);
  TransformOptions options;
  options.block_bytes = 150;
  run_transform(R"(header = false
fields = ["y", "a", "w"]
label = "y"
weight = "w"
[[feature]]
field = "a"
cardinality = 1000
[[feature]]
field = "a"
name = "a of many buckets"
cardinality = 100000
)",
                {folder_.file("codes.tsv")}, folder_.file("codes"), options);
  const Dataset dataset(folder_.file("codes"));
  ASSERT_TRUE(ScatteredBatch::suits(*dataset.layout()));
  EXPECT_FALSE(ScatteredBatch::suits(*dataset_of(150).layout()));
  for (const bool shuffle : {false, true}) {
    for (const std::uint64_t batch_size : {7, 2048}) {
      BatchStream stream(dataset, batch_size, 3, shuffle);
      stream.start(0, 0);
      BatchPlan plan;
      CodeBatch copied(dataset.layout());
      ScatteredBatch scattered;
      std::size_t rows = 0;
      while (stream.next_plan(plan)) {
        BatchStream::gather(plan, copied);
        scattered.look_at(plan, *dataset.layout());
        const CodeBatchView view = scattered.view();
        ASSERT_EQ(view.num_rows, copied.num_rows());
        for (std::size_t row = 0; row < view.num_rows; ++row) {
          EXPECT_EQ(view.targets[row], copied.targets[row]);
          EXPECT_EQ(view.weights[row], copied.weights[row]);
          EXPECT_TRUE(std::equal(view.row_codes(row), view.row_codes(row) + dataset.layout()->code_stride,
                                 copied.view().row_codes(row)));
        }
        rows += view.num_rows;
      }
      EXPECT_EQ(rows, num_rows);
    }
  }
}

TEST_F(BatchStreamTest, ASmallDatasetStaysOpenFromEpochToEpoch) {
  const Dataset dataset = dataset_of(150);
  ASSERT_GT(dataset.num_shards(), 2u);
  BatchStream stream(dataset, 10, 5, true);
  BatchStream afresh(dataset, 10, 5, true);
  const auto expected = batches(afresh, dataset, 1);
  batches(stream, dataset, 0);
  // Open shards stay readable after their files are removed.
  for (const ManifestShard& shard : dataset.manifest().shards)
    std::filesystem::remove(folder_.file("out150/" + shard.file));
  EXPECT_EQ(batches(stream, dataset, 1), expected);
}

TEST_F(BatchStreamTest, TheThreadsThatOpenShardsChangeNothing) {
  const Dataset dataset = dataset_of(20);
  BatchStream one(dataset, 10, 5, true);
  BatchStream three(dataset, 10, 5, true, 3);
  const auto expected = batches(one, dataset, 0);
  // As for one of three devices, with one thread each.
  with_threads(3,
               [&] { with_share_of_threads(1, [&] { EXPECT_EQ(batches(three, dataset, 0), expected); }); });
}

TEST_F(BatchStreamTest, TheLargestBatchSizeIsOneBatch) {
  const Dataset dataset = dataset_of(150);
  BatchStream stream(dataset, ~std::uint64_t{0}, 5, true);
  EXPECT_EQ(stream.num_batches(), 1u);
  EXPECT_EQ(batches(stream, dataset, 0).size(), 1u);
}

TEST_F(BatchStreamTest, EpochsAndSeedsHaveTheirOwnOrder) {
  const Dataset dataset = dataset_of(150);
  BatchStream stream(dataset, 10, 5, true);
  const auto first = joined(batches(stream, dataset, 0));
  EXPECT_NE(joined(batches(stream, dataset, 1)), first);
  EXPECT_EQ(joined(batches(stream, dataset, 0)), first);
  BatchStream other(dataset, 10, 6, true);
  EXPECT_NE(joined(batches(other, dataset, 0)), first);
  EXPECT_FALSE(std::is_sorted(first.begin(), first.end()));
}

TEST_F(BatchStreamTest, BatchesCutOneOrder) {
  const Dataset dataset = dataset_of(150);
  BatchStream ten(dataset, 10, 5, true);
  BatchStream seven(dataset, 7, 5, true);
  EXPECT_EQ(joined(batches(ten, dataset, 2)), joined(batches(seven, dataset, 2)));
}

TEST_F(BatchStreamTest, WithoutShuffleRowsComeAsTheyLie) {
  for (const std::uint64_t block_bytes : {20, 150, 100000}) {
    const Dataset dataset = dataset_of(block_bytes);
    BatchStream stream(dataset, 13, 5, false);
    const auto rows = joined(batches(stream, dataset, 3));
    for (std::size_t i = 0; i < num_rows; ++i) EXPECT_EQ(rows[i], i);
  }
}

TEST_F(BatchStreamTest, StartingLaterGivesTheSameRest) {
  for (const std::uint64_t block_bytes : {20, 100000}) {
    const Dataset dataset = dataset_of(block_bytes);
    BatchStream stream(dataset, 9, 5, true);
    const auto all = batches(stream, dataset, 1);
    for (std::uint64_t first = 0; first <= all.size() + 1; ++first) {
      BatchStream fresh(dataset, 9, 5, true);
      const auto from = std::min<std::size_t>(first, all.size());
      EXPECT_EQ(batches(fresh, dataset, 1, first),
                std::vector(all.begin() + static_cast<std::ptrdiff_t>(from), all.end()));
    }
  }
}

TEST_F(BatchStreamTest, PlansOutliveTheirWindow) {
  const Dataset dataset = dataset_of(20);
  BatchStream stream(dataset, 10, 5, true);
  stream.start(0);
  std::vector<BatchPlan> plans;
  for (BatchPlan plan; stream.next_plan(plan);) plans.push_back(plan);
  std::vector<std::size_t> seen;
  for (const BatchPlan& plan : plans) {
    CodeBatch batch(dataset.layout());
    BatchStream::gather(plan, batch);
    for (const float target : batch.targets) seen.push_back(static_cast<std::size_t>(target));
  }
  BatchStream again(dataset, 10, 5, true);
  EXPECT_EQ(seen, joined(batches(again, dataset, 0)));
}

TEST_F(BatchStreamTest, ADamagedShardIsNamed) {
  const Dataset dataset = dataset_of(150);
  const std::string path = dataset.directory() + "/" + dataset.manifest().shards[2].file;
  std::string bytes = read_text_file(path);
  bytes[70] = static_cast<char>(bytes[70] ^ 1);
  write_text_file(path, bytes);
  BatchStream stream(dataset, 1000, 5, true);
  stream.start(0);
  BatchPlan plan;
  EXPECT_THAT(complaint<DataError>([&] { stream.next_plan(plan); }),
              testing::HasSubstr(dataset.manifest().shards[2].file));
}

}  // namespace
}  // namespace widehash::test
