#pragma once

/// \file
/// How the values of each feature have changed between two sets of lookup tables of one schema: of the rows that a
/// model was trained on and of those that it is asked about, of yesterday and of today.
///
/// With the counts c_v of values, C their sum, and shares p_v = c_v / C before and q_v now:
///
///     unseen share     sum of q_v over values that were not there before
///     gone share       sum of p_v over values that are not there now
///     distance         1/2 sum_v |q_v - p_v|, the total variation: 0 where all shares are the same, 1 where no value
///                      is in both, or one of them has none at all
///
/// All three are of the values that were counted, so a row of a multi-valued feature counts once a value, and one
/// whose missing value is skipped does not count. Where most values are rare, a distance is large by chance.

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
  std::string value;  // of a cross as cross_text() shows it; empty: missing
  std::uint64_t count_before = 0;
  std::uint64_t count_now = 0;
};

struct FeatureChange {
  std::string feature;
  /// Of the rows, those without a value (or, of a numeric feature, without a number). Of lists the share of missing
  /// ones among all their values, where these are counted.
  double missing_share_before = 0;
  double missing_share_now = 0;
  bool is_numeric = false;  // then there are moments, and nothing else below
  NumericMoments moments_before;
  NumericMoments moments_now;

  std::uint64_t values_before = 0;  // distinct ones
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

  /// By how many standard deviations of before the mean of a numeric feature has moved: nothing where either side
  /// has no number, or the numbers of before were all the same and the mean is another.
  std::optional<double> mean_shift() const noexcept;
};

/// Every feature that is not ignored, in order; `most_values` of each of its lists. Both sets must be of one schema.
/// Cost: a pass over the hashes and counts of both, which are in one order; memory for the lists alone. `progress` is
/// given features where it says bytes, and values where it says rows, and may throw to stop the work. Throws
/// ConfigError where the schemas differ, and as open_table() does.
std::vector<FeatureChange> table_changes(const TableSet& before, const TableSet& now, std::size_t most_values,
                                         const ProgressCallback& progress = {});

}  // namespace widehash
