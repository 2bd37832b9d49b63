// What remains of a transform when inputs change, shards get lost or another number of bad rows is allowed
// before it is started again.
#include "pipeline/click_table.hpp"
#include "pipeline/pipeline_kit.hpp"

#include <fstream>
#include <thread>

#include <sys/stat.h>

namespace widehash::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

class TransformChanged : public testing::Test {
 protected:
  TransformChanged() {
    options_.block_bytes = 120;
    options_.max_bad_rows = 2;
    options_.output_directory = folder_.file("out");
    for (const char* name : {"a.tsv", "b.tsv", "c.tsv"}) {
      options_.inputs.push_back(folder_.file(name));
      write(name, click_text(15, static_cast<unsigned>(name[0])) + (name[0] == 'b' ? "bad \xff row\n" : ""));
    }
  }
  std::string write(const std::string& name, const std::string& text) {
    write_text_file(folder_.file(name), text);
    return folder_.file(name);
  }
  std::string out(const std::string& name = "") { return options_.output_directory + "/" + name; }
  TransformReport run() { return transform(source(click_schema), options_); }
  std::uint64_t num_blocks() {
    TransformOptions options = options_;
    options.output_directory = folder_.file("counted");
    std::uint64_t blocks = 0;
    transform(source(click_schema), options, [&](const Progress&) { ++blocks; });
    fs::remove_all(options.output_directory);
    return blocks;
  }
  void run_until(std::uint64_t blocks) {
    struct Stopped {};
    std::uint64_t done = 0;
    const auto count = [&](const Progress&) {
      if (++done == blocks) throw Stopped();
    };
    EXPECT_THROW(transform(source(click_schema), options_, count), Stopped);
  }
  /// The folder of an undisturbed run over the inputs as they are now.
  std::map<std::string, std::string> fresh() {
    TransformOptions options = options_;
    options.output_directory = folder_.file("fresh");
    options.overwrite = false;
    fs::remove_all(options.output_directory);
    transform(source(click_schema), options);
    return folder_bytes(options.output_directory);
  }
  void put_back(const std::map<std::string, std::string>& files) {
    fs::remove_all(out());
    make_directories(out());
    for (const auto& [name, bytes] : files) std::ofstream(out(name), std::ios::binary) << bytes;
  }
  std::size_t shards_of(std::size_t input) {
    std::size_t count = 0;
    for (const std::string& name : list_directory(out()))
      count += name.starts_with(fmt::format("part-{:05}-", input)) ? 1 : 0;
    return count;
  }

  TempFolder folder_;
  TransformOptions options_;
};

TEST_F(TransformChanged, ABadRowInTheLastFileCostsOnlyThatFile) {
  const std::string good = read_text_file(folder_.file("c.tsv"));
  write("c.tsv", good + "bad\n");
  options_.max_bad_rows = 1;
  EXPECT_THROW(run(), DataError);
  const std::size_t finished = shards_of(0) + shards_of(1);
  EXPECT_GT(shards_of(2), 0u);
  write("c.tsv", good);
  const TransformReport report = run();
  EXPECT_EQ(report.resumed_shards, finished);
  EXPECT_EQ(difference(folder_bytes(out()), fresh()), "");
}

TEST_F(TransformChanged, WhicheverInputChangesAfterWhicheverBlockTheFolderIsThatOfAFreshRun) {
  const std::uint64_t blocks = num_blocks();
  ASSERT_GT(blocks, 9u);
  for (const std::size_t changed : {0, 1, 2}) {
    const std::string name = fs::path(options_.inputs[changed]).filename();
    const std::string before = read_text_file(folder_.file(name));
    for (std::uint64_t stop = 1; stop <= blocks; stop += 3) {
      for (const std::size_t threads : {1, 3}) {
        fs::remove_all(out());
        with_threads(threads, [&] { run_until(stop); });
        std::size_t others = 0;
        for (const std::size_t input : {0, 1, 2}) others += input == changed ? 0 : shards_of(input);
        // Either longer, or another text of the same size.
        std::string text = before;
        if (stop % 2 == 0) {
          text[text.rfind("user") + 4] ^= 1;
        } else {
          text += click_rows(1, 77).front() + "\n";
        }
        write(name, text);
        const TransformReport report = run();
        EXPECT_LE(report.resumed_shards, others);
        if (threads == 1) {
          EXPECT_EQ(report.resumed_shards, others) << name << ", " << stop;
        }
        EXPECT_EQ(difference(folder_bytes(out()), fresh()), "") << name << ", " << stop;
        write(name, before);
      }
    }
  }
}

// A kill can come after the journal has dropped the blocks to be done again and before their shards are removed.
TEST_F(TransformChanged, AKillInBetweenIsSafe) {
  run_until(num_blocks());
  const auto stopped = folder_bytes(out());
  write("a.tsv", click_text(8, 5));
  const auto expected = fresh();
  // A stop before any block is done leaves the journal as it was at the start of the run.
  StopFlag stop = true;
  options_.stop = &stop;
  EXPECT_THROW(run(), Stopped);
  options_.stop = nullptr;
  auto between = folder_bytes(out());
  EXPECT_NE(between.at("progress.jsonl"), stopped.at("progress.jsonl"));
  EXPECT_EQ(shards_of(0), 0u);
  for (const auto& [name, bytes] : stopped) between.try_emplace(name, bytes);
  put_back(between);
  EXPECT_GT(shards_of(0), 0u);
  EXPECT_GT(run().resumed_shards, 0u);
  EXPECT_EQ(difference(folder_bytes(out()), expected), "");
  // A kill can also come before that, while the new journal is written to a temporary file.
  put_back(stopped);
  std::ofstream(out("progress.jsonl.tmp")) << "half";
  EXPECT_GT(run().resumed_shards, 0u);
  EXPECT_EQ(difference(folder_bytes(out()), expected), "");
}

TEST_F(TransformChanged, SeveralChangesOneAfterAnother) {
  run_until(num_blocks());
  write("a.tsv", click_text(8, 5));
  run_until(2);
  write("c.tsv", click_text(4, 6));
  run_until(3);
  write("a.tsv", click_text(12, 7));
  EXPECT_GT(run().resumed_shards, 0u);
  EXPECT_EQ(difference(folder_bytes(out()), fresh()), "");
}

TEST_F(TransformChanged, OverwriteGoesOnWithTheOthersToo) {
  options_.overwrite = true;
  run_until(num_blocks());
  write("c.tsv", click_text(8, 5));
  EXPECT_GT(run().resumed_shards, 0u);
  EXPECT_EQ(difference(folder_bytes(out()), fresh()), "");
}

TEST_F(TransformChanged, WithAStreamAmongThemInputsMayNotChange) {
  ASSERT_EQ(::mkfifo(folder_.file("pipe").c_str(), 0600), 0);
  options_.inputs = {folder_.file("a.tsv"), folder_.file("pipe")};
  with_threads(1, [&] { run_until(2); });
  const auto before = folder_bytes(out());
  write("a.tsv", click_text(8, 5));
  EXPECT_THAT(complaint<ConfigError>([&] { run(); }),
              AllOf(HasSubstr("a.tsv has changed"), HasSubstr("unfinished run"), HasSubstr("--overwrite")));
  EXPECT_EQ(difference(folder_bytes(out()), before), "");
}

TEST_F(TransformChanged, AStreamWhoseHeaderChangedIsNoticed) {
  const std::string pipe = folder_.file("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const std::string rows = "1\ta\tb\n0\tc\td\n1\ta\td\n0\tb\tc\n1\tb\tb\n0\ta\tc\n1\tb\ta\n";
  const std::string schema =
      "label = \"y\"\n[[feature]]\nfield = \"one\"\ncardinality = 9\n[[feature]]\nfield = "
      "\"two\"\ncardinality = 9\n";
  options_.inputs = {pipe};
  options_.block_bytes = 12;
  options_.max_bad_rows = 0;
  const auto run_on = [&](const std::string& text) {
    std::thread writer([&] { std::ofstream(pipe) << text; });
    try {
      transform(source(schema), options_);
      writer.join();
    } catch (...) {
      writer.join();
      throw;
    }
  };
  EXPECT_THROW(run_on("y\tone\ttwo\n" + rows + "bad\ta\tb\n"), DataError);
  // The same rows with their fields exchanged.
  EXPECT_THAT(complaint<ConfigError>([&] { run_on("y\ttwo\tone\n" + rows + "1\ta\tb\n"); }),
              HasSubstr("has changed since the run being resumed"));
  EXPECT_NO_THROW(run_on("y\tone\ttwo\n" + rows + "1\ta\tb\n"));
}

TEST_F(TransformChanged, AStreamThatBecameShorterIsNamed) {
  ASSERT_EQ(::mkfifo(folder_.file("pipe").c_str(), 0600), 0);
  options_.inputs = {folder_.file("pipe"), folder_.file("a.tsv")};
  const std::string whole = click_text(12, 1);
  const auto with_stream = [&](const std::string& text, const auto& work) {
    std::thread writer([&] { std::ofstream(folder_.file("pipe")) << text; });
    work();
    writer.join();
  };
  std::uint64_t blocks = 0;
  with_stream(whole, [&] { transform(source(click_schema), options_, [&](const Progress&) { ++blocks; }); });
  fs::remove_all(out());
  with_stream(whole, [&] { run_until(blocks); });
  // Cut after each row: inside a block the text has changed; between two blocks the rest is missing.
  std::size_t times_shorter = 0;
  for (std::size_t end = whole.find('\n') + 1; end < whole.size(); end = whole.find('\n', end) + 1) {
    with_stream(whole.substr(0, end), [&] {
      const std::string refusal = complaint<ConfigError>([&] { run(); });
      EXPECT_THAT(refusal, AllOf(HasSubstr("pipe: "), HasSubstr(options_.output_directory)));
      if (refusal.find("pipe: is shorter") != std::string::npos) ++times_shorter;
    });
    EXPECT_FALSE(file_exists(out("manifest.json")));
  }
  EXPECT_GT(times_shorter, 0u);
}

TEST_F(TransformChanged, AFinishedDatasetWithoutAShardIsNotComplete) {
  run();
  const auto whole = folder_bytes(out());
  const std::string shard = out("part-00001-000002.shard");
  const auto expect_told = [&](const std::string& what) {
    EXPECT_THAT(complaint<DataError>([&] { run(); }),
                AllOf(HasSubstr(shard), HasSubstr(what), HasSubstr("--overwrite")));
  };
  fs::remove(shard);
  expect_told("is missing (1 of");
  fs::copy_file(out("part-00000-000001.shard"), shard);
  expect_told("is not the file that the manifest names");
  write_text_file(shard, whole.at("part-00001-000002.shard") + "more");
  expect_told("is not the file that the manifest names");
  fs::resize_file(shard, 0);
  expect_told("is not the file that the manifest names");
  options_.overwrite = true;
  EXPECT_FALSE(run().already_complete);
  EXPECT_EQ(difference(folder_bytes(out()), whole), "");
}

TEST_F(TransformChanged, TheSchemaOfAFinishedDatasetIsPutBackOrAskedFor) {
  run();
  const auto whole = folder_bytes(out());
  fs::remove(out("schema.toml"));
  EXPECT_TRUE(run().already_complete);
  EXPECT_EQ(difference(folder_bytes(out()), whole), "");
  write_text_file(out("schema.toml"), whole.at("schema.toml") + "# of another mind\n");
  EXPECT_TRUE(run().already_complete);
  EXPECT_EQ(difference(folder_bytes(out()), whole), "");
  // The same schema in other words is not the frozen text.
  fs::remove(out("schema.toml"));
  EXPECT_THAT(
      complaint<DataError>([&] { transform(source(whole.at("schema.toml") + "# more words\n"), options_); }),
      AllOf(HasSubstr(out("schema.toml")), HasSubstr("--overwrite")));
  EXPECT_FALSE(fs::exists(out("schema.toml")));
}

TEST_F(TransformChanged, AFinishedDatasetOfMoreBadRowsThanAllowedIsNotComplete) {
  run();
  const auto whole = folder_bytes(out());
  options_.max_bad_rows = 1;
  EXPECT_TRUE(run().already_complete);
  options_.max_bad_rows = 0;
  EXPECT_THAT(complaint<ConfigError>([&] { run(); }),
              AllOf(HasSubstr("left out 1 bad row, but --max-bad-rows allows 0"), HasSubstr("--overwrite")));
  EXPECT_EQ(difference(folder_bytes(out()), whole), "");
}

TEST_F(TransformChanged, AListOfRejectedRowsThatIsGoneIsNotNamed) {
  EXPECT_EQ(run().rejected_file, out("rejected.tsv"));
  fs::remove(out("rejected.tsv"));
  const TransformReport again = run();
  EXPECT_TRUE(again.already_complete);
  EXPECT_EQ(again.rejected_rows, 1u);
  EXPECT_EQ(again.rejected_file, "");
}

TEST_F(TransformChanged, AFolderOfTablesIsRefused) {
  FitOptions fitting;
  fitting.max_bad_rows = 2;
  run_fit(click_schema, options_.inputs, folder_.file("out"), fitting);
  const auto tables = folder_bytes(out());
  for (const bool overwrite : {false, true}) {
    options_.overwrite = overwrite;
    EXPECT_THAT(complaint<ConfigError>([&] { run(); }),
                AllOf(HasSubstr(options_.output_directory), HasSubstr("lookup tables")));
  }
  EXPECT_EQ(difference(folder_bytes(out()), tables), "");
}

}  // namespace
}  // namespace widehash::test
