#pragma once

/// \file
/// Collisions that hashing causes within a feature, of whole codes and of single buckets: the expected and
/// the actual numbers.
///
/// With n values, widths m and bucket probabilities p_b (b = 0..m-1; a 16-bit split reduced mod m gives
/// p_b = floor or ceil of 65536 / m, over 65536):
///
///     expected pairs sharing a whole code     n (n - 1) / 2 * (sum_b p_b^2)^4
///     expected pairs sharing bucket k         n (n - 1) / 2 * sum_b p_b^2
///     their standard deviation, where P_k = sum_b p_b^k
///                                             sqrt(n (n - 1) / 2 * (P_2 - P_2^2) + n (n - 1) (n - 2) * (P_3 - P_2^2))
///     expected values in the fullest bucket   about n p + sqrt(2 n p ln m), p = max p_b; 1 at least
///     modulo bias                             max p_b / min p_b - 1
///
/// A one_hot feature has a single bucket, h mod B, as its code. The same formulas apply, with m = B, one
/// split and power 1.

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
  std::uint64_t fullest_bucket = 0;  // number of values in it
  double sharing_pairs = 0;          // pairs of values that share a bucket, exact
  /// Chi-square statistic of the bucket loads against n p_b. With many values per bucket it follows the
  /// chi-square distribution with m - 1 degrees of freedom. With few it is far wider, so judge() uses
  /// `sharing_pairs` instead.
  double chi_square = 0;
};

struct FeatureAudit {
  std::string feature;
  Encoding encoding = Encoding::four_split;
  int num_splits = 0;            // splits that make up the code: 4; 1 for one_hot
  std::uint64_t num_values = 0;  // values that share columns
  /// Values of an exact feature that have a column of their own. No figure below includes them.
  std::uint64_t head_values = 0;
  std::uint64_t cardinality = 0;
  std::uint32_t width = 0;  // m; B for one_hot
  double load = 0;          // num_values / cardinality; above 1: planned too small; 0: no plan
  double modulo_bias = 0;
  double expected_code_pairs = 0;
  std::uint64_t code_pairs = 0;        // pairs of values that share all buckets
  std::uint64_t colliding_values = 0;  // values that share all buckets with another value
  /// The most independent weights that a linear model can give the values: one for each bucket in use less one
  /// for each split but the first, since every value sets one bucket of each. At most 4m - 3, and num_values.
  std::uint64_t free_directions = 0;
  double expected_bucket_pairs = 0;   // per split
  double bucket_pairs_deviation = 0;  // standard deviation by chance
  double expected_fullest_bucket = 0;
  std::array<SplitAudit, widehash::num_splits> splits{};  // only the first num_splits are used
  /// Up to eight groups of values that share a whole code, most frequent first, each with up to eight values,
  /// most frequent first. Values above 64 KiB are left out. audit_table() gives the value of a cross as it
  /// was hashed (cross.hpp), audit_tables() gives it as cross_text() shows it.
  std::vector<std::vector<std::string>> examples;
};

/// Audits one lookup table. Makes as many passes over the table as `memory_bytes` (at least 64 KiB) requires;
/// the result does not depend on it. `feature` separates the head of an exact feature from its tail, which
/// takes another 8 bytes of memory per value. Without it, all values are assumed to be hashed. Calls `pulse`
/// now and then; `pulse` may throw to stop the audit. Throws DataError if a code does not fit the width,
/// which means that the file was altered.
///
/// Time: O(n log n). Memory: at most `memory_bytes`, plus the mapping and the examples.
FeatureAudit audit_table(const LookupTable& table, std::uint64_t memory_bytes,
                         const Feature* feature = nullptr, const std::function<void()>& pulse = {});

/// Audits every feature of a set that has a lookup table, in order. The set's schema.toml, if present,
/// determines which features are crosses and what the heads of exact features are. `progress` gets features
/// in place of bytes and values in place of rows. It is called within a large table too, so that it can stop
/// the work quickly. Tables that fit in one thread's part of `memory_bytes` are audited side by side. Throws
/// like open_table(), and ConfigError if the set has an exact feature and its schema is missing or was
/// altered.
std::vector<FeatureAudit> audit_tables(const TableSet& set, std::uint64_t memory_bytes,
                                       const ProgressCallback& progress = {});

}  // namespace widehash
