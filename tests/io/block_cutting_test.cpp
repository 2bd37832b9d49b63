// Tests the rule for cutting blocks against the oracle: hostile tables, every small block size and every kind
// of source.

#include "compress.hpp"
#include "memory_source.hpp"
#include "plain_table.hpp"

#include <widehash/error.hpp>
#include <widehash/internal/block_reader.hpp>
#include <widehash/internal/block_text.hpp>
#include <widehash/internal/row_parser.hpp>

#include <fstream>
#include <thread>

#include <base/temp_folder.hpp>
#include <gtest/gtest.h>
#include <sys/stat.h>

namespace widehash::test {
namespace {

struct Case {
  std::string text;  // without a byte order mark
  PlainTable table;
  Dialect dialect;
  bool has_header = false;
  std::size_t num_fields = 1;

  bool is_row(const PlainRow& row) const { return num_fields == 1 || !row.blank; }
};

std::vector<Case> hostile_cases(std::size_t how_many) {
  std::mt19937_64 random(20261121);
  std::vector<Case> cases;
  const Dialect dialects[] = {
      {.delimiter = '\t'},
      {.delimiter = ',', .quote = '"'},
      {.delimiter = ',', .trim = true},
      {.delimiter = ',', .quote = '"', .trim = true},
      {.delimiter = ';', .quote = '\''},
      {.delimiter = ' ', .quote = '"', .trim = false},
  };
  while (cases.size() < how_many) {
    Case one;
    one.dialect = dialects[random() % std::size(dialects)];
    one.has_header = random() % 2 == 0;
    one.num_fields = 1 + random() % 3;
    one.text = hostile_text(random, one.dialect, random() % 8, one.num_fields);
    // Text with these first bytes would be taken for UTF-8 with a byte order mark, or for UTF-16, which is refused.
    if (one.text.starts_with("\xEF\xBB\xBF") || one.text.starts_with("\xFF\xFE")) continue;
    one.table = parse_plainly(one.text, one.dialect);
    if (!one.table.quote_left_open) cases.push_back(std::move(one));
  }
  return cases;
}

/// Reads everything and compares with the oracle: the positions of the blocks, their lines, rows and values,
/// and the row count. With `left_on_disk`, the blocks are ranges of that file.
void expect_as_oracle(const Case& one, std::unique_ptr<ByteSource> source, std::uint64_t block_bytes,
                      const Input* left_on_disk = nullptr) {
  const auto rows_begin = [&] {
    auto row = one.table.rows.begin();
    if (!one.has_header) return row;
    while (row != one.table.rows.end() && row->blank) ++row;
    return row;
  }();
  if (one.has_header && (rows_begin == one.table.rows.end() || !rows_begin->sound)) {
    EXPECT_THROW(BlockReader(std::move(source), "it", one.dialect, true, block_bytes, one.num_fields == 1),
                 DataError);
    return;
  }
  BlockReader reader(std::move(source), "it", one.dialect, one.has_header, block_bytes, one.num_fields == 1);
  if (left_on_disk != nullptr) {
    ASSERT_EQ(reader.leave_on_disk(*left_on_disk), one.dialect.quote == '\0');
  }
  auto expected = rows_begin;
  std::uint64_t lines_given = reader.header_lines();
  if (one.has_header) {
    EXPECT_EQ(reader.header_fields(), expected->values);
    ++expected;
  }
  const std::size_t after_header = one.has_header ? rows_begin->end : 0;
  std::size_t position = after_header;
  std::uint64_t num_rows = 0;
  std::uint64_t rows_counted = 0;
  std::uint64_t num_blocks = 0;
  Block block;
  RowParser parser(one.dialect, one.num_fields);
  RowBatch batch;
  while (reader.next(block)) {
    ASSERT_EQ(block.index, num_blocks++);
    load_text(block);
    ASSERT_EQ(block.num_bytes, block.bytes.size());
    rows_counted += block.num_rows;
    ASSERT_EQ(block.bytes, one.text.substr(position, block.bytes.size()));
    const std::uint64_t lines_before =
        expected != one.table.rows.end() ? expected->line : one.table.num_lines;
    ASSERT_EQ(lines_given, lines_before);
    lines_given += block.num_lines;

    parser.start(block.bytes);
    std::size_t good = 0, bad = 0;
    bool more = parser.next(batch, 2);
    for (; expected != one.table.rows.end() && expected->begin < (block.index + 1) * block_bytes;
         ++expected) {
      ASSERT_GE(expected->begin, block.index * block_bytes);
      ASSERT_LE(expected->end, position + block.bytes.size());
      if (!one.is_row(*expected)) continue;
      ++num_rows;
      if (more && good + bad == batch.num_rows + batch.bad_rows.size()) {
        good = bad = 0;
        more = parser.next(batch, 2);
      }
      ASSERT_TRUE(more);
      const std::uint64_t line = expected->line - lines_before;
      if (expected->sound && expected->values.size() == one.num_fields) {
        ASSERT_LT(good, batch.num_rows);
        ASSERT_EQ(batch.lines[good], line);
        ASSERT_EQ(batch.texts[good], expected->text);
        const auto values = batch.row(good++);
        ASSERT_EQ(std::vector<std::string>(values.begin(), values.end()), expected->values);
      } else {
        ASSERT_LT(bad, batch.bad_rows.size());
        ASSERT_EQ(batch.bad_rows[bad].line, line);
        ASSERT_EQ(batch.bad_rows[bad++].text, expected->text.substr(0, 200));
      }
    }
    ASSERT_EQ(good, batch.num_rows);
    ASSERT_EQ(bad, batch.bad_rows.size());
    ASSERT_FALSE(parser.next(batch, 2));
    const std::uint64_t lines_after = expected != one.table.rows.end() ? expected->line : one.table.num_lines;
    ASSERT_EQ(block.num_lines, lines_after - lines_before);
    position += block.bytes.size();
  }
  EXPECT_EQ(expected, one.table.rows.end());
  EXPECT_EQ(position, one.text.size());
  EXPECT_EQ(rows_counted, num_rows);
  const std::uint64_t all_blocks = one.text.size() / block_bytes + (one.text.size() % block_bytes != 0);
  EXPECT_EQ(num_blocks, after_header == one.text.size() ? 0 : all_blocks);
  EXPECT_FALSE(reader.next(block));
}

TEST(BlockCutting, EveryBlockSizeGivesTheRowsOfTheOracle) {
  for (const Case& one : hostile_cases(400)) {
    for (std::uint64_t block_bytes = 1; block_bytes <= 70; ++block_bytes) {
      SCOPED_TRACE(testing::Message() << "block " << block_bytes << " header " << one.has_header << " fields "
                                      << one.num_fields << " text " << testing::PrintToString(one.text));
      expect_as_oracle(one, memory_source(one.text), block_bytes);
      if (testing::Test::HasFailure()) return;
    }
    expect_as_oracle(one, memory_source("\xEF\xBB\xBF" + one.text), 10);
    expect_as_oracle(one, memory_source(one.text), ~std::uint64_t{0});
  }
}

TEST(BlockCutting, RowsLeftOnDiskAreThoseOfTheOracle) {
  const TempFolder folder;
  const std::string path = folder.file("input");
  for (const Case& one : hostile_cases(300)) {
    for (const char* mark : {"", "\xEF\xBB\xBF"}) {
      const std::string bytes = mark + one.text;
      std::ofstream(path, std::ios::binary) << bytes;
      const Input input{.path = path, .size_bytes = bytes.size()};
      for (std::uint64_t block_bytes = 1; block_bytes <= 70; block_bytes += 1 + block_bytes / 8) {
        SCOPED_TRACE(testing::Message()
                     << "block " << block_bytes << " header " << one.has_header << " fields "
                     << one.num_fields << " text " << testing::PrintToString(bytes));
        expect_as_oracle(one, open_source(input), block_bytes, &input);
        if (testing::Test::HasFailure()) return;
      }
    }
  }
}

TEST(BlockCutting, CompressedFilesAndPipesAreCutAlike) {
  const TempFolder folder;
  const std::string file = folder.file("input");
  const std::string pipe = folder.file("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (const Case& one : hostile_cases(40)) {
    for (const std::uint64_t block_bytes : {1, 17, 64, 1000}) {
      for (const std::string& bytes : {one.text, gzip(one.text), zstd(one.text)}) {
        std::ofstream(file, std::ios::binary) << bytes;
        expect_as_oracle(one, open_source({.path = file, .size_bytes = bytes.size()}), block_bytes);
        std::jthread writer([&] { std::ofstream(pipe, std::ios::binary) << bytes; });
        expect_as_oracle(one, open_source({.path = pipe, .is_stream = true}), block_bytes);
      }
    }
  }
}

/// The tables are longer than the reader's buffers, so that rows, line ends and quotes fall on chunk borders.
TEST(BlockCutting, BordersOfChunksDoNotMatter) {
  const TempFolder folder;
  const std::string path = folder.file("input");
  std::mt19937_64 random(7);
  for (const char quote : {'\0', '"'}) {
    for (const std::size_t num_fields : {1, 3}) {
      Case one;
      one.dialect = {.delimiter = ',', .quote = quote};
      one.num_fields = num_fields;
      one.has_header = true;
      one.text = "a,b,c\n" + hostile_text(random, one.dialect, 80000, num_fields) + '\n';
      one.table = parse_plainly(one.text, one.dialect);
      ASSERT_FALSE(one.table.quote_left_open);
      ASSERT_GT(one.text.size(), 600000u);
      // Shifting the text one byte at a time moves every byte near a border across it.
      for (int shift = 0; shift < 4; ++shift) {
        for (const std::uint64_t block_bytes : {1000, 16384, 300000, 1 << 20}) {
          expect_as_oracle(one, memory_source(one.text), block_bytes);
          std::ofstream(path, std::ios::binary) << one.text;
          const Input input{.path = path, .size_bytes = one.text.size()};
          expect_as_oracle(one, open_source(input), block_bytes, &input);
          if (testing::Test::HasFailure()) return;
        }
        one.text.insert(0, "x");
        one.table = parse_plainly(one.text, one.dialect);
      }
    }
  }
}

TEST(BlockCutting, RunsOfBlankLinesAreCountedRight) {
  for (const char* line_end : {"\n", "\r\n"}) {
    for (const std::size_t num_fields : {1, 2}) {
      Case one;
      one.num_fields = num_fields;
      for (int i = 0; i < 20000; ++i) one.text += line_end;
      one.text += "\r\r\n\ra\tb\r";
      one.table = parse_plainly(one.text, one.dialect);
      expect_as_oracle(one, memory_source(one.text), 4096);
      one.dialect.quote = '"';
      expect_as_oracle(one, memory_source(one.text), 4096);
    }
  }
}

}  // namespace
}  // namespace widehash::test
