#include "pulse.hpp"
#include "table_pass.hpp"

#include <widehash/cross.hpp>
#include <widehash/error.hpp>
#include <widehash/internal/largest_of.hpp>
#include <widehash/table_changes.hpp>
#include <widehash/threads.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace widehash {
namespace {

using detail::Pulse;
using detail::TablePass;

/// Iterates over a table from its first value to its last.
class Walk {
 public:
  explicit Walk(const LookupTable& table) : table_(table) {}

  bool is_done() const noexcept { return at_ == table_.num_values(); }
  void go_on() noexcept { ++at_; }
  std::uint64_t count() const noexcept { return table_.counts()[at_]; }
  TableEntry entry() const noexcept { return table_.entry(at_); }
  std::pair<std::uint64_t, std::uint64_t> hash() const noexcept {
    return {table_.hashes()[at_], table_.hashes_low().empty() ? 0 : table_.hashes_low()[at_]};
  }

 private:
  const LookupTable& table_;
  std::uint64_t at_ = 0;
};

/// Compares the current values of two tables in table order: negative if that of `a` comes first, 0 if they
/// are the same value, positive otherwise.
int order_of(const Walk& a, const Walk& b) noexcept {
  if (b.is_done()) return -1;
  if (a.is_done()) return 1;
  const auto hash_a = a.hash();
  const auto hash_b = b.hash();
  if (hash_a != hash_b) return hash_a < hash_b ? -1 : 1;
  return a.entry().value.compare(b.entry().value);
}

double share(std::uint64_t count, std::uint64_t all) noexcept {
  return all == 0 ? 0 : static_cast<double>(count) / static_cast<double>(all);
}

FeatureChange change_of(const LookupTable& before, const LookupTable& now, std::size_t most_values,
                        const Pulse& pulse) {
  FeatureChange change;
  change.feature = now.feature();
  change.values_before = before.num_values();
  change.values_now = now.num_values();
  change.count_before = before.total_count();
  change.count_now = now.total_count();
  detail::LargestOf<ValueChange> unseen(most_values);
  detail::LargestOf<ValueChange> changed(most_values);
  std::uint64_t unseen_count = 0;
  std::uint64_t gone_count = 0;
  double differences = 0;
  Walk then(before);
  Walk later(now);
  for (std::uint64_t value = 0; !then.is_done() || !later.is_done(); ++value) {
    detail::pulse_at(value, pulse);
    const int order = order_of(then, later);
    const std::uint64_t count_before = order <= 0 ? then.count() : 0;
    const std::uint64_t count_now = order >= 0 ? later.count() : 0;
    const TableEntry entry = order <= 0 ? then.entry() : later.entry();
    const double share_before = share(count_before, change.count_before);
    const double share_now = share(count_now, change.count_now);
    const auto make = [&] { return ValueChange{std::string(entry.value), count_before, count_now}; };
    if (order > 0) {
      ++change.unseen_values;
      unseen_count += count_now;
      unseen.offer(static_cast<double>(count_now), make);
    } else if (order < 0) {
      ++change.gone_values;
      gone_count += count_before;
    }
    const double difference = std::abs(share_now - share_before);
    differences += difference;
    if (difference > 0) changed.offer(difference, make);
    if (entry.value.empty()) {
      change.missing_share_before = share_before;
      change.missing_share_now = share_now;
    }
    if (order <= 0) then.go_on();
    if (order >= 0) later.go_on();
  }
  change.unseen_share = share(unseen_count, change.count_now);
  change.gone_share = share(gone_count, change.count_before);
  const bool has_one_side = (change.count_before == 0) != (change.count_now == 0);
  change.distance = has_one_side ? 1 : std::min(differences / 2, 1.0);
  change.unseen = unseen.take();
  change.most_changed = changed.take();
  return change;
}

/// The share of rows that were not counted, where each row was counted once or not at all.
double share_not_counted(std::uint64_t count, std::uint64_t rows) noexcept {
  return share(rows - std::min(count, rows), rows);
}

/// Sets what only the schema of the feature says: which rows have no value, and how a cross is shown.
void describe(FeatureChange& change, const Feature& feature, const TableSet& before, const TableSet& now) {
  if (feature.missing == Missing::skip) {
    const bool is_list = !feature.separator.empty();
    const auto missing = [&](std::uint64_t count, std::uint64_t rows) {
      return is_list ? std::nullopt : std::optional(share_not_counted(count, rows));
    };
    change.missing_share_before = missing(change.count_before, before.rows);
    change.missing_share_now = missing(change.count_now, now.rows);
  }
  if (!feature.is_cross()) return;
  for (auto* const values : {&change.unseen, &change.most_changed}) {
    for (ValueChange& one : *values)
      if (!one.value.empty())
        one.value = cross_text(one.value, one.count_now > 0 ? now.directory : before.directory);
  }
}

/// The change of a feature without a table; empty if neither set has a number of it.
std::optional<FeatureChange> number_change_of(const TableSet& before, const TableSet& now,
                                              std::size_t feature) {
  FeatureChange change;
  change.feature = now.items[feature].feature;
  change.is_numeric = true;
  change.moments_before = before.items[feature].moments;
  change.moments_now = now.items[feature].moments;
  if (change.moments_before.count == 0 && change.moments_now.count == 0) return std::nullopt;
  change.missing_share_before = share_not_counted(change.moments_before.count, before.rows);
  change.missing_share_now = share_not_counted(change.moments_now.count, now.rows);
  return change;
}

void require_one_schema(const TableSet& before, const TableSet& now) {
  if (before.schema_fingerprint == now.schema_fingerprint) return;
  const std::optional<Schema> there = schema_of(before);
  const std::optional<Schema> here = schema_of(now);
  throw ConfigError(fmt::format(
      "{} and {}: these tables have different schemas{}; count both with the same schema", before.directory,
      now.directory, there && here ? fmt::format(" ({})", describe_difference(*there, *here)) : ""));
}

/// The lists of tables come from files, and `schema` from another one.
void require_same_features(const TableSet& before, const TableSet& now, const std::optional<Schema>& schema) {
  const auto is_like = [](const TableSet::Item& a, const TableSet::Item& b) {
    return a.feature == b.feature && a.file.empty() == b.file.empty();
  };
  if (!std::ranges::equal(before.items, now.items, is_like) ||
      (schema && schema->features.size() != now.items.size()))
    throw DataError(
        now.directory, 0,
        fmt::format("lists other tables than {}, although the schema is the same; make both again",
                    before.directory));
}

}  // namespace

std::optional<double> FeatureChange::mean_shift() const noexcept {
  if (!is_numeric || moments_before.count == 0 || moments_now.count == 0) return std::nullopt;
  const double difference = moments_now.mean - moments_before.mean;
  if (difference == 0) return 0;
  if (!(moments_before.standard_deviation > 0)) return std::nullopt;
  return difference / moments_before.standard_deviation;
}

std::vector<FeatureChange> table_changes(const TableSet& before, const TableSet& now, std::size_t most_values,
                                         const ProgressCallback& progress) {
  require_one_schema(before, now);
  const std::optional<Schema> schema = schema_of(before);
  require_same_features(before, now, schema);
  std::vector<std::optional<FeatureChange>> of_features(now.items.size());
  std::vector<TablePass::Table> tables;
  for (std::size_t i = 0; i < now.items.size(); ++i) {
    if (now.items[i].file.empty()) {
      of_features[i] = number_change_of(before, now, i);
    } else {
      tables.push_back({i, before.items[i].num_values + now.items[i].num_values});
    }
  }
  TablePass pass(progress, now.items.size(), tables.size());
  pass.run(std::move(tables), current_threads(), [&](std::size_t i) {
    FeatureChange change = change_of(open_table(before, i), open_table(now, i), most_values, pass.pulse());
    if (schema) describe(change, schema->features[i], before, now);
    of_features[i] = std::move(change);
  });

  std::vector<FeatureChange> changes;
  for (std::optional<FeatureChange>& change : of_features) {
    if (change) changes.push_back(std::move(*change));
  }
  return changes;
}

}  // namespace widehash
