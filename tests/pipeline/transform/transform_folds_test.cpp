#include "pipeline/click_table.hpp"
#include "pipeline/pipeline_kit.hpp"

namespace widehash::test {
namespace {

using testing::HasSubstr;

/// Transforms some folds of two inputs of a few blocks, with a bad row in each input.
class TransformFolds : public testing::Test {
 protected:
  TransformFolds() {
    options_.block_bytes = 300;
    options_.max_bad_rows = 2;
    options_.inputs = {folder_.file("a.tsv"), folder_.file("b.tsv")};
    options_.folds = parse_folds("1-2/3");
    options_.output_directory = folder_.file("out");
    write_text_file(folder_.file("a.tsv"), click_text(60, 1) + "bad row\n");
    write_text_file(folder_.file("b.tsv"), click_text(20, 2) + "another\n");
  }
  TransformReport run() { return transform(source(click_schema), options_); }

  TempFolder folder_;
  TransformOptions options_;
};

TEST_F(TransformFolds, CountEveryRowOnce) {
  const TransformReport taken = run();
  const std::string first = options_.output_directory;
  options_.folds = parse_folds("3/3");
  options_.output_directory = folder_.file("rest");
  const TransformReport rest = run();
  EXPECT_EQ(taken.rows + rest.rows, 80u);
  EXPECT_EQ(taken.other_fold_rows, rest.rows);
  EXPECT_EQ(rest.other_fold_rows, taken.rows);
  EXPECT_EQ(taken.rejected_rows, 2u) << "bad rows are told whatever their fold";
  EXPECT_EQ(rest.rejected_rows, 2u);
  EXPECT_GT(taken.rows, 40u);
  EXPECT_GT(rest.rows, 10u);
  const Manifest manifest = load_manifest(first);
  EXPECT_EQ(manifest.rows_read(), 82u);
  EXPECT_EQ(manifest.folds, parse_folds("1-2/3"));
  EXPECT_EQ(verify_dataset(first).other_fold_rows, taken.other_fold_rows);
}

TEST_F(TransformFolds, AreTheRowsOfTheWholeInItsOrder) {
  run();
  TransformOptions whole = options_;
  whole.folds = {};
  whole.output_directory = folder_.file("whole");
  transform(source(click_schema), whole);
  const auto all = matrix_rows(all_rows(Dataset(whole.output_directory)).view());
  std::vector<RowEntries> expected;
  std::size_t at = 0;
  for (const unsigned seed : {1u, 2u}) {
    for (const std::string& row : click_rows(seed == 1 ? 60 : 20, seed)) {
      if (fold_of(row, 3) != 3) expected.push_back(all[at]);
      ++at;
    }
  }
  EXPECT_EQ(matrix_rows(all_rows(Dataset(options_.output_directory)).view()), expected);
}

TEST_F(TransformFolds, AStopAfterAnyBlockGivesTheSameFolder) {
  run();
  const auto whole = folder_bytes(options_.output_directory);
  struct Stopped {};
  std::uint64_t resumed = 0;
  for (std::uint64_t stop = 1;; ++stop) {
    std::filesystem::remove_all(options_.output_directory);
    std::uint64_t done = 0;
    try {
      with_threads(1, [&] {
        transform(source(click_schema), options_, [&](const Progress&) {
          if (++done == stop) throw Stopped();
        });
      });
      EXPECT_GT(stop, 5u);
      EXPECT_GT(resumed, stop);
      break;
    } catch (const Stopped&) {
    }
    const TransformReport report = run();
    EXPECT_LE(report.resumed_shards, stop);
    resumed += report.resumed_shards;
    ASSERT_EQ(difference(folder_bytes(options_.output_directory), whole), "") << stop;
  }
}

TEST_F(TransformFolds, AnotherRunDoesNotGoOnWithThem) {
  run();
  options_.folds = {};
  EXPECT_THAT(complaint<ConfigError>([&] { run(); }),
              HasSubstr("was made from folds 1-2/3, not from all rows"));
  options_.folds = parse_folds("1-2/3");
  options_.folds.by = "user";
  EXPECT_THAT(complaint<ConfigError>([&] { run(); }),
              HasSubstr("was made from folds 1-2/3, not from folds 1-2/3 by 'user'"));
  options_.folds.by = "";
  EXPECT_TRUE(run().already_complete);
  EXPECT_EQ(run().other_fold_rows + run().rows, 80u);
}

TEST_F(TransformFolds, ByAFieldTheSchemaDoesNotKnow) {
  write_text_file(folder_.file("a.tsv"),
                  "who\tclick\tworth\tuser\tshop\tprice\ttags\nme\t1\t1\tu\ts\t5\tt\n");
  options_.inputs = {folder_.file("a.tsv")};
  options_.folds = {.count = 10, .taken = {{fold_of("me", 10), fold_of("me", 10)}}, .by = "who"};
  EXPECT_EQ(run().rows, 1u);
  options_.folds.by = "whom";
  options_.output_directory = folder_.file("other");
  EXPECT_THAT(complaint<ConfigError>([&] { run(); }), HasSubstr("no field 'whom', which decides the folds"));
}

TEST_F(TransformFolds, AManifestThatDoesNotAddUpIsRefused) {
  run();
  Manifest manifest = load_manifest(options_.output_directory);
  ++manifest.other_fold_rows;
  EXPECT_THROW(write_manifest(manifest, folder_.file("out")), DataError);
  --manifest.other_fold_rows;
  manifest.folds = {};
  EXPECT_THAT(complaint<DataError>([&] { write_manifest(manifest, folder_.file("out")); }),
              HasSubstr("all folds were written"));
}

TEST_F(TransformFolds, FitCountsWhatTransformEncodes) {
  FitOptions fitted;
  fitted.folds = options_.folds;
  fitted.max_bad_rows = 2;
  const FitReport report = run_fit(click_schema, options_.inputs, folder_.file("tables"), fitted);
  const TransformReport encoded = run();
  EXPECT_EQ(report.rows, encoded.rows);
  EXPECT_EQ(report.other_fold_rows, encoded.other_fold_rows);
  const FitReport again = run_fit(click_schema, options_.inputs, folder_.file("tables"), fitted);
  EXPECT_TRUE(again.already_complete);
  EXPECT_EQ(again.other_fold_rows, report.other_fold_rows);
  fitted.folds = {};
  EXPECT_THAT(
      complaint<ConfigError>([&] { run_fit(click_schema, options_.inputs, folder_.file("tables"), fitted); }),
      HasSubstr("were made from folds 1-2/3, not from all rows"));
}

}  // namespace
}  // namespace widehash::test
