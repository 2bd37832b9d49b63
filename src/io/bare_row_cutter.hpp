#pragma once

/// \file
/// row_cutter.hpp where each line end ends a row.

#include "row_cutter.hpp"

#include <string_view>

namespace widehash::detail {

class BareRowCutter final : public RowCutter {
 public:
  explicit BareRowCutter(Settings settings);

  /// Counts every line end, but looks for rows one by one only up to the header's end and where a cut is due.
  void add(std::string_view chunk) override;

 private:
  /// Counts the lines of `piece`, which follows position_, and moves behind it.
  void count_lines(std::string_view piece);
  /// Whether the row whose line end stands before position_ is blank.
  bool has_ended_blank() const noexcept;

  char before_last_ = '\n';  // the byte before last_
};

}  // namespace widehash::detail
