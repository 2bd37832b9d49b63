#include "code_groups.hpp"
#include "pulse.hpp"
#include "table_pass.hpp"

#include <widehash/audit.hpp>
#include <widehash/cross.hpp>
#include <widehash/error.hpp>
#include <widehash/internal/file_names.hpp>
#include <widehash/internal/head_values.hpp>
#include <widehash/schema.hpp>
#include <widehash/threads.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace widehash {
namespace {

using detail::CodeGroup;

constexpr std::size_t max_examples = 8;
constexpr std::size_t max_example_values = 8;
constexpr std::size_t max_example_bytes = std::size_t{64} << 10;
constexpr std::uint64_t min_memory_bytes = std::uint64_t{64} << 10;

using detail::Pulse;
using detail::pulse_at;
using detail::TablePass;

double pairs(double n) { return n > 1 ? n * (n - 1) / 2 : 0; }
std::uint64_t pairs(std::uint64_t n) { return n % 2 == 0 ? n / 2 * (n - 1) : (n - 1) / 2 * n; }

/// Probabilities of the buckets when one of `range` equally likely numbers is reduced mod `width`. The first
/// (range mod width) buckets receive one number more than the others.
struct BucketOdds {
  BucketOdds(double range, std::uint32_t width_in)
      : width(width_in),
        num_likelier(static_cast<std::uint64_t>(std::fmod(range, width_in))),
        low(std::floor(range / width_in) / range),
        high(num_likelier > 0 ? (std::floor(range / width_in) + 1) / range : low) {}

  double of(std::uint64_t bucket) const { return bucket < num_likelier ? high : low; }
  double sum_of_squares() const {
    return static_cast<double>(num_likelier) * high * high +
           static_cast<double>(width - num_likelier) * low * low;
  }
  /// sum p^3 - (sum p^2)^2, computed as the variance of p under p: subtracting the two sums would lose all
  /// digits.
  double variance() const {
    const double mean = sum_of_squares();
    return static_cast<double>(num_likelier) * high * (high - mean) * (high - mean) +
           static_cast<double>(width - num_likelier) * low * (low - mean) * (low - mean);
  }

  std::uint64_t width;
  std::uint64_t num_likelier;
  double low;
  double high;
};

/// Standard deviation of the number of pairs, among n values, that share a bucket. Two pairs with a value in
/// common are correlated if some buckets are likelier than others.
double pairs_deviation(double n, const BucketOdds& odds) {
  const double share = odds.sum_of_squares();
  return std::sqrt(pairs(n) * (share - share * share) +
                   2 * pairs(n) * std::max(n - 2, 0.0) * odds.variance());
}

/// The values of a feature that share columns, and the codes that its encoding gives them. For one_hot, these
/// are not the codes stored in the file.
class Codes {
 public:
  Codes(const LookupTable& table, const Feature* feature)
      : table_(table),
        has_head_(feature != nullptr && feature->encoding == Encoding::exact),
        one_hot_(table.encoding() == Encoding::one_hot),
        one_hot_hashes_(table.hash_kind() == HashKind::xxh3_128 ? table.hashes_low() : table.hashes()) {
    if (has_head_) tail_ = all_but(head_values(table, *feature), table.num_values());
  }

  std::uint64_t num_values() const { return has_head_ ? tail_.size() : table_.num_values(); }
  /// The position of a value in the table.
  std::uint64_t place(std::uint64_t index) const { return has_head_ ? tail_[index] : index; }
  std::uint64_t count(std::uint64_t index) const { return table_.counts()[place(index)]; }
  TableEntry entry(std::uint64_t index) const { return table_.entry(place(index)); }

  int num_splits() const { return one_hot_ ? 1 : widehash::num_splits; }
  std::uint32_t width() const {
    return one_hot_ ? static_cast<std::uint32_t>(table_.buckets()) : table_.width();
  }
  BucketOdds odds() const {
    if (one_hot_) return {std::exp2(64), width()};
    return {table_.hash_kind() == HashKind::xxh64 ? std::exp2(16) : std::exp2(32), width()};
  }

  std::uint32_t bucket(std::uint64_t index, int split) const {
    const std::uint64_t at = place(index);
    if (one_hot_) return one_hot(one_hot_hashes_[at], width());
    return table_.codes()[at * widehash::num_splits + static_cast<std::uint64_t>(split)];
  }
  Buckets code(std::uint64_t index) const {
    Buckets result{};
    for (int k = 0; k < num_splits(); ++k) result[static_cast<std::size_t>(k)] = bucket(index, k);
    return result;
  }

  void check(const Pulse& pulse) const {
    for (std::uint64_t i = 0; i < num_values(); ++i) {
      pulse_at(i, pulse);
      for (int k = 0; k < num_splits(); ++k) {
        if (bucket(i, k) < width()) continue;
        throw DataError(
            table_.file().path(), place(i) + 1,
            fmt::format("bucket {} of the value's code is {}, but the width is {}; rebuild the tables", k,
                        bucket(i, k), width()));
      }
    }
  }

 private:
  static std::vector<std::uint64_t> all_but(std::vector<std::uint64_t> left_out, std::uint64_t num_values) {
    std::ranges::sort(left_out);
    std::vector<std::uint64_t> rest;
    rest.reserve(num_values - left_out.size());
    auto next = left_out.begin();
    for (std::uint64_t i = 0; i < num_values; ++i) {
      if (next != left_out.end() && *next == i) {
        ++next;
      } else {
        rest.push_back(i);
      }
    }
    return rest;
  }

  const LookupTable& table_;
  bool has_head_;                    // exact: audits only the values without a column of their own
  std::vector<std::uint64_t> tail_;  // positions of those values in the table
  bool one_hot_;
  std::span<const std::uint64_t> one_hot_hashes_;
};

/// Counts the bucket loads of one split, one range of buckets at a time.
SplitAudit audit_split(const Codes& codes, int split, std::uint64_t memory_bytes, const Pulse& pulse) {
  SplitAudit audit;
  const BucketOdds odds = codes.odds();
  const std::uint64_t num_values = codes.num_values();
  const auto n = static_cast<double>(num_values);
  const std::uint64_t range = std::min<std::uint64_t>(memory_bytes / sizeof(std::uint64_t), odds.width);
  std::vector<std::uint64_t> loads(static_cast<std::size_t>(range));
  for (std::uint64_t begin = 0; begin < odds.width; begin += range) {
    const std::uint64_t end = std::min<std::uint64_t>(begin + range, odds.width);
    std::fill(loads.begin(), loads.end(), 0);
    for (std::uint64_t i = 0; i < num_values; ++i) {
      pulse_at(i, pulse);
      const std::uint64_t bucket = codes.bucket(i, split);
      if (bucket >= begin && bucket < end) ++loads[bucket - begin];
    }
    for (std::uint64_t bucket = begin; bucket < end; ++bucket) {
      const std::uint64_t load = loads[bucket - begin];
      audit.used_buckets += load > 0 ? 1 : 0;
      audit.fullest_bucket = std::max(audit.fullest_bucket, load);
      audit.sharing_pairs += pairs(static_cast<double>(load));
      const double expected = n * odds.of(bucket);
      const double difference = static_cast<double>(load) - expected;
      if (expected > 0) audit.chi_square += difference * difference / expected;
    }
  }
  return audit;
}

bool more_frequent(const CodeGroup& a, const CodeGroup& b) {
  return a.total_count != b.total_count ? a.total_count > b.total_count : a.code < b.code;
}

/// The most frequent values of each given code, as text.
std::vector<std::vector<std::string>> collect_examples(const Codes& codes,
                                                       const std::vector<CodeGroup>& groups,
                                                       const Pulse& pulse) {
  struct Seen {
    std::uint64_t count;
    std::uint64_t index;
    bool operator<(const Seen& other) const {
      return count != other.count ? count > other.count : index < other.index;
    }
  };
  std::vector<std::vector<Seen>> seen(groups.size());
  for (std::uint64_t i = 0; i < codes.num_values() && !groups.empty(); ++i) {
    pulse_at(i, pulse);
    const Buckets code = codes.code(i);
    for (std::size_t g = 0; g < groups.size(); ++g) {
      if (groups[g].code != code) continue;
      const TableEntry entry = codes.entry(i);
      if (entry.value.size() > max_example_bytes) break;
      auto& best = seen[g];
      best.insert(std::upper_bound(best.begin(), best.end(), Seen{entry.count, i}), Seen{entry.count, i});
      if (best.size() > max_example_values) best.pop_back();
      break;
    }
  }
  std::vector<std::vector<std::string>> examples(groups.size());
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (const Seen& value : seen[g]) examples[g].emplace_back(codes.entry(value.index).value);
  }
  return examples;
}

/// Throws ConfigError if a feature is encoded as exact: only its schema says which of its values have columns
/// of their own.
void require_no_exact(const TableSet& set) {
  for (std::size_t i = 0; i < set.items.size(); ++i) {
    if (set.items[i].file.empty() || open_table(set, i).encoding() != Encoding::exact) continue;
    throw ConfigError(
        fmt::format("{}: the schema these tables were made with is missing or was altered; without it, there "
                    "is no telling which values of '{}' have columns of their own: restore it",
                    in_folder(set.directory, schema_name), set.items[i].feature));
  }
}

/// Memory with which a table of so many values is audited without additional passes.
std::uint64_t most_memory(std::uint64_t num_values) {
  // The loads of a split take less, except of one-hot features planned for more buckets than there is memory.
  return std::max(num_values * sizeof(CodeGroup), min_memory_bytes);
}

}  // namespace

FeatureAudit audit_table(const LookupTable& table, std::uint64_t memory_bytes, const Feature* feature,
                         const Pulse& pulse) {
  memory_bytes = std::max(memory_bytes, min_memory_bytes);
  const Codes codes(table, feature);
  codes.check(pulse);
  const BucketOdds odds = codes.odds();
  const auto n = static_cast<double>(codes.num_values());

  FeatureAudit audit;
  audit.feature = table.feature();
  audit.encoding = table.encoding();
  audit.num_splits = codes.num_splits();
  audit.num_values = codes.num_values();
  audit.head_values = table.num_values() - codes.num_values();
  audit.cardinality = table.cardinality();
  audit.width = codes.width();
  audit.load = table.cardinality() == 0 ? 0 : n / static_cast<double>(table.cardinality());
  audit.modulo_bias = odds.high / odds.low - 1;
  audit.expected_bucket_pairs = pairs(n) * odds.sum_of_squares();
  audit.bucket_pairs_deviation = pairs_deviation(n, odds);
  audit.expected_code_pairs = pairs(n) * std::pow(odds.sum_of_squares(), codes.num_splits());
  const double fullest =
      n * odds.high + std::sqrt(2 * n * odds.high * std::log(static_cast<double>(odds.width)));
  audit.expected_fullest_bucket = n > 0 ? std::max(fullest, 1.0) : 0;

  std::vector<CodeGroup> most_frequent;
  detail::for_each_code_group(
      codes.num_values(), memory_bytes,
      [&](std::uint64_t i) {
        pulse_at(i, pulse);
        return CodeGroup{codes.code(i), 1, codes.count(i)};
      },
      [&](const CodeGroup& group) {
        if (group.num_values < 2) return;
        audit.code_pairs += pairs(group.num_values);
        audit.colliding_values += group.num_values;
        most_frequent.insert(
            std::upper_bound(most_frequent.begin(), most_frequent.end(), group, more_frequent), group);
        if (most_frequent.size() > max_examples) most_frequent.pop_back();
      });
  audit.examples = collect_examples(codes, most_frequent, pulse);
  for (int k = 0; k < codes.num_splits(); ++k) {
    SplitAudit& split = audit.splits[static_cast<std::size_t>(k)];
    split = audit_split(codes, k, memory_bytes, pulse);
    audit.free_directions += split.used_buckets - (k > 0 && split.used_buckets > 0 ? 1 : 0);
  }
  audit.free_directions = std::min(audit.free_directions, audit.num_values);
  return audit;
}

std::vector<FeatureAudit> audit_tables(const TableSet& set, std::uint64_t memory_bytes,
                                       const ProgressCallback& progress) {
  const std::optional<Schema> schema = schema_of(set);
  if (!schema) require_no_exact(set);
  // Tables that fit in one thread's part of the memory are audited side by side. The others would need more
  // passes there, so each of them gets all of the memory.
  const auto num_tables = static_cast<std::size_t>(
      std::ranges::count_if(set.items, [](const TableSet::Item& item) { return !item.file.empty(); }));
  const std::size_t at_once = std::clamp<std::size_t>(num_tables, 1, current_threads());
  const std::uint64_t part_bytes = memory_bytes / at_once;
  std::vector<TablePass::Table> small;
  std::vector<TablePass::Table> large;
  for (std::size_t i = 0; i < set.items.size(); ++i) {
    const TableSet::Item& item = set.items[i];
    if (!item.file.empty())
      (most_memory(item.num_values) <= part_bytes ? small : large).push_back({i, item.num_values});
  }
  std::vector<std::optional<FeatureAudit>> of_features(set.items.size());
  TablePass pass(progress, set.items.size(), num_tables);
  const auto audit = [&](std::size_t i, std::uint64_t memory) {
    const Feature* const feature = schema ? &schema->features[i] : nullptr;
    const LookupTable table = open_table(set, i);
    FeatureAudit found = audit_table(table, memory, feature, pass.pulse());
    if (feature != nullptr && feature->is_cross()) {
      for (auto& group : found.examples) {
        for (std::string& value : group) value = cross_text(value, table.file().path());
      }
    }
    of_features[i] = std::move(found);
  };
  pass.run(std::move(large), 1, [&](std::size_t i) { audit(i, memory_bytes); });
  pass.run(std::move(small), at_once, [&](std::size_t i) { audit(i, part_bytes); });

  std::vector<FeatureAudit> audits;
  for (std::optional<FeatureAudit>& found : of_features) {
    if (found) audits.push_back(std::move(*found));
  }
  return audits;
}

}  // namespace widehash
