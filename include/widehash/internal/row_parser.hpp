#pragma once

/// \file
/// Parses a block of whole rows into fields.

#include <widehash/dialect.hpp>
#include <widehash/internal/raw_vector.hpp>
#include <widehash/placed_rows.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace widehash {

/// A row that cannot be used, with what its owner needs to find and fix it.
struct BadRow {
  std::uint64_t line = 0;  // physical line, numbered as in RowBatch
  std::string reason;
  std::string text;  // the beginning of the row, at most 200 bytes
};

/// Says that `row` ("the first row") is longer than max_row_bytes, and what may be the reason.
std::string overlong_problem(std::string_view row, bool has_quote);

/// Good rows: fields[row * num_fields + field]. Values refer to the block, or to the batch if a quoted value
/// had to be rewritten; both must outlive the use of the values.
struct RowBatch {
  std::size_t num_fields = 0;
  std::size_t num_rows = 0;
  RawVector<std::string_view> fields;
  std::vector<std::uint64_t> lines;     // physical line of each row, from 0 at the start of the text
  std::vector<std::string_view> texts;  // each row's bytes without its line end
  std::vector<BadRow> bad_rows;         // of this batch, in order

  std::span<const std::string_view> row(std::size_t index) const {
    return std::span(fields).subspan(index * num_fields, num_fields);
  }
  void clear();

  /// Storage of rewritten quoted values, with stable addresses.
  std::vector<std::unique_ptr<std::string>> rewritten;
};

/// Good rows by the offsets of their values, in reused memory.
struct PlacedBatch {
  PlacedRows rows;
  std::uint64_t first_line = 0;  // of the first row; the others have one line each
  RawVector<std::uint32_t> places;
};

class RowParser {
 public:
  /// Every row must have `num_fields` fields. Throws ShapeError for 0.
  RowParser(const Dialect& dialect, std::size_t num_fields);

  /// Starts parsing `text`, which must stay alive and hold whole rows; its first line has number
  /// `first_line`.
  void start(std::string_view text, std::uint64_t first_line = 0);
  /// The line after the rows returned so far.
  std::uint64_t line() const noexcept { return line_; }
  /// Replaces the contents of `batch` by at most `max_rows` (at least 1) further rows, good and bad together;
  /// returns false when none are left. If it alternates with next_placed(), a batch may hold few rows. A row
  /// is bad if it has another number of fields, a field longer than the dialect's limit, text between a
  /// closing quote and the delimiter, or an unterminated quote. A reused batch allocates memory only to grow
  /// and for values with doubled quotes. Cost: one pass over the bytes, 64 at a time over well-formed rows
  /// (row_scan.hpp), byte by byte over the rest.
  bool next(RowBatch& batch, std::size_t max_rows);
  /// Replaces the contents of `batch` by the next rows, if they are well-formed, at most `max_rows`. Returns
  /// false if next() must be called instead, because there are no such rows or have recently been few. Works
  /// for any dialect, but returns no rows for one that trims. Rows with doubled quotes, or with line ends
  /// inside quotes, are left to next().
  bool next_placed(PlacedBatch& batch, std::size_t max_rows);

 private:
  void take_scanned_rows(RowBatch& batch, std::size_t max_rows);
  void take_one_row(RowBatch& batch);
  const char* next_quote() noexcept;
  PlacedRows scan_rows_by_places(std::size_t bytes, bool quoted, std::size_t max_rows,
                                 RawVector<std::uint32_t>& places) const;

  Dialect dialect_;
  std::size_t num_fields_;
  std::string_view rest_;
  // Leaves the next rows to next(), so that a scan for many rows does not take few.
  bool skips_places_ = false;
  std::size_t most_by_views_ = 0;     // rows that next() returns; 0: as many as requested
  const char* next_quote_ = nullptr;  // or the end of the text; searched again once the rows have passed it
  std::uint64_t line_ = 0;
};

/// Parses one row, with or without its line end, into as many fields as it has; for headers and samples. Of a
/// wrongly quoted field, the part inside the quotes is taken. If `fault` is given, it is set to what is
/// wrong, or to null.
std::vector<std::string> parse_fields(const Dialect& dialect, std::string_view row,
                                      const char** fault = nullptr);

}  // namespace widehash
