#pragma once

/// \file
/// Which rows of a tile are counted: those that the rules of `fit` and `transform` accept.

#include "row_rules.hpp"

#include <widehash/encoder.hpp>
#include <widehash/internal/running_moments.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace widehash {

/// Of one thread; its memory is used for tile after tile.
class GoodRows {
 public:
  /// Makes places() those of the good ones among `num_rows` rows, whose numbers go into `moments`, one for
  /// each of rules.numeric_features(). Bad rows become issues, their places counted from `first_row` on, and
  /// good ones that are not of the folds taken are passed over.
  /// Rows is RowsView or PlacedRows.
  template <class Rows>
  void take(const RowRules& rules, const Rows& rows, std::size_t num_rows, const FieldBinding& binding,
            std::size_t first_row, std::span<RunningMoments> moments, std::vector<EncodeIssue>& issues);

  /// Within the tile.
  const std::vector<std::size_t>& places() const noexcept { return places_; }
  /// Rows passed over so far.
  std::uint64_t other_fold_rows() const noexcept { return other_fold_rows_; }

 private:
  std::vector<std::size_t> places_;
  std::vector<double> numbers_;  // of a row
  std::string reason_;
  std::string fold_text_;
  std::uint64_t other_fold_rows_ = 0;
};

}  // namespace widehash
