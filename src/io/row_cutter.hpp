#pragma once

/// \file
/// Finds where rows end, in the raw bytes of an input as they come in, in chunks of any size. A cutter knows
/// nothing of fields but their quotes; it is kept apart from the parser of fields, so that the two can be
/// reconciled. There is one cutter for inputs in which each line end ends a row (bare_row_cutter.hpp) and one
/// for inputs with quotes (quoted_row_cutter.hpp).

#include <widehash/dialect.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace widehash::detail {

/// A place between two rows.
struct RowCut {
  std::uint64_t position = 0;  // bytes of the input before it
  std::uint64_t lines = 0;     // physical lines from the beginning of the first chunk to it
  std::uint64_t rows = 0;      // rows between them, including the header
};

class RowCutter {
 public:
  struct Settings {
    std::string name;  // of the input, for messages
    Dialect dialect;
    bool has_header = false;
    bool blank_lines_are_rows = false;
    std::uint64_t block_bytes = 0;
    std::uint64_t piece_bytes = 0;  // if not 0, rows are also cut into pieces of about this many bytes
    std::uint64_t begin = 0;        // where the first chunk stands in the input; a row begins there
    std::function<std::uint64_t()> lines_before = nullptr;  // lines before `begin`, for messages; null: 0
  };
  /// Chunks must be no longer than this: it keeps the check for overlong rows out of the inner loop.
  static constexpr std::size_t max_chunk_bytes = std::size_t{256} << 10;

  virtual ~RowCutter() = default;
  RowCutter(const RowCutter&) = delete;
  RowCutter& operator=(const RowCutter&) = delete;

  /// Takes the next bytes of the input. Throws DataError for a row longer than max_row_bytes.
  virtual void add(std::string_view chunk) = 0;
  /// Ends the input and counts a last row that has no line end. Throws DataError if a quote is still open.
  virtual void finish();

  /// Returns the first place between rows at or past `position`, a multiple of the block size; null while it
  /// is not known. Positions must be requested in ascending order.
  const RowCut* first_cut_from(std::uint64_t position);
  /// Returns the next cut, of a block or a piece; nothing while none is known.
  std::optional<RowCut> take_cut();

  /// The header row with its line end. A header is found only if the settings ask for one.
  bool header_found() const noexcept { return header_found_; }
  const RowCut& header_begin() const noexcept { return header_begin_; }
  const RowCut& header_end() const noexcept { return header_end_; }

  /// The end of the bytes added so far.
  RowCut end() const noexcept { return {position_, num_lines_, num_rows_}; }

 protected:
  explicit RowCutter(Settings settings);

  const Settings& settings() const noexcept { return settings_; }
  bool seeks_header() const noexcept { return settings_.has_header && !header_found_; }
  /// The beginning of the row that position_ is in.
  const RowCut& row_begin() const noexcept { return row_begin_; }
  /// The next cut follows the row that holds the byte before this place.
  std::uint64_t next_target() const noexcept { return next_target_; }
  /// Whether the row from row_begin() to `row_end`, without its LF, is empty or only a CR. Requires: last_ is
  /// the byte before row_end.
  bool is_blank(std::uint64_t row_end) const noexcept;

  /// Takes the row that has ended at position_ as the header.
  void take_header();
  /// Begins a row at position_, after a row that has been counted. Cuts there if a cut is due.
  void begin_row();
  /// Begins a row at `begin`, before which no cut was due.
  void begin_row_at(const RowCut& begin) noexcept { row_begin_ = begin; }

  /// Throws DataError if the row that position_ is in would be too long if it ended at `row_end`.
  void check_row_length(std::uint64_t row_end) const;
  [[noreturn]] void throw_at(std::uint64_t line, const std::string& problem) const;

  std::uint64_t position_;
  std::uint64_t num_lines_ = 0;  // line ends before position_
  std::uint64_t num_rows_ = 0;   // including the header
  char last_ = '\n';             // the byte before position_, as if a line ended before the input

 private:
  std::uint64_t target_behind(std::uint64_t position) const noexcept;

  Settings settings_;
  RowCut row_begin_;
  std::uint64_t next_target_;
  std::deque<RowCut> cuts_;
  bool header_found_ = false;
  RowCut header_begin_;
  RowCut header_end_;
};

/// Makes the cutter for the dialect of the settings.
std::unique_ptr<RowCutter> make_row_cutter(RowCutter::Settings settings);

}  // namespace widehash::detail
