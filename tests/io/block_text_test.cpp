// The text of blocks left on disk whose rows are longer than a piece.

#include <widehash/error.hpp>
#include <widehash/internal/block_reader.hpp>
#include <widehash/internal/block_text.hpp>
#include <widehash/internal/file.hpp>

#include <fstream>
#include <string>
#include <string_view>

#include <base/temp_folder.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace widehash::test {
namespace {

using testing::HasSubstr;

const Dialect tsv{};

TEST(BlockText, RowsOfManyPiecesAreReadWhole) {
  const TempFolder folder;
  const std::string path = folder.file("table.tsv");
  std::string text;
  for (const std::size_t bytes : {3, 5000, 1, 70, 100000, 0, 64, 65, 2})
    text += std::string(bytes, 'x') + "\n";
  text += std::string(9000, 'y');
  write_text_file(path, text);
  for (const std::uint64_t block_bytes : {7, 4096, 1 << 20}) {
    const Input input{.path = path, .size_bytes = text.size()};
    BlockReader reader(input, tsv, false, block_bytes);
    ASSERT_TRUE(reader.leave_on_disk(input));
    std::string read;
    std::uint64_t num_rows = 0;
    std::string buffer;
    for (Block block; reader.next(block); num_rows += block.num_rows) {
      BlockText rows(block, buffer, 64);
      for (std::string_view piece = rows.next(); !piece.empty(); piece = rows.next()) read += piece;
    }
    EXPECT_EQ(read, text) << block_bytes;
    EXPECT_EQ(num_rows, 9u) << "the blank one is none";
  }
}

TEST(BlockText, ALongRowLeftOnDiskIsNamedByItsLine) {
  const TempFolder folder;
  const std::string path = folder.file("table.tsv");
  std::ofstream(path) << "a\nb\n" << std::string(max_row_bytes + 10, 'x') << "\nb\n";
  const Input input{.path = path, .size_bytes = max_row_bytes + 17};
  BlockReader reader(input, tsv, false, 1 << 10);
  ASSERT_TRUE(reader.leave_on_disk(input));
  Block block;
  ASSERT_TRUE(reader.next(block));
  try {
    load_text(block);
    FAIL() << "nothing was noticed";
  } catch (const DataError& error) {
    EXPECT_EQ(error.row(), 3u);
    EXPECT_THAT(error.what(), HasSubstr("does not end within 64 MiB"));
  }
}

}  // namespace
}  // namespace widehash::test
