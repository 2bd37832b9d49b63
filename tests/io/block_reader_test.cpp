#include "memory_source.hpp"

#include <widehash/error.hpp>
#include <widehash/internal/block_reader.hpp>
#include <widehash/internal/block_text.hpp>
#include <widehash/internal/file.hpp>

#include <filesystem>
#include <fstream>
#include <functional>
#include <random>

#include <base/temp_folder.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace widehash::test {
namespace {

using testing::HasSubstr;

const Dialect tsv{};
const Dialect csv{.delimiter = ',', .quote = '"'};

std::vector<Block> blocks_of(BlockReader reader) {
  std::vector<Block> blocks;
  Block block;
  while (reader.next(block)) blocks.push_back(block);
  return blocks;
}

std::vector<std::string> bytes_of(const std::string& text, std::uint64_t block_bytes,
                                  bool has_header = false) {
  std::vector<std::string> bytes;
  for (const Block& block : blocks_of({memory_source(text), "it", tsv, has_header, block_bytes})) {
    bytes.push_back(block.bytes);
  }
  return bytes;
}

/// The error that reading all of `text` ends with.
DataError error_of(const std::string& text, const Dialect& dialect, bool has_header = false) {
  try {
    blocks_of({memory_source(text), "it.tsv", dialect, has_header, 1 << 20});
  } catch (const DataError& error) {
    return error;
  }
  return {"no error", 0, ""};
}

using Strings = std::vector<std::string>;

TEST(BlockReader, ARowBelongsToTheBlockItBeginsIn) {
  EXPECT_EQ(bytes_of("aa\nbb\ncc\n", 3), (Strings{"aa\n", "bb\n", "cc\n"}));
  EXPECT_EQ(bytes_of("aa\nbb\ncc\n", 4), (Strings{"aa\nbb\n", "cc\n", ""}));
  EXPECT_EQ(bytes_of("aa\nbb\ncc", 8), (Strings{"aa\nbb\ncc"}));
}

TEST(BlockReader, ALongRowLeavesEmptyBlocksBehind) {
  EXPECT_EQ(bytes_of("aaaaaaaa\nb\n", 3), (Strings{"aaaaaaaa\n", "", "", "b\n"}));
}

TEST(BlockReader, TheHeaderTakesPartInPositionsOnly) {
  EXPECT_EQ(bytes_of("h\naa\nbb\n", 5, true), (Strings{"aa\n", "bb\n"}));
  EXPECT_EQ(bytes_of("header\na\n", 3, true), (Strings{"", "", "a\n"}));
}

TEST(BlockReader, BlankLinesInFrontOfAHeaderAreNotIt) {
  for (const Dialect& dialect : {tsv, csv}) {
    for (const bool blank_lines_are_rows : {false, true}) {
      for (const char* text : {"\n\r\nword\n\na\n", "\n\r\nword", "\xEF\xBB\xBF\n\nword\r\n"}) {
        BlockReader reader(memory_source(text), "it", dialect, true, 100, blank_lines_are_rows);
        EXPECT_EQ(reader.header_fields(), Strings{"word"});
        EXPECT_EQ(reader.header_lines(), 3u);
        Block block;
        const bool has_rows = std::string_view(text).ends_with("a\n");
        ASSERT_EQ(reader.next(block), has_rows);
        if (!has_rows) continue;
        EXPECT_EQ(block.bytes, "\na\n");
        EXPECT_EQ(block.num_rows, blank_lines_are_rows ? 2u : 1u);
      }
    }
  }
  EXPECT_THAT(error_of("\n\r\n\r", tsv, true).what(), HasSubstr("has only blank lines"));
}

TEST(BlockReader, AHeaderThatIsQuotedWronglyIsRefused) {
  const DataError error = error_of("\"a\"x,y\nq,1\n", csv, true);
  EXPECT_THAT(error.what(), HasSubstr("it.tsv:1: the header has text after the closing quote"));
  EXPECT_STREQ(error_of("\"a\"\"x\",y\nq,1\n", csv, true).what(), DataError("no error", 0, "").what());
}

TEST(BlockReader, AHeaderOfMoreFieldsThanAnybodyHasIsRefused) {
  const std::size_t most = std::size_t{1} << 20;
  for (const auto& [dialect, delimiter] : {std::pair(tsv, '\t'), std::pair(csv, ',')}) {
    const std::string header(most - 1, delimiter);
    EXPECT_EQ(BlockReader(memory_source(header + "\n"), "it", dialect, true, 100).header_fields().size(),
              most);
    EXPECT_THAT(error_of(header + delimiter + "\n", dialect, true).what(),
                HasSubstr("it.tsv:1: the header has 1048577 fields"));
  }
}

TEST(BlockReader, AHeaderAloneGivesNoBlocks) {
  for (const char* text : {"a\tb\n", "a\tb", "\xEF\xBB\xBF\n\na\tb\r\n"}) {
    BlockReader reader(memory_source(text), "it", tsv, true, 2);
    EXPECT_EQ(reader.header_fields(), (Strings{"a", "b"}));
    Block block;
    EXPECT_FALSE(reader.next(block));
  }
}

TEST(BlockReader, AnEmptyInputHasNoRowsAndNoHeader) {
  EXPECT_TRUE(bytes_of("", 10).empty());
  EXPECT_TRUE(bytes_of("\xEF\xBB\xBF", 10).empty());
  for (const char* text : {"", "\xEF\xBB\xBF"})
    EXPECT_THAT(error_of(text, tsv, true).what(), HasSubstr("it.tsv: is empty and has no header line"));
  EXPECT_THAT(error_of("\n\r\n", tsv, true).what(), HasSubstr("it.tsv: has only blank lines"));
}

TEST(BlockReader, LinesAreCountedThroughHeaderAndQuotedLineEnds) {
  EXPECT_EQ(BlockReader(memory_source("\n\"two\nlines\"\n1\n"), "it", csv, true, 20).header_lines(), 3u);
  const auto blocks =
      blocks_of({memory_source("\"two\nlines\",b\n1,\"x\n\ny\"\n2,z\n3,z"), "it", csv, true, 20});
  ASSERT_EQ(blocks.size(), 2u);
  EXPECT_EQ(blocks[0].num_lines, 3u);
  EXPECT_EQ(blocks[1].num_lines, 2u);
}

TEST(BlockReader, AnOpenQuoteIsNamedByItsLine) {
  const DataError error = error_of("a,b\n1,\"fine\"\n2,\"open\n3,c\n", csv);
  EXPECT_EQ(error.path(), "it.tsv");
  EXPECT_EQ(error.row(), 3u);
  EXPECT_THAT(error.what(), HasSubstr("never closed"));
  EXPECT_EQ(error_of("a,b\n1,\"x\n\n", csv).row(), 2u);
  // Doubled quotes inside the open value, scanned 64 bytes at a time and byte by byte.
  for (const std::size_t before : {0, 50, 64, 200}) {
    const std::string start = "a,b\n1," + std::string(before, 'f') + "\n2,\"open\n";
    for (const std::size_t behind : {0, 40, 64, 300})
      EXPECT_EQ(error_of(start + "x \"\"y\"\"\n" + std::string(behind, 'z'), csv).row(), 3u);
  }
}

TEST(BlockReader, ARowMayBeAsLongAsTheBoundAndNoLonger) {
  const std::string longest(max_row_bytes - 1, 'x');
  EXPECT_EQ(error_of("a\n" + longest + "\nb\n", tsv).path(), "no error");
  for (const Dialect& dialect : {tsv, csv}) {
    const DataError error = error_of("a\n" + longest + "x\nb\n", dialect);
    EXPECT_EQ(error.row(), 2u);
    EXPECT_THAT(error.what(), HasSubstr("does not end within 64 MiB"));
  }
  EXPECT_EQ(error_of(longest + "xx", tsv, true).row(), 1u);
}

TEST(BlockReader, MemoryStaysNearTheBlock) {
  std::string text;
  while (text.size() < (std::size_t{4} << 20)) text += "a row of some length\n";
  BlockReader reader(memory_source(text), "it", tsv, false, 100000);
  Block block;
  while (reader.next(block)) ASSERT_LT(block.bytes.capacity(), 400000u);
}

TEST(BlockReader, BlocksOfNoBytesAreRefused) {
  EXPECT_THROW(BlockReader(memory_source("a\n"), "it", tsv, false, 0), ConfigError);
}

TEST(BlockReader, AFileIsReadByItsPath) {
  const TempFolder folder;
  const std::string path = folder.file("table.tsv");
  std::ofstream(path) << "h\n1\n2\n";
  BlockReader reader({.path = path, .size_bytes = 6}, tsv, true, 100);
  Block block;
  ASSERT_TRUE(reader.next(block));
  EXPECT_EQ(block.bytes, "1\n2\n");
  EXPECT_EQ(reader.position(), 6u);
  EXPECT_EQ(block.num_rows, 2u);
}

TEST(BlockReader, AFileThatBecameShorterIsAnError) {
  const TempFolder folder;
  const std::string path = folder.file("table.tsv");
  std::ofstream(path) << std::string(300000, 'a') << "\nb\n";
  const Input input{.path = path, .size_bytes = 300003};
  BlockReader reader(input, tsv, false, 1 << 20);
  ASSERT_TRUE(reader.leave_on_disk(input));
  Block block;
  ASSERT_TRUE(reader.next(block));
  std::filesystem::resize_file(path, 200000);
  try {
    load_text(block);
    FAIL() << "nothing was noticed";
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), HasSubstr("became shorter"));
  }
}

TEST(BlockReader, BlocksOfAPlainFileAreRangesInAQuotedDialectToo) {
  const TempFolder folder;
  const std::string path = folder.file("table.csv");
  const std::string bare = "1,22\n3,4\n";
  const std::string quoted = "\"a\nb\",\"\"\n";
  std::string text = "x,y\n";
  for (const std::string& rows : {bare, quoted, bare, bare, quoted}) {
    for (int i = 0; i < 100; ++i) text += rows;
  }
  std::ofstream(path) << text;
  const Input input{.path = path, .size_bytes = text.size()};
  BlockReader reader(input, csv, true, 256);
  EXPECT_FALSE(reader.leave_on_disk(input));
  std::string seen = "x,y\n";
  std::uint64_t num_lines = 1;
  std::size_t num_bare = 0;
  for (Block block; reader.next(block);) {
    EXPECT_NE(block.range.file, nullptr);
    const bool is_bare = block.range.cuts.empty();
    load_text(block);
    EXPECT_EQ(is_bare, block.bytes.find('"') == std::string::npos) << block.index;
    num_bare += is_bare ? 1 : 0;
    EXPECT_EQ(block.num_bytes, block.bytes.size());
    num_lines += block.num_lines;
    seen += block.bytes;
  }
  EXPECT_EQ(seen, text);
  EXPECT_EQ(num_lines, static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n')));
  EXPECT_EQ(reader.position(), text.size());
  EXPECT_GT(num_bare, 5u);
}

TEST(BlockReader, PiecesOfAQuotedBlockHoldWholeRows) {
  const TempFolder folder;
  const std::string path = folder.file("table.csv");
  std::mt19937_64 random(4);
  std::string text;
  std::vector<std::uint64_t> row_begins;
  const std::string header = "a,b\r\n";
  text += header;
  while (text.size() < (std::size_t{3} << 20)) {
    row_begins.push_back(text.size());
    text += '"';
    // Line ends within values, and occasionally a row longer than a piece.
    const std::size_t lines = random() % 500 == 0 ? 20000 : random() % 30;
    for (std::size_t i = 0; i < lines; ++i) text += i % 7 == 0 ? "some \"\"words\"\"\n" : "a,b\n";
    text += random() % 2 == 0 ? "\",x\r\n" : "\",x\n";
  }
  row_begins.push_back(text.size());
  text += "\"last\n\",";
  std::ofstream(path) << "\xEF\xBB\xBF" << text;
  const Input input{.path = path, .size_bytes = text.size() + 3};
  BlockReader reader(input, csv, true, 1'000'000);
  reader.leave_on_disk(input);
  std::string seen = header, buffer;
  std::uint64_t num_lines = 1, num_rows = 0, num_pieces = 0;
  for (Block block; reader.next(block);) {
    EXPECT_FALSE(block.range.cuts.empty());
    BlockText block_text(block, buffer);
    for (std::string_view piece = block_text.next(); !piece.empty(); piece = block_text.next()) {
      EXPECT_TRUE(std::binary_search(row_begins.begin(), row_begins.end(), seen.size())) << seen.size();
      seen += piece;
      ++num_pieces;
    }
    num_lines += block.num_lines;
    num_rows += block.num_rows;
  }
  EXPECT_EQ(seen, text);
  EXPECT_EQ(num_rows, row_begins.size());
  EXPECT_EQ(num_lines, 1 + static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n')));
  EXPECT_GT(num_pieces, 15u);
}

TEST(BlockReader, WhatIsWrongBehindRangesIsNamedByItsLine) {
  const TempFolder folder;
  const std::string path = folder.file("table.csv");
  std::string text;
  for (int row = 1; row <= 10000; ++row) text += "1,2\n";
  const auto problem_of = [&](const std::string& whole) -> std::string {
    std::ofstream(path) << whole;
    const Input input{.path = path, .size_bytes = whole.size()};
    try {
      BlockReader reader(input, csv, false, 256);
      reader.leave_on_disk(input);
      for (Block block; reader.next(block);) load_text(block);
    } catch (const DataError& error) {
      return std::to_string(error.row()) + error.what();
    }
    return "";
  };
  EXPECT_THAT(problem_of(text + "3,4\n5,\"6\n7,8\n"),
              testing::AllOf(testing::StartsWith("10002"), HasSubstr("never closed")));
  const std::string long_row(max_row_bytes + 10, 'x');
  EXPECT_THAT(problem_of(text + long_row + "\n"),
              testing::AllOf(testing::StartsWith("10001"), HasSubstr("does not end within 64 MiB")));
  EXPECT_THAT(problem_of(text + "\"" + long_row + "\"\n"),
              testing::AllOf(testing::StartsWith("10001"), HasSubstr("does not end within 64 MiB")));
}

TEST(BlockReader, AFileThatIsWrittenAnewBehindItsCutsIsAnError) {
  const TempFolder folder;
  const std::string path = folder.file("table.csv");
  std::string text;
  while (text.size() < 400000) text += "\"a\",\"some value\"\n";
  const auto problem_after = [&](const std::string& whole, const std::string& later) -> std::string {
    std::ofstream(path) << whole;
    const Input input{.path = path, .size_bytes = whole.size()};
    BlockReader reader(input, csv, false, 1 << 20);
    reader.leave_on_disk(input);
    Block block;
    EXPECT_TRUE(reader.next(block));
    std::ofstream(path) << later;
    try {
      load_text(block);
    } catch (const DataError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(problem_after(text, text), "");
  EXPECT_THAT(problem_after(text, std::string(text.size(), 'x')),
              HasSubstr("changed while it was being read"));
  EXPECT_THAT(problem_after(text, text.substr(0, 200000)), HasSubstr("became shorter"));
  EXPECT_THAT(problem_after(text + "\"a\",b", text + "\"a\",bc"), HasSubstr("has grown"));
}

TEST(BlockReader, ABlockThatWasCutHasTheRowsThatItHadThen) {
  const TempFolder folder;
  const std::string path = folder.file("table.csv");
  std::ofstream(path) << "\"a\",1\n\"b\",2\n";
  const Input input{.path = path, .size_bytes = 12};
  BlockReader reader(input, csv, false, 1 << 20);
  reader.leave_on_disk(input);
  Block block;
  ASSERT_TRUE(reader.next(block));
  std::string buffer;
  const BlockText text(block, buffer);
  EXPECT_NO_THROW(text.require_rows(2));
  try {
    text.require_rows(3);
    FAIL() << "nothing was noticed";
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), HasSubstr("table.csv: changed while it was being read"));
  }
}

TEST(BlockReader, AFileThatGrowsInsideItsLastRowIsAnError) {
  const TempFolder folder;
  const std::string path = folder.file("table.tsv");
  const auto expect_noticed = [](const std::function<void()>& read) {
    try {
      read();
      ADD_FAILURE() << "nothing was noticed";
    } catch (const DataError& error) {
      EXPECT_THAT(error.what(), HasSubstr("table.tsv: has grown since the run began"));
    }
  };
  std::ofstream(path) << "a\nb\nca";
  const Input input{.path = path, .size_bytes = 6};
  BlockReader on_disk(input, tsv, false, 1 << 20);
  EXPECT_TRUE(on_disk.leave_on_disk(input));
  std::ofstream(path, std::ios::app) << "r";
  Block block;
  expect_noticed([&] {
    while (on_disk.next(block)) load_text(block);
  });
  // The same holds if rows are read in order only from a quote on,
  const std::string more_than_is_read_at_once(1 << 16, '\n');
  std::ofstream(path) << more_than_is_read_at_once << "\"b\"\nca";
  const Input quoted{.path = path, .size_bytes = more_than_is_read_at_once.size() + 6};
  BlockReader mixed(quoted, csv, false, 1 << 20);
  mixed.leave_on_disk(quoted);
  std::ofstream(path, std::ios::app) << "r";
  expect_noticed([&] {
    while (mixed.next(block)) load_text(block);
  });
  // and if all rows are read in order.
  std::ofstream(path) << "a\nb\ncar";
  expect_noticed([&] {
    BlockReader in_order(input, tsv, false, 1 << 20);
    while (in_order.next(block)) load_text(block);
  });
}

TEST(BlockReader, WholeRowsThatAreAppendedAreLeftAlone) {
  const TempFolder folder;
  const std::string path = folder.file("table.tsv");
  std::ofstream(path) << "a\nb\n";
  const Input input{.path = path, .size_bytes = 4};
  BlockReader reader(input, tsv, false, 1 << 20);
  ASSERT_TRUE(reader.leave_on_disk(input));
  std::ofstream(path, std::ios::app) << "c\n";
  Block block;
  ASSERT_TRUE(reader.next(block));
  load_text(block);
  EXPECT_EQ(block.bytes, "a\nb\n");
}

}  // namespace
}  // namespace widehash::test
