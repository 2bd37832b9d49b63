#pragma once

/// \file
/// Where rows end: found over the raw bytes of an input as they come in, in chunks of any size, knowing
/// nothing of fields but their quotes. Kept apart from the parser of fields, so that the two can be
/// reconciled.

#include "byte_classes.hpp"
#include "quoted_lines.hpp"

#include <widehash/dialect.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace widehash::detail {

/// A place between two rows.
struct RowCut {
  std::uint64_t position = 0;  // bytes of the input before it
  std::uint64_t lines = 0;     // physical lines between the first chunk's begin and it
  std::uint64_t rows = 0;      // rows between them, the header among them
};

class RowCutter {
 public:
  struct Settings {
    std::string name;  // of the input, for messages
    Dialect dialect;
    bool has_header = false;
    bool blank_lines_are_rows = false;
    std::uint64_t block_bytes = 0;
    std::uint64_t piece_bytes = 0;  // where not 0, rows are cut in pieces of about so many bytes, too
    std::uint64_t begin = 0;        // where the first chunk stands in the input; a row begins there
    std::function<std::uint64_t()> lines_before = nullptr;  // before `begin`, for messages; none: 0
  };
  /// Chunks must be no longer than this: it keeps the look for overlong rows out of the inner loop.
  static constexpr std::size_t max_chunk_bytes = std::size_t{256} << 10;

  explicit RowCutter(Settings settings);

  /// Takes the next bytes of the input. Throws DataError for a row longer than max_row_bytes.
  void add(std::string_view chunk);
  /// Ends the input: counts a last row without its line end. Throws DataError where a quote is still open.
  void finish();

  /// The first place between rows at or past `position`, a multiple of the block size; null while it is not
  /// known. Positions must be asked in ascending order.
  const RowCut* first_cut_from(std::uint64_t position);
  /// The next cut, of a block or a piece; nothing while none is known.
  std::optional<RowCut> take_cut();

  /// The header's row with its line end; `header_found` only where the settings ask for one.
  bool header_found() const noexcept { return header_found_; }
  const RowCut& header_begin() const noexcept { return header_begin_; }
  const RowCut& header_end() const noexcept { return header_end_; }

  /// The end of what was added.
  RowCut end() const noexcept { return {position_, num_lines_, num_rows_}; }

 private:
  void add_bare(std::string_view chunk);
  void add_quoted(std::string_view chunk);
  std::size_t add_uncut_steps(std::string_view text);
  bool add_step(const char* text, const ByteClasses& classes);
  void add_one_by_one(std::string_view bytes);
  void count_lines(std::string_view piece);
  void end_row();
  void check_row_length(std::uint64_t row_end) const;
  [[noreturn]] void throw_at(std::uint64_t line, const std::string& problem) const;
  bool is_blank(std::uint64_t row_end) const;
  std::uint64_t target_behind(std::uint64_t position) const noexcept;

  Settings settings_;
  std::uint64_t position_ = 0;
  std::uint64_t num_lines_ = 0;  // line ends before position_
  std::uint64_t num_rows_ = 0;   // the header among them
  RowCut row_begin_;             // of the row that position_ is in
  char before_last_ = '\n';      // the two bytes before position_, as if a line ended before the input
  char last_ = '\n';

  QuotePlace place_ = QuotePlace::field_start;
  std::uint64_t quote_line_ = 0;  // where the open quote stands, from 1

  std::uint64_t next_target_;  // where the next cut is looked for from
  std::deque<RowCut> cuts_;
  bool header_found_ = false;
  RowCut header_begin_;
  RowCut header_end_;
};

}  // namespace widehash::detail
