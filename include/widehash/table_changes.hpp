#pragma once

/// \file
/// How the values of each feature have changed between two sets of lookup tables of the same schema, for
/// example from the rows that a model was trained on to those it predicts, or from yesterday to today.
///
/// With the counts c_v of values, their sum C, and the shares p_v = c_v / C before and q_v now:
///
///     unseen share     sum of q_v over values that were not there before
///     gone share       sum of p_v over values that are not there now
///     distance         1/2 sum_v |q_v - p_v|, the total variation: 0 if all shares are the same, 1 if no value is in
///                      both sets, or if one of them has no value at all
///
/// All three are shares of the counted values: a row of a multi-valued feature counts once per value, and a
/// row whose missing value is skipped does not count. If most values are rare, a distance is large by chance.

#include <widehash/progress.hpp>
#include <widehash/table_set.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace widehash {

/// One value and how often it was counted.
struct ValueChange {
  std::string value;  // a cross as cross_text() shows it; empty: missing
  std::uint64_t count_before = 0;
  std::uint64_t count_now = 0;
};

struct FeatureChange {
  std::string feature;
  /// Share of rows without a value (for a numeric feature, without a number). Tables of lists count values, not rows:
  /// the share of missing values among all values, also of empty items ("a||b"); empty where they are skipped.
  std::optional<double> missing_share_before = 0;
  std::optional<double> missing_share_now = 0;
  bool is_numeric = false;  // then only the moments below are set
  NumericMoments moments_before;
  NumericMoments moments_now;

  std::uint64_t values_before = 0;  // distinct values
  std::uint64_t values_now = 0;
  std::uint64_t count_before = 0;  // of all values together
  std::uint64_t count_now = 0;
  std::uint64_t unseen_values = 0;
  std::uint64_t gone_values = 0;
  double unseen_share = 0;
  double gone_share = 0;
  double distance = 0;
  std::vector<ValueChange> unseen;        // the most frequent, in descending order
  std::vector<ValueChange> most_changed;  // those whose shares differ most, in descending order

  /// By how many standard deviations (those before) the mean of a numeric feature has moved. Empty if either
  /// side has no number, or if all numbers before were the same and the mean has changed.
  std::optional<double> mean_shift() const noexcept;
};

/// Returns the changes of every feature, in order, except ignored features and numeric ones that have no
/// number in either set; each of the lists has at most `most_values` entries. Both sets must have the same schema.
/// Cost: a pass over the hashes and counts of both sets, which are in the same order, on all threads of the
/// current limit; memory only for the lists. `progress` receives features as bytes and values as rows, and
/// may throw to stop the work. Throws ConfigError if the schemas differ, and what open_table() throws.
std::vector<FeatureChange> table_changes(const TableSet& before, const TableSet& now, std::size_t most_values,
                                         const ProgressCallback& progress = {});

}  // namespace widehash
