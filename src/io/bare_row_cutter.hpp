#pragma once

/// \file
/// The row cutter (row_cutter.hpp) for inputs in which each line end ends a row.

#include "row_cutter.hpp"

#include <string_view>

namespace widehash::detail {

class BareRowCutter final : public RowCutter {
 public:
  explicit BareRowCutter(Settings settings);

  /// Counts every line end, but locates single rows only up to the header's end and where a cut is due.
  void add(std::string_view chunk) override;

 private:
  /// Counts the lines of `piece`, which begins at position_, and moves position_ past it.
  void count_lines(std::string_view piece);
  /// Whether the row whose line end stands just before position_ is blank.
  bool has_ended_blank() const noexcept;

  char before_last_ = '\n';  // the byte before last_
};

}  // namespace widehash::detail
