#include "pipeline/click_table.hpp"
#include "pipeline/pipeline_kit.hpp"

namespace widehash::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

/// A finished dataset that --overwrite replaces by one with other rows, fewer shards and one more bad row.
class TransformReplace : public testing::Test {
 protected:
  TransformReplace() {
    options_.block_bytes = 120;
    options_.max_bad_rows = 2;
    write("a.tsv", click_text(20, 3) + "bad\n");
    run("new");
    new_ = folder_bytes(folder_.file("new"));
    write("a.tsv", click_text(40, 4));
    run("out");
    old_ = folder_bytes(folder_.file("out"));
    write("a.tsv", click_text(20, 3) + "bad\n");
    options_.overwrite = true;
  }
  void write(const std::string& name, const std::string& text) { write_text_file(folder_.file(name), text); }
  TransformReport run(const std::string& output = "out", const ProgressCallback& progress = {}) {
    options_.inputs = {folder_.file("a.tsv")};
    options_.output_directory = folder_.file(output);
    return transform(source(click_schema), options_, progress);
  }
  /// Runs until `blocks` blocks are done, then stops as a failing caller would.
  void run_until(std::uint64_t blocks) {
    struct Stop {};
    std::uint64_t done = 0;
    EXPECT_THROW(run("out",
                     [&](const Progress&) {
                       if (++done == blocks) throw Stop();
                     }),
                 Stop);
  }
  std::string out(const std::string& name = "") const { return folder_.file("out/") + name; }
  std::string aside(const std::string& name = "") const { return out("dataset.tmp/") + name; }
  /// How the old dataset has changed, apart from the new one under dataset.tmp.
  std::string difference_from_old() const {
    auto now = folder_bytes(out());
    std::erase_if(now, [](const auto& file) { return file.first.starts_with("dataset.tmp/"); });
    return difference(now, old_);
  }
  std::string difference_from_new() const { return difference(folder_bytes(out()), new_); }

  TempFolder folder_;
  TransformOptions options_;
  std::map<std::string, std::string> old_;
  std::map<std::string, std::string> new_;
};

TEST_F(TransformReplace, GivesTheSameFolderAsWhereNothingWas) {
  const TransformReport report = run();
  EXPECT_EQ(difference_from_new(), "");
  EXPECT_FALSE(file_exists(aside()));
  EXPECT_EQ(report.rejected_file, out("rejected.tsv"));
  EXPECT_EQ(report.resumed_shards, 0U);
}

TEST_F(TransformReplace, ARowThatIsBadLeavesTheOldDatasetAsItWas) {
  options_.max_bad_rows = 0;
  EXPECT_THAT(complaint<DataError>([&] { run(); }), HasSubstr("a.tsv:22"));
  EXPECT_EQ(difference_from_old(), "");
  EXPECT_EQ(verify_dataset(out()).rows, 40U);
  // Once that row is allowed, the same command continues and puts the new dataset in place.
  options_.max_bad_rows = 2;
  EXPECT_GT(run().resumed_shards, 0U);
  EXPECT_EQ(difference_from_new(), "");
}

TEST_F(TransformReplace, TheListOfTooManyBadRowsIsAsideToo) {
  options_.max_bad_rows = 1;
  write("a.tsv", click_text(20, 3) + "bad\nworse\n");
  EXPECT_THAT(complaint<DataError>([&] { run(); }), HasSubstr(aside("rejected.tsv")));
  EXPECT_TRUE(file_exists(aside("rejected.tsv")));
  EXPECT_EQ(difference_from_old(), "");
}

TEST_F(TransformReplace, AStopAfterAnyBlockLeavesTheOldDatasetAndGoesOn) {
  std::uint64_t blocks = 0;
  run("counted", [&](const Progress&) { ++blocks; });
  ASSERT_GT(blocks, 4U);
  for (std::uint64_t stop = 1; stop <= blocks; ++stop) {
    fs::remove_all(out());
    for (const auto& [name, bytes] : old_) {
      make_directories(out());
      write_text_file(out(name), bytes);
    }
    run_until(stop);
    EXPECT_EQ(difference_from_old(), "") << stop;
    EXPECT_TRUE(file_exists(aside("progress.jsonl")));
    const TransformReport report = run();
    EXPECT_GT(report.resumed_rows, 0U);
    EXPECT_LE(report.resumed_rows, report.rows);
    EXPECT_EQ(difference_from_new(), "") << stop;
    EXPECT_FALSE(file_exists(aside()));
  }
}

TEST_F(TransformReplace, AnotherRunBeginsAnewAside) {
  run_until(3);
  options_.block_bytes = 200;
  EXPECT_EQ(run().resumed_shards, 0U);
  EXPECT_EQ(verify_dataset(out()).rows, 20U);
  EXPECT_FALSE(file_exists(aside()));
}

TEST_F(TransformReplace, WhatWasBegunGoesOnWhereTheOldDatasetIsRemovedToMakeRoom) {
  run_until(3);
  for (const auto& [name, bytes] : old_) fs::remove(out(name));
  EXPECT_GT(run().resumed_shards, 0U);
  EXPECT_EQ(difference_from_new(), "");
}

TEST_F(TransformReplace, WhatWasBegunIsNotLostToAnotherRunWhereTheOldDatasetIsRemoved) {
  run_until(3);
  for (const auto& [name, bytes] : old_) fs::remove(out(name));
  options_.overwrite = false;
  options_.block_bytes = 200;
  EXPECT_THAT(complaint<ConfigError>([&] { run(); }),
              AllOf(HasSubstr("dataset.tmp: holds an unfinished run"), HasSubstr("--block-bytes")));
  options_.block_bytes = 120;
  EXPECT_GT(run().resumed_shards, 0U);
  EXPECT_EQ(difference_from_new(), "");
}

TEST_F(TransformReplace, WhatWasWholeAsideIsNoLongerWhereItsInputHasChanged) {
  std::uint64_t blocks = 0;
  run("counted", [&](const Progress&) { ++blocks; });
  run_until(blocks);
  write_text_file(aside("manifest.json"), new_.at("manifest.json"));  // as if killed before the old one goes
  write("a.tsv", click_text(25, 3));
  run_until(2);
  for (const auto& [name, bytes] : old_) fs::remove(out(name));
  EXPECT_GT(run().resumed_shards, 0U);
  EXPECT_EQ(verify_dataset(out()).rows, 25U);
  EXPECT_FALSE(file_exists(aside()));
}

TEST_F(TransformReplace, AFolderAsideThatIsALinkIsRefusedAtOnce) {
  make_directories(folder_.file("elsewhere"));
  fs::create_directory_symlink(folder_.file("elsewhere"), out("dataset.tmp"));
  EXPECT_THAT(complaint<ConfigError>([&] { run(); }), HasSubstr("dataset.tmp: is a link"));
  fs::remove(out("dataset.tmp"));
  EXPECT_EQ(difference_from_old(), "");
}

TEST_F(TransformReplace, WhatIsDamagedAsideIsNamedAndReplacedWhenAsked) {
  fs::create_directory(aside());
  fs::rename(out("manifest.json"), aside("manifest.json"));
  write_text_file(aside("manifest.json"), read_text_file(aside("manifest.json")) + "x");
  options_.overwrite = false;
  EXPECT_THAT(complaint<DataError>([&] { run(); }), HasSubstr(aside("manifest.json")));
  options_.overwrite = true;
  run();
  EXPECT_EQ(difference_from_new(), "");
}

TEST_F(TransformReplace, ARunKilledBetweenAnyTwoMovesEndsWhenStartedAgain) {
  // In the order of the moves in dataset_replacement.cpp. A run killed before the first move still has its journal.
  std::vector<std::string> moves{"schema.toml"};
  for (const auto& [name, bytes] : new_) {
    if (name != "manifest.json" && name != "schema.toml") moves.push_back(name);
  }
  for (std::size_t moved = 0; moved <= moves.size(); ++moved) {
    for (const bool overwrite : {true, false}) {
      fs::remove_all(out());
      make_directories(aside());
      for (const auto& [name, bytes] : old_) {
        if (name != "manifest.json") write_text_file(out(name), bytes);
      }
      write_text_file(out("progress.jsonl"), "");
      for (const auto& [name, bytes] : new_) write_text_file(aside(name), bytes);
      for (std::size_t i = 0; i < moved; ++i) fs::rename(aside(moves[i]), out(moves[i]));
      EXPECT_THAT(complaint<DataError>([&] { Dataset{out()}; }), HasSubstr("did not finish"));
      options_.overwrite = overwrite;
      EXPECT_TRUE(run().already_complete) << moved;
      EXPECT_EQ(difference_from_new(), "") << moved;
      EXPECT_FALSE(file_exists(aside()));
    }
  }
}

TEST_F(TransformReplace, AnotherRunFirstEndsWhatWasBeingPutInPlace) {
  make_directories(aside());
  for (const auto& [name, bytes] : new_) write_text_file(aside(name), bytes);
  fs::remove(out("manifest.json"));
  options_.overwrite = false;
  options_.block_bytes = 200;
  EXPECT_THAT(complaint<ConfigError>([&] { run(); }),
              AllOf(HasSubstr("already holds a dataset"), HasSubstr("--block-bytes")));
  EXPECT_EQ(difference_from_new(), "");
}

TEST_F(TransformReplace, WhatIsSomebodysIsNotReplacedUnasked) {
  for (const auto& [name, text] :
       {std::pair("schema.toml", "# edited by hand\n"), std::pair("rejected.tsv", "applications\n")}) {
    const std::string path = folder_.file("home/") + name;
    fs::create_directory(folder_.file("home"));
    write_text_file(path, text);
    options_.overwrite = false;
    EXPECT_THAT(complaint<ConfigError>([&] { run("home"); }),
                AllOf(HasSubstr(path), HasSubstr("--overwrite")));
    EXPECT_EQ(read_text_file(path), text);
    EXPECT_EQ(folder_bytes(folder_.file("home")).size(), 1u);
    options_.overwrite = true;
    run("home");
    EXPECT_NE(read_text_file(path), text);
    fs::remove_all(folder_.file("home"));
  }
  // Its own files are no obstacle: the schema that was given, and the list of rejected rows of a failed run.
  fs::create_directory(folder_.file("home"));
  write("home/schema.toml", source(click_schema).toml);
  write("home/rejected.tsv", "file\tline\treason\ttext\n");
  options_.overwrite = false;
  EXPECT_NO_THROW(run("home"));
}

TEST_F(TransformReplace, ADatasetOfAnotherSchemaIsReportedWithWhatDiffers) {
  options_.overwrite = false;
  std::string toml = click_schema;
  toml.replace(toml.find("cardinality = 1000"), 18, "cardinality = 2000");
  EXPECT_THAT(complaint<ConfigError>([&] { transform(source(toml), options_); }),
              AllOf(HasSubstr("already holds a dataset"),
                    HasSubstr("feature 'user': cardinality 1000 there, 2000 here")));
}

}  // namespace
}  // namespace widehash::test
