// However an input is cut into blocks, and whether it is read in order or by ranges, its rows are the same.
#include "claims.hpp"
#include "io/memory_source.hpp"
#include "memory_file.hpp"
#include "table_shape.hpp"

#include <widehash/error.hpp>
#include <widehash/internal/block_text.hpp>
#include <widehash/internal/row_parser.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

using namespace widehash;

namespace {

struct Rows {
  std::vector<std::string> header;
  std::string values;  // each after its length
  std::vector<std::uint64_t> lines;
  std::vector<std::uint64_t> bad_lines;
  bool operator==(const Rows&) const = default;
};

/// nullopt if the input is refused.
std::optional<Rows> read_rows(BlockReader& reader, const fuzz::TableShape& shape) {
  Rows rows{.header = reader.header_fields(), .values = {}, .lines = {}, .bad_lines = {}};
  RowParser parser(shape.dialect, shape.num_fields);
  RowBatch batch;
  Block block;
  static std::string buffer;  // kept from block to block, as in a thread
  std::uint64_t line = reader.header_lines();
  while (reader.next(block)) {
    BlockText text(block, buffer);
    std::uint64_t num_rows = 0;
    std::uint64_t num_lines = 0;
    for (std::string_view piece = text.next(); !piece.empty(); piece = text.next()) {
      parser.start(piece, line + num_lines);
      while (parser.next(batch, 7)) {
        for (const std::string_view value : batch.fields) {
          rows.values += std::to_string(value.size());
          rows.values += ' ';
          rows.values += value;
        }
        rows.lines.insert(rows.lines.end(), batch.lines.begin(), batch.lines.end());
        for (const BadRow& bad : batch.bad_rows) rows.bad_lines.push_back(bad.line);
        num_rows += batch.num_rows + batch.bad_rows.size();
      }
      num_lines = parser.line() - line;
    }
    fuzz::require(num_rows == block.num_rows, "rows parsed are the rows counted");
    fuzz::require(num_lines == block.num_lines, "lines parsed are the lines counted");
    line += num_lines;
  }
  return rows;
}

std::optional<Rows> read_in_order(std::string_view text, const fuzz::TableShape& shape,
                                  std::uint64_t block_bytes) {
  try {
    BlockReader reader(test::memory_source(std::string(text)), "input", shape.dialect, shape.has_header,
                       block_bytes, shape.num_fields == 1);
    return read_rows(reader, shape);
  } catch (const DataError&) {
    return std::nullopt;
  }
}

/// Whether a file with this beginning is read as it is, neither unpacked nor refused.
bool is_plain(const Input& input) {
  try {
    return open_source(input)->compression() == Compression::none;
  } catch (const DataError&) {
    return false;
  }
}

std::optional<Rows> read_by_ranges(const Input& input, const fuzz::TableShape& shape,
                                   std::uint64_t block_bytes) {
  try {
    BlockReader reader(input, shape.dialect, shape.has_header, block_bytes, shape.num_fields == 1);
    reader.leave_on_disk(input);
    return read_rows(reader, shape);
  } catch (const DataError&) {
    return std::nullopt;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::FuzzBytes input(data, size);
  const fuzz::TableShape shape = fuzz::take_shape(input);
  const std::uint64_t block_bytes = 16 + input.byte();
  const std::string_view text = input.rest();
  const auto whole = read_in_order(text, shape, 2 * text.size() + 16);
  fuzz::require(read_in_order(text, shape, block_bytes) == whole, "blocks cut no row and lose none");
  static fuzz::MemoryFile file;
  file.set(text);
  const Input on_disk{.path = file.path(), .size_bytes = text.size()};
  if (is_plain(on_disk)) {
    fuzz::require(read_by_ranges(on_disk, shape, block_bytes) == whole, "ranges hold the rows of blocks");
  }
  return 0;
}
