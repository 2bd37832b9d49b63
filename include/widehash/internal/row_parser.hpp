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

/// A row that cannot be used, with what its owner needs to find and mend it.
struct BadRow {
  std::uint64_t line = 0;  // physical line, as those of RowBatch
  std::string reason;
  std::string text;  // the beginning of the row, at most 200 bytes
};

/// Good rows: fields[row * num_fields + field]. Values look into the block, or into the batch where a quoted
/// value had to be rewritten; both must outlive their use.
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

  /// Storage of rewritten quoted values; stable addresses.
  std::vector<std::unique_ptr<std::string>> rewritten;
};

/// Good rows by the places of their values, in memory that is used again.
struct PlacedBatch {
  PlacedRows rows;
  std::uint64_t first_line = 0;  // of the first row; the others have one line each
  RawVector<std::uint32_t> places;
};

class RowParser {
 public:
  /// Every row must have `num_fields` fields. Throws ShapeError for 0.
  RowParser(const Dialect& dialect, std::size_t num_fields);

  /// Starts on `text`, which must stay alive and hold whole rows; its first line is number `first_line`.
  void start(std::string_view text, std::uint64_t first_line = 0);
  /// The line that follows the rows given so far.
  std::uint64_t line() const noexcept { return line_; }
  /// Replaces `batch` by at most `max_rows` (at least 1) further rows, good and bad together; false when none
  /// are left. Where next_placed() is asked in turn they may be few. A row is bad that has another number of
  /// fields, a field longer than the dialect's bound, text between a closing quote and the delimiter, or a
  /// quote that is never closed. A batch used again allocates only where it must grow and for values with
  /// doubled quotes. Cost: one pass over the bytes, 64 at a time over rows that are as they should be
  /// (row_scan.hpp), byte by byte over the rest.
  bool next(RowBatch& batch, std::size_t max_rows);
  /// Replaces `batch` by the rows that come next and are as they should be, at most `max_rows`; false where
  /// next() is to be asked: where there are none, or few of late. Any dialect may be asked for them; one that
  /// trims has none. Rows that hold doubled quotes, or line ends inside quotes, are left to next().
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
  bool skips_places_ = false;         // of the rows that come next, so that a scan of many does not take few
  std::size_t most_by_views_ = 0;     // rows that next() gives; 0: as many as it is asked for
  const char* next_quote_ = nullptr;  // or the end of the text; found anew when the rows have passed it
  std::uint64_t line_ = 0;
};

/// Parses one row, with or without its line end, into as many fields as it has: headers and samples. Of a
/// field that is quoted wrongly the part inside the quotes is taken, and `fault`, where given, is set to what is
/// wrong; otherwise to null.
std::vector<std::string> parse_fields(const Dialect& dialect, std::string_view row,
                                      const char** fault = nullptr);

}  // namespace widehash
