#pragma once

/// \file
/// What hashing costs a feature: collisions of whole codes and of single buckets, expected beside seen.
///
/// With n values, widths m and bucket probabilities p_b (b = 0..m-1; a 16-bit split reduced mod m gives
/// p_b = floor or ceil of 65536 / m, over 65536):
///
///     expected pairs sharing a whole code     n (n - 1) / 2 * (sum_b p_b^2)^4
///     expected pairs sharing bucket k         n (n - 1) / 2 * sum_b p_b^2
///     deviation of these, where P_k = sum_b p_b^k
///                                             sqrt(n (n - 1) / 2 * (P_2 - P_2^2) + n (n - 1) (n - 2) * (P_3 - P_2^2))
///     expected values in the fullest bucket   about n p + sqrt(2 n p ln m), p = max p_b; 1 at least
///     modulo bias                             max p_b / min p_b - 1
///
/// A one_hot feature has one bucket, h mod B, for its code: the same formulas with m = B, one split and
/// power 1.

#include <widehash/code.hpp>
#include <widehash/lookup_table.hpp>
#include <widehash/progress.hpp>
#include <widehash/table_set.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace widehash {

struct SplitAudit {
  std::uint64_t used_buckets = 0;
  std::uint64_t fullest_bucket = 0;  // values in it
  double sharing_pairs = 0;          // pairs of values with the same bucket, exact
  /// Of bucket loads against n p_b. With many values to a bucket it has the distribution of m - 1 degrees of
  /// freedom; with few it is far wider, so judge() goes by `sharing_pairs`.
  double chi_square = 0;
};

struct FeatureAudit {
  std::string feature;
  Encoding encoding = Encoding::four_split;
  int num_splits = 0;            // splits that make the code: 4; 1 for one_hot
  std::uint64_t num_values = 0;  // that share columns
  std::uint64_t head_values =
      0;  // of an exact feature, with a column of their own: no figure below is of them
  std::uint64_t cardinality = 0;
  std::uint32_t width = 0;  // m; B for one_hot
  double load = 0;          // num_values / cardinality: above 1 the plan was too small; 0: there was no plan
  double modulo_bias = 0;
  double expected_code_pairs = 0;
  std::uint64_t code_pairs = 0;        // pairs of values that share all buckets
  std::uint64_t colliding_values = 0;  // values that share theirs with another
  double expected_bucket_pairs = 0;    // for one split
  double bucket_pairs_deviation = 0;   // the standard one, by chance
  double expected_fullest_bucket = 0;
  std::array<SplitAudit, widehash::num_splits> splits{};  // the first num_splits of them
  /// Up to eight groups of values that share a whole code, most frequent first; of each up to eight values,
  /// likewise. Values above 64 KiB are left out. A value of a cross is as it was hashed (cross.hpp), or from
  /// audit_tables() as cross_text() shows it.
  std::vector<std::vector<std::string>> examples;
};

/// Reads the table in as many passes as `memory_bytes` (at least 64 KiB) demand; the result does not depend
/// on it. Cost: O(n log n) time. Memory: at most `memory_bytes` beside the mapping and the examples. Throws
/// DataError where a code does not fit the width: the file was altered. `feature` tells the head of an exact
/// feature from its tail (another 8 bytes a value of memory); without it all values are taken for hashed.
/// Calls `pulse` now and then, which may throw to stop it.
FeatureAudit audit_table(const LookupTable& table, std::uint64_t memory_bytes,
                         const Feature* feature = nullptr, const std::function<void()>& pulse = {});

/// The same of every feature of a set that has a table, in order. Which are crosses, and what heads exact
/// ones have, the set's schema.toml tells, where it is there. `progress` is given features where it says
/// bytes, and values where it says rows, and is called within a large table too, so that it may stop the work
/// soon. Throws as open_table() does.
std::vector<FeatureAudit> audit_tables(const TableSet& set, std::uint64_t memory_bytes,
                                       const ProgressCallback& progress = {});

}  // namespace widehash
