// The vector scans of rows, by views and by places, give the rows of the plain reading (byte by byte) when
// used through the parser.
#include "claims.hpp"
#include "io/plain_table.hpp"
#include "table_shape.hpp"
#include "vector_target.hpp"

#include <widehash/internal/row_parser.hpp>

#include <algorithm>
#include <string>

using namespace widehash;

namespace {

bool is_good(const test::PlainRow& row, const fuzz::TableShape& shape) {
  return row.sound && row.values.size() == shape.num_fields &&
         std::all_of(row.values.begin(), row.values.end(),
                     [&](const std::string& value) { return value.size() <= shape.dialect.max_field_bytes; });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::FuzzBytes input(data, size);
  const fuzz::TableShape shape = fuzz::take_shape(input);
  fuzz::choose_vector_target(input.byte());
  const std::uint8_t choice = input.byte();
  const std::size_t max_rows = 1 + choice % 40;
  const bool by_places = choice >= 128;
  // An allocation of its own, so that reads past the end are noticed.
  const std::string text(input.rest());
  const test::PlainTable table = test::parse_plainly(text, shape.dialect);
  if (table.quote_left_open) return 0;

  RowParser parser(shape.dialect, shape.num_fields);
  parser.start(text);
  RowBatch batch;
  PlacedBatch placed;
  std::size_t good = 0, bad = 0;
  const auto next_expected = [&](bool wanted, std::size_t& from) -> const test::PlainRow& {
    while (from < table.rows.size() &&
           ((table.rows[from].blank && shape.num_fields > 1) || is_good(table.rows[from], shape) != wanted)) {
      ++from;
    }
    fuzz::require(from < table.rows.size(), "there are no more rows than in the plain reading");
    return table.rows[from++];
  };
  const auto require_placed_rows = [&] {
    const PlacedRows& rows = placed.rows;
    for (std::size_t row = 0; row < rows.num_rows; ++row) {
      const test::PlainRow& expected = next_expected(true, good);
      for (std::size_t field = 0; field < shape.num_fields; ++field) {
        fuzz::require(rows.value(row, field) == expected.values[field],
                      "placed values are those of the plain reading");
      }
      fuzz::require(rows.row_text(row) == expected.text, "a placed row's text is that of the plain reading");
      fuzz::require(placed.first_line + row == expected.line,
                    "a placed row's line is that of the plain reading");
    }
  };
  while (true) {
    if (by_places && parser.next_placed(placed, max_rows)) {
      require_placed_rows();
      continue;
    }
    if (!parser.next(batch, max_rows)) break;
    for (std::size_t row = 0; row < batch.num_rows; ++row) {
      const test::PlainRow& expected = next_expected(true, good);
      fuzz::require(std::equal(expected.values.begin(), expected.values.end(), batch.row(row).begin(),
                               batch.row(row).end()),
                    "values are those of the plain reading");
      fuzz::require(batch.texts[row] == expected.text, "a row's text is that of the plain reading");
      fuzz::require(batch.lines[row] == expected.line, "a row's line is that of the plain reading");
    }
    for (const BadRow& row : batch.bad_rows) {
      fuzz::require(row.line == next_expected(false, bad).line, "bad rows are those of the plain reading");
    }
  }
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    if (table.rows[row].blank && shape.num_fields > 1) continue;
    fuzz::require(row < (is_good(table.rows[row], shape) ? good : bad), "no row is left out");
  }
  fuzz::require(parser.line() == table.num_lines, "every line is counted");
  return 0;
}
