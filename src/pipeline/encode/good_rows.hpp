#pragma once

/// \file
/// Selects the rows that the rules of `fit` and `transform` accept.

#include "row_folds.hpp"
#include "row_rules.hpp"

#include <widehash/encoder.hpp>
#include <widehash/internal/running_moments.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace widehash {

/// Memory of for_each_good_row() that is reused, and what it counts. Used by one thread.
struct GoodRowScratch {
  std::string reason;
  std::string fold_text;
  std::uint64_t other_fold_rows = 0;  // good rows skipped so far because of their fold
};

/// Calls good(row, target, weight) for the good rows among `num_rows` rows that are in a taken fold. The numbers of a
/// row are then where numbers_at() said before it: room for rules.num_numbers(). Bad rows are appended to `issues`,
/// with positions counted from `first_row` on. Rows is RowsView or PlacedRows.
template <class Rows, class NumbersAt, class Good>
void for_each_good_row(const RowRules& rules, const Rows& rows, std::size_t num_rows,
                       const FieldBinding& binding, std::size_t first_row, GoodRowScratch& scratch,
                       std::vector<EncodeIssue>& issues, const NumbersAt& numbers_at, const Good& good) {
  for (std::size_t row = 0; row < num_rows; ++row) {
    float target = 0;
    float weight = 1;
    if (!rules.read_row(rows, row, binding, target, weight, scratch.reason, numbers_at())) {
      issues.push_back({first_row + row, scratch.reason});
      continue;
    }
    if (!is_taken(rows, row, binding, scratch.fold_text)) {
      ++scratch.other_fold_rows;
      continue;
    }
    good(row, target, weight);
  }
}

/// The positions of the good rows of a tile. Used by one thread; its memory is reused for tile after tile.
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
  std::uint64_t other_fold_rows() const noexcept { return scratch_.other_fold_rows; }

 private:
  std::vector<std::size_t> places_;
  std::vector<double> numbers_;  // of one row
  GoodRowScratch scratch_;
};

}  // namespace widehash
