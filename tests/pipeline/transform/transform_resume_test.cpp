#include "io/compress.hpp"
#include "pipeline/click_table.hpp"
#include "pipeline/pipeline_kit.hpp"

#include <fstream>
#include <utility>

namespace widehash::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

/// A transform of a few blocks, with two bad rows among them, that can be stopped anywhere.
class TransformResume : public testing::Test {
 protected:
  TransformResume() {
    options_.block_bytes = 120;
    options_.max_bad_rows = 2;
    options_.inputs = {folder_.file("a.tsv"), folder_.file("b.tsv")};
    options_.output_directory = folder_.file("out");
    write_text_file(folder_.file("a.tsv"), click_text(12, 1) + "bad \xff row\n");
    write_text_file(folder_.file("b.tsv"), click_text(4, 2) + "another\n");
  }
  TransformReport run() { return transform(source(click_schema), options_); }
  /// Runs until `blocks` blocks are done, then stops as a failing caller would.
  void run_until(std::uint64_t blocks) {
    struct Stopped {};
    std::uint64_t done = 0;
    try {
      transform(source(click_schema), options_, [&](const Progress&) {
        if (++done == blocks) throw Stopped();
      });
      FAIL() << "was not stopped";
    } catch (const Stopped&) {
    }
  }
  std::string out(const std::string& name = "") { return options_.output_directory + "/" + name; }
  static void cut(const std::string& path, std::uint64_t bytes) { fs::resize_file(path, bytes); }

  TempFolder folder_;
  TransformOptions options_;
};

TEST_F(TransformResume, AFullDiskSaysThatFinishedWorkIsKept) {
  if (!file_exists("/dev/full")) GTEST_SKIP() << "no /dev/full here to stand for a full disk";
  bool is_full = false;
  const auto fill = [&](const Progress&) {
    if (!std::exchange(is_full, true)) fs::create_symlink("/dev/full", out("manifest.json.tmp"));
  };
  EXPECT_THAT(complaint<FileError>([&] { transform(source(click_schema), options_, fill); }),
              AllOf(HasSubstr("manifest.json"), HasSubstr("start again; finished work is kept")));
  EXPECT_GT(run().resumed_shards, 0u);
}

TEST_F(TransformResume, AStopAfterAnyBlockGivesTheSameFolder) {
  run();
  const auto whole = folder_bytes(out());
  std::uint64_t blocks = 0;
  fs::remove_all(out());
  transform(source(click_schema), options_, [&](const Progress&) { ++blocks; });
  ASSERT_GT(blocks, 4u);
  for (std::uint64_t stop = 1; stop <= blocks; ++stop) {
    for (const std::size_t threads : {1, 3}) {
      fs::remove_all(out());
      with_threads(threads, [&] { run_until(stop); });
      EXPECT_FALSE(file_exists(out("manifest.json")));
      EXPECT_FALSE(file_exists(out(".lock")));
      TransformReport report;
      with_threads(4 - threads, [&] { report = run(); });
      // Blocks that finish at the same time are reported together.
      EXPECT_LT(report.resumed_shards, stop + threads);
      EXPECT_EQ(difference(folder_bytes(out()), whole), "") << stop;
      EXPECT_EQ(report.rows, 16u);
      EXPECT_EQ(report.rejected_rows, 2u);
    }
  }
}

TEST_F(TransformResume, AJournalCutAnywhereGivesTheSameFolder) {
  run();
  const auto whole = folder_bytes(out());
  fs::remove_all(out());
  std::uint64_t blocks = 0;
  transform(source(click_schema), options_, [&](const Progress&) { ++blocks; });
  fs::remove_all(out());
  run_until(blocks);
  const auto stopped = folder_bytes(out());
  const std::uint64_t journal_bytes = stopped.at("progress.jsonl").size();
  std::uint64_t most_resumed = 0;
  const std::string& journal = stopped.at("progress.jsonl");
  for (std::uint64_t bytes = 0; bytes <= journal_bytes; ++bytes) {
    // Cuts at every byte around the ends of lines and at one in 29 elsewhere, where nothing happens.
    const std::uint64_t near = bytes < 2 ? 0 : bytes - 2;
    if (bytes % 29 != 0 && journal.substr(near, 4).find('\n') == std::string::npos) continue;
    fs::remove_all(out());
    make_directories(out());
    for (const auto& [name, content] : stopped) {
      // Plain streams: a thousand folders need no fsync.
      std::ofstream(out(name), std::ios::binary) << content;
    }
    cut(out("progress.jsonl"), bytes);
    std::ofstream(out("part-00000-000003.shard.tmp")) << "half";
    const TransformReport report = run();
    most_resumed = std::max(most_resumed, report.resumed_shards);
    ASSERT_EQ(difference(folder_bytes(out()), whole), "") << bytes;
  }
  EXPECT_EQ(most_resumed, Dataset(out()).num_shards());
}

TEST_F(TransformResume, DamagedOrMissingShardsAreMadeAgain) {
  run();
  const auto whole = folder_bytes(out());
  std::vector<std::string> shards;
  for (const auto& [name, bytes] : whole) {
    if (name.ends_with(".shard")) shards.push_back(name);
  }
  ASSERT_GT(shards.size(), 3u);
  for (std::size_t i = 0; i < shards.size(); ++i) {
    for (const bool remove : {true, false}) {
      fs::remove_all(out());
      run_until(5);
      if (!file_exists(out(shards[i]))) continue;
      const auto finished =
          std::ranges::count_if(shards, [&](const std::string& name) { return file_exists(out(name)); });
      if (remove) {
        fs::remove(out(shards[i]));
      } else {
        cut(out(shards[i]), file_size_bytes(out(shards[i])) / 2);
      }
      const TransformReport report = run();
      EXPECT_LT(report.resumed_shards, finished);
      EXPECT_EQ(difference(folder_bytes(out()), whole), "") << shards[i];
    }
  }
}

TEST_F(TransformResume, AStopBetweenManifestAndJournalIsComplete) {
  run_until(3);
  const std::string journal = read_text_file(out("progress.jsonl"));
  run();
  const auto whole = folder_bytes(out());
  write_text_file(out("progress.jsonl"), journal);
  EXPECT_TRUE(run().already_complete);
  EXPECT_EQ(difference(folder_bytes(out()), whole), "");
}

TEST_F(TransformResume, AFinishedDatasetOfAChangedInputOfTheSameSizeIsNoticed) {
  run();
  const auto whole = folder_bytes(out());
  std::string text = read_text_file(folder_.file("a.tsv"));
  text[text.find("user") + 30] ^= 1;
  write_text_file(folder_.file("a.tsv"), text);
  EXPECT_THAT(complaint<ConfigError>([&] { run(); }), HasSubstr("--overwrite"));
  EXPECT_EQ(difference(folder_bytes(out()), whole), "");
}

TEST_F(TransformResume, AStopIsKeptInTheJournalAndGoesOn) {
  run();
  const auto whole = folder_bytes(out());
  for (const std::size_t threads : {1, 3}) {
    fs::remove_all(out());
    StopFlag stop = false;
    options_.stop = &stop;
    std::uint64_t done = 0;
    std::string message;
    with_threads(threads, [&] {
      message = complaint<Stopped>(
          [&] { transform(source(click_schema), options_, [&](const Progress&) { stop = ++done >= 3; }); });
    });
    EXPECT_THAT(message, AllOf(HasSubstr(options_.output_directory), HasSubstr("continues from there")));
    EXPECT_FALSE(file_exists(out("manifest.json")));
    options_.stop = nullptr;
    Progress last;
    const TransformReport report =
        transform(source(click_schema), options_, [&](const Progress& progress) { last = progress; });
    EXPECT_GT(report.resumed_shards, 0u);
    EXPECT_GE(last.earlier_rows, report.resumed_rows);  // includes the bad rows
    EXPECT_LE(last.earlier_rows, last.rows);            // all may have been in flight at the stop
    EXPECT_GT(last.earlier_bytes, 0u);
    EXPECT_LE(last.earlier_bytes, last.bytes_done);
    EXPECT_EQ(difference(folder_bytes(out()), whole), "");
  }
}

TEST_F(TransformResume, AnInputThatBecameShorterAtTheSameSizeIsDoneAgain) {
  // Two files of one size on disk; one holds only the beginning of the other's text.
  const std::string text = click_text(12, 1);
  const std::string whole = zstd(text);
  std::string beginning = zstd(text.substr(0, text.find('\n', 200) + 1));
  constexpr std::size_t frame_head_bytes = 8;
  ASSERT_LE(beginning.size() + frame_head_bytes, whole.size());
  beginning += skippable_frame(std::string(whole.size() - beginning.size() - frame_head_bytes, '-'));

  options_.inputs = {folder_.file("in.zst")};
  write_text_file(folder_.file("in.zst"), whole);
  std::uint64_t blocks = 0;
  transform(source(click_schema), options_, [&](const Progress&) { ++blocks; });
  fs::remove_all(out());
  run_until(blocks);
  write_text_file(folder_.file("in.zst"), beginning);
  EXPECT_EQ(run().resumed_shards, 0u);
  const auto again = folder_bytes(out());
  fs::remove_all(out());
  run();
  EXPECT_EQ(difference(folder_bytes(out()), again), "");
}

TEST_F(TransformResume, AnotherRunIsRefusedInAnUnfinishedFolder) {
  run_until(2);
  const auto before = folder_bytes(out());
  const auto refused = [&](const std::string& toml, const TransformOptions& options) {
    EXPECT_THAT(complaint<ConfigError>([&] { transform(source(toml), options); }),
                HasSubstr("unfinished run"));
    EXPECT_EQ(difference(folder_bytes(out()), before), "");
  };
  refused(click_schema + std::string("[[feature]]\nfield = \"shop\"\nname = \"again\"\ncardinality = 5\n"),
          options_);
  TransformOptions other = options_;
  other.block_bytes = 121;
  refused(click_schema, other);
  other = options_;
  other.inputs.pop_back();
  refused(click_schema, other);
}

TEST_F(TransformResume, ARunThatHasFinishedNothingIsNoObstacle) {
  run();
  const auto whole = folder_bytes(out());
  fs::remove_all(out());
  // All inputs are bad: if one were sound, a thread might finish a shard of it before another meets the bad row.
  std::map<std::string, std::string> texts;
  for (const std::string& path : options_.inputs) {
    const std::string& text = texts[path] = read_text_file(path);
    write_text_file(path, text.substr(0, text.find('\n') + 1) + "bad\n");
  }
  options_.max_bad_rows = 0;
  EXPECT_THROW(run(), DataError);
  EXPECT_TRUE(file_exists(out("progress.jsonl")));
  options_.max_bad_rows = 2;
  for (const auto& [path, text] : texts) {
    write_text_file(path, text);
  }
  EXPECT_EQ(run().resumed_shards, 0u);
  EXPECT_EQ(difference(folder_bytes(out()), whole), "");
}

TEST_F(TransformResume, WhatDiffersFromTheUnfinishedRunIsReported) {
  run_until(3);
  const auto refusal = [&](const std::string& toml, const TransformOptions& options) {
    return complaint<ConfigError>([&] { transform(source(toml), options); });
  };
  TransformOptions other = options_;
  other.block_bytes = 121;
  EXPECT_THAT(refusal(click_schema, other),
              AllOf(HasSubstr("finished shard"), HasSubstr("--block-bytes was 120 and is now 121")));
  other = options_;
  other.inputs.push_back(folder_.file("c.tsv"));
  write_text_file(folder_.file("c.tsv"), click_text(2, 3));
  EXPECT_THAT(refusal(click_schema, other), HasSubstr("number of inputs was 2 and is now 3, with"));
  other.inputs = {options_.inputs.front()};
  EXPECT_THAT(refusal(click_schema, other), AllOf(HasSubstr("without"), HasSubstr("b.tsv")));
  other.inputs = {options_.inputs.back(), options_.inputs.front()};
  EXPECT_THAT(refusal(click_schema, other), HasSubstr("input 1 was"));
  EXPECT_THAT(
      refusal(click_schema + std::string("[[feature]]\nfield = \"shop\"\nname = \"b\"\ncardinality = 5\n"),
              options_),
      HasSubstr(out("schema.toml")));
  // A changed input is reported only along with other differences.
  write_text_file(folder_.file("b.tsv"), click_text(5, 2));
  other = options_;
  other.block_bytes = 121;
  EXPECT_THAT(
      refusal(click_schema, other),
      AllOf(HasSubstr("--block-bytes was"), HasSubstr("b.tsv has changed"), HasSubstr("bytes and now")));
}

TEST_F(TransformResume, ADamagedFirstLineIsNoReasonToBeginAnew) {
  run_until(3);
  const std::string journal = read_text_file(out("progress.jsonl"));
  for (const std::size_t at : {std::size_t{3}, journal.find('\n')}) {
    std::string damaged = journal;
    damaged[at] ^= 8;
    write_text_file(out("progress.jsonl"), damaged);
    EXPECT_THROW(run(), ConfigError);
  }
}

TEST_F(TransformResume, ItsVersionAloneDoesNotMakeAnEarlierJournal) {
  run_until(5);
  const auto stopped = folder_bytes(out());
  std::string journal = stopped.at("progress.jsonl");
  const std::string version = "{\"widehash_journal\":4";
  ASSERT_TRUE(journal.starts_with(version));
  // Their shards have codes of two bytes, and runs that are not packed.
  for (const char earlier : {'2', '3'}) {
    journal[version.size() - 1] = earlier;
    write_text_file(out("progress.jsonl"), journal);
    EXPECT_THROW(run(), ConfigError);
  }
  for (const auto& [name, content] : stopped) {
    if (name.ends_with(".shard")) {
      EXPECT_EQ(read_text_file(out(name)), content) << name;
    }
  }
}

TEST_F(TransformResume, AFinishedDatasetIsLeftAlone) {
  const TransformReport first = run();
  const auto whole = folder_bytes(out());
  {
    // A complete dataset needs no lock: a folder that cannot be written to cannot have one.
    const DirectoryLock of_another(out());
    EXPECT_TRUE(run().already_complete);
  }
  const TransformReport again = run();
  EXPECT_TRUE(again.already_complete);
  EXPECT_EQ(again.rows, first.rows);
  EXPECT_EQ(again.rejected_rows, first.rejected_rows);
  EXPECT_EQ(again.rejected_file, first.rejected_file);
  EXPECT_EQ(again.shards, first.shards);
  EXPECT_EQ(again.output_bytes, first.output_bytes);
  EXPECT_EQ(again.input_bytes, first.input_bytes);
  EXPECT_EQ(again.num_columns, first.num_columns);
  EXPECT_EQ(difference(folder_bytes(out()), whole), "");

  TransformOptions other = options_;
  other.block_bytes = 121;
  EXPECT_THAT(complaint<ConfigError>([&] { transform(source(click_schema), other); }),
              HasSubstr("--overwrite"));
  EXPECT_EQ(difference(folder_bytes(out()), whole), "");
  write_text_file(folder_.file("a.tsv"), click_text(13, 1));
  EXPECT_THROW(run(), ConfigError);
  EXPECT_EQ(difference(folder_bytes(out()), whole), "");
}

TEST_F(TransformResume, OverwriteReplacesEverything) {
  run();
  write_text_file(folder_.file("a.tsv"), click_text(3, 5));
  write_text_file(folder_.file("b.tsv"), click_text(2, 6));
  write_text_file(out("mine.txt"), "kept");
  options_.overwrite = true;
  const TransformReport report = run();
  EXPECT_EQ(report.rows, 5u);
  EXPECT_FALSE(report.already_complete);
  EXPECT_EQ(verify_dataset(out()).rows, 5u);
  EXPECT_FALSE(file_exists(out("rejected.tsv")));
  EXPECT_EQ(read_text_file(out("mine.txt")), "kept");
}

TEST_F(TransformResume, OverwriteGoesOnWithItsOwnRun) {
  run();
  const auto whole = folder_bytes(out());
  TransformOptions other = options_;
  other.block_bytes = 121;
  other.overwrite = true;
  transform(source(click_schema), other);
  options_.overwrite = true;
  run_until(4);
  const TransformReport report = run();
  EXPECT_GT(report.resumed_shards, 0u);
  EXPECT_EQ(difference(folder_bytes(out()), whole), "");
  // A finished dataset is replaced, even by an identical one. So is the unfinished run of another transform.
  EXPECT_EQ(run().resumed_shards, 0u);
  run_until(4);
  EXPECT_EQ(transform(source(click_schema), other).resumed_shards, 0u);
  EXPECT_EQ(verify_dataset(out()).rows, 16u);
}

// What a kill leaves while the old dataset is being removed.
TEST_F(TransformResume, OverwriteGoesOnWithRemoving) {
  run();
  const auto whole = folder_bytes(out());
  fs::remove(out("manifest.json"));
  EXPECT_THROW(run(), ConfigError);
  options_.overwrite = true;
  EXPECT_EQ(run().resumed_shards, 0u);
  EXPECT_EQ(difference(folder_bytes(out()), whole), "");
}

TEST_F(TransformResume, AFolderWithForeignShardsIsRefused) {
  make_directories(out());
  write_text_file(out("part-00000-000000.shard"), "somebody's");
  EXPECT_THAT(complaint<ConfigError>([&] { run(); }),
              AllOf(HasSubstr("part-00000-000000.shard"), HasSubstr("--overwrite")));
  EXPECT_EQ(read_text_file(out("part-00000-000000.shard")), "somebody's");
}

TEST_F(TransformResume, FilesOfOthersAreNotSweptAway) {
  make_directories(out());
  const std::vector<std::string> names = {"notes.tmp", "part-00000.csv.tmp", "part-list.tmp"};
  for (const std::string& name : names) write_text_file(out(name), "mine");
  run_until(2);
  run();
  for (const std::string& name : names) EXPECT_EQ(read_text_file(out(name)), "mine") << name;
}

TEST_F(TransformResume, TwoRunsInOneFolderAreRefused) {
  std::string refusal;
  transform(source(click_schema), options_, [&](const Progress&) {
    if (!refusal.empty()) return;
    refusal = complaint<ConfigError>([&] { run(); });
  });
  EXPECT_THAT(refusal, AllOf(HasSubstr(options_.output_directory), HasSubstr("another run")));
  EXPECT_EQ(verify_dataset(out()).rows, 16u);
}

}  // namespace
}  // namespace widehash::test
