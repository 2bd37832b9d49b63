#pragma once

/// \file
/// row_cutter.hpp where line ends may stand inside quotes. Bytes are taken in three ways: by counting alone
/// while no cut is due, sixty-four at once by the parity of quotes where rows have to be known, and one by one
/// where a quote is an ordinary byte.

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
  /// Takes steps in which no row ends that a cut would stand behind, and returns their bytes: of these rows
  /// it need not be known where they are. Requires that two bytes of the chunk stand before `text`.
  std::size_t add_uncut_steps(std::string_view text);
  /// Takes class_bytes at once, where each quote opens a value, closes one or is doubled inside one: then the
  /// parity of quotes tells what stands inside. False, and nothing done, where one is an ordinary byte.
  bool add_step(const char* text, const ByteClasses& classes);
  void add_one_by_one(std::string_view bytes);
  /// A row ended with the byte before position_.
  void end_row();

  QuotePlace place_ = QuotePlace::field_start;
  std::uint64_t quote_line_ = 0;  // where the open quote stands, from 1
};

}  // namespace widehash::detail
