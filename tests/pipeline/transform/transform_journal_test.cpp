// Journals that were altered with their checksums, and a folder that changes while a run writes to it.
#include "pipeline/click_table.hpp"
#include "pipeline/pipeline_kit.hpp"

#include <widehash/checksum.hpp>
#include <widehash/internal/file_names.hpp>

#include <filesystem>
#include <span>

namespace widehash::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

class TransformJournalFile : public testing::Test {
 protected:
  TransformJournalFile() {
    write_text_file(folder_.file("a.tsv"), click_text(60, 1));
    options_.inputs = {folder_.file("a.tsv")};
    options_.output_directory = folder_.file("out");
    options_.block_bytes = 120;
  }
  std::string out(const std::string& name) const { return options_.output_directory + "/" + name; }
  TransformReport run() { return transform(source(click_schema), options_); }
  void run_until(std::uint64_t blocks) {
    struct Killed {};
    std::uint64_t done = 0;
    const auto count = [&](const Progress&) {
      if (++done == blocks) throw Killed();
    };
    EXPECT_THROW(transform(source(click_schema), options_, count), Killed);
  }

  /// The line of a journal with its checksum computed anew.
  static std::string sealed(const std::string& line) {
    const std::string key = ",\"checksum\":\"";
    const std::string begun = line.substr(0, line.rfind(key));
    const std::string object = begun + "}";
    return begun + key + to_hex(checksum(std::as_bytes(std::span(object)))) + "\"}";
  }

  TempFolder folder_;
  TransformOptions options_;
};

TEST_F(TransformJournalFile, AnInputThatDoesNotExistEndsWhatIsTrusted) {
  run();
  const auto whole = folder_bytes(options_.output_directory);
  for (const char* const input : {"1", "7", "1048576", "9223372036854775808"}) {
    fs::remove_all(options_.output_directory);
    run_until(4);
    std::string journal = read_text_file(out("progress.jsonl"));
    const std::size_t line = journal.find('\n') + 1;
    const std::size_t end = journal.find('\n', line);
    std::string altered = journal.substr(line, end - line);
    const std::string own = "\"input\":0";
    const std::size_t at = altered.find(own);
    ASSERT_NE(at, std::string::npos);
    altered.replace(at, own.size(), std::string("\"input\":") + input);
    journal.replace(line, end - line, sealed(altered));
    write_text_file(out("progress.jsonl"), journal);
    const TransformReport report = run();
    EXPECT_EQ(report.resumed_shards, 0u) << input;
    EXPECT_EQ(difference(folder_bytes(options_.output_directory), whole), "") << input;
  }
}

TEST_F(TransformJournalFile, AShardThatIsRemovedDuringTheRunIsReportedAndMadeAnew) {
  // The shards of smaller inputs wait for the disk together.
  write_text_file(options_.inputs.front(), click_text(100000, 1));
  options_.block_bytes = 400000;
  run();
  const auto whole = folder_bytes(options_.output_directory);
  fs::remove_all(options_.output_directory);
  const std::string shard = out(shard_name(0, 3));
  try {
    // With one thread, so that three shards come before it in the journal.
    with_threads(1, [&] {
      transform(source(click_schema), options_, [&](const Progress&) {
        fs::remove(shard);
        fs::remove(out("schema.toml"));
      });
    });
    FAIL() << "nothing was thrown";
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr(shard), HasSubstr("is missing"), HasSubstr("start again")));
  }
  EXPECT_FALSE(file_exists(out("manifest.json")));
  const TransformReport report = run();
  EXPECT_GT(report.resumed_shards, 0u);
  EXPECT_EQ(difference(folder_bytes(options_.output_directory), whole), "");
}

}  // namespace
}  // namespace widehash::test
