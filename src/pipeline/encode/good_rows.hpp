#pragma once

/// \file
/// Selects the rows of a tile that are counted: those that the rules of `fit` and `transform` accept.

#include "row_rules.hpp"

#include <widehash/encoder.hpp>
#include <widehash/internal/running_moments.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace widehash {

/// Used by one thread; its memory is reused for tile after tile.
class GoodRows {
 public:
  /// Sets places() to the positions of the good rows among `num_rows` rows, and adds their numbers to
  /// `moments`, one per rules.numeric_features(). Bad rows are appended to `issues`, with positions counted
  /// from `first_row` on. Skips good rows that are not in a taken fold. Rows is RowsView or PlacedRows.
  template <class Rows>
  void take(const RowRules& rules, const Rows& rows, std::size_t num_rows, const FieldBinding& binding,
            std::size_t first_row, std::span<RunningMoments> moments, std::vector<EncodeIssue>& issues);

  /// Positions within the tile.
  const std::vector<std::size_t>& places() const noexcept { return places_; }
  /// Good rows skipped so far because of their fold.
  std::uint64_t other_fold_rows() const noexcept { return other_fold_rows_; }

 private:
  std::vector<std::size_t> places_;
  std::vector<double> numbers_;  // of one row
  std::string reason_;
  std::string fold_text_;
  std::uint64_t other_fold_rows_ = 0;
};

}  // namespace widehash
