#include <widehash/audit_verdict.hpp>
#include <widehash/code.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace widehash {
namespace {

// Six standard deviations: with good hashing, about one feature in a billion is flagged by chance. Where
// colliding pairs are few, their number has a Poisson distribution; the constant covers expectations near 0.
constexpr double deviations = 6;
constexpr double rare_pairs = 5;

bool are_too_many(double pairs, double expected, double deviation) {
  return pairs > expected + deviations * deviation + rare_pairs;
}

bool has_too_many_code_pairs(const FeatureAudit& audit) {
  return are_too_many(static_cast<double>(audit.code_pairs), audit.expected_code_pairs,
                      std::sqrt(audit.expected_code_pairs));
}

bool is_uneven(const FeatureAudit& audit) {
  return std::ranges::any_of(audit.splits, [&](const SplitAudit& split) {
    return are_too_many(split.sharing_pairs, audit.expected_bucket_pairs, audit.bucket_pairs_deviation);
  });
}

/// Whether raising the planned cardinality to the number of values would add columns (cardinality 64 gives
/// the same columns as 1). Always false if `buckets` sets the number of columns.
bool is_planned_too_small(const FeatureAudit& audit) {
  if (audit.cardinality == 0) return false;
  const auto columns = [&](std::uint64_t cardinality) {
    const std::uint64_t width = split_width(cardinality);
    return audit.encoding == Encoding::one_hot ? num_splits * width : width;
  };
  return columns(audit.cardinality) == audit.width && columns(audit.num_values) > audit.width;
}

/// For a feature with only `buckets` set: the default number of buckets for its number of values, if that is
/// larger than its own; otherwise 0.
std::uint64_t buckets_wanted(const FeatureAudit& audit) {
  if (audit.encoding != Encoding::one_hot || audit.cardinality != 0) return 0;
  const std::uint64_t wanted = num_splits * std::uint64_t{split_width(audit.num_values)};
  return wanted > audit.width ? wanted : 0;
}

}  // namespace

Verdict judge(const FeatureAudit& audit) {
  if (audit.num_values == 0)
    return {true, audit.head_values == 0 ? "no values" : "as expected: every value has a column of its own"};
  if (is_planned_too_small(audit)) {
    return {false,
            fmt::format("more values than planned: raise cardinality to {} or more{}", audit.num_values,
                        audit.num_values > max_cardinality_xxh64 ? ", with hash = \"xxh3_128\"" : "")};
  }
  if (const std::uint64_t buckets = buckets_wanted(audit); buckets > 0) {
    return {false, fmt::format("{:.3g} values per bucket: raise buckets to {}, the default for {} values",
                               static_cast<double>(audit.num_values) / static_cast<double>(audit.width),
                               buckets, audit.num_values)};
  }
  if (has_too_many_code_pairs(audit)) return {false, "more whole-code collisions than chance explains"};
  if (is_uneven(audit)) return {false, "buckets are filled less evenly than chance explains"};
  if (audit.encoding == Encoding::one_hot && audit.num_values > audit.width) {
    return {true, fmt::format("as expected: {:.3g} values per column, which no model can tell apart",
                              static_cast<double>(audit.num_values) / static_cast<double>(audit.width))};
  }
  return {true, "as expected"};
}

}  // namespace widehash
