#pragma once

/// \file
/// The row cutter (row_cutter.hpp) for inputs in which line ends may stand inside quotes. Takes bytes in
/// three ways: by counting alone while no cut is due, 64 at once by the parity of quotes where rows have to
/// be located, and one by one where a quote is an ordinary byte.

#include "byte_classes.hpp"
#include "quoted_lines.hpp"
#include "row_cutter.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace widehash::detail {

class QuotedRowCutter final : public RowCutter {
 public:
  explicit QuotedRowCutter(Settings settings);

  void add(std::string_view chunk) override;
  void finish() override;

 private:
  /// Takes the steps before the row end that the next cut follows, and returns their bytes; rows in these
  /// steps need not be located. Requires that two bytes of the chunk precede `text`.
  std::size_t add_uncut_steps(std::string_view text);
  /// Takes class_bytes at once, if each quote opens a value, closes one or is doubled inside one, so that
  /// the parity of quotes says what is inside. Returns false, and does nothing, if a quote is an ordinary
  /// byte.
  bool add_step(const char* text, const ByteClasses& classes);
  void add_one_by_one(std::string_view bytes);
  /// Ends the row whose last byte is the one before position_.
  void end_row();

  QuotePlace place_ = QuotePlace::field_start;
  std::uint64_t quote_line_ = 0;  // line of the open quote, from 1
};

}  // namespace widehash::detail
