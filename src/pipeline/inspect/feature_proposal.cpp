#include "feature_proposal.hpp"

#include "shown_text.hpp"

#include <widehash/code.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

namespace widehash {
namespace {

// A linear model can distinguish fewer values of a feature than the feature has columns, and 4 sqrt(N)
// columns are few where every value is seen often. There a larger cardinality pays: the more rows, the larger,
// up to a separate bucket for nearly every value in each split. Measured on flights, InstEval, adult, a sample
// of Criteo and generated rows, on rows held out from training (docs/benchmarks.md, "columns for values that
// are seen often"). Where values are rare it does harm. `most_columns` keeps the weights of a feature within a
// core's cache.
constexpr double rows_per_value = 20;
constexpr double rows_per_column = 30;
constexpr double columns_per_value = 4;
constexpr double most_columns = 16384;
constexpr double most_values = 16000;

// A hashed number has nothing in common with its neighbours. Intervals provide that, in addition to the hash
// of each number or, where numbers with fractions are rare individually, instead of it: measured on tables of
// 330 to 262,000 rows (docs/benchmarks.md, "numbers in intervals").
constexpr double fewest_numbers = 17;
constexpr std::uint64_t rows_per_interval = 50;
constexpr std::size_t fewest_intervals = 4;
constexpr std::size_t most_intervals = 16;

// A part of a time is worth a feature only if each of its values was seen: for some days in May the month is
// always May. docs/benchmarks.md, "parts of times", has the gain.
constexpr int days_of_week = 7;
constexpr int months_of_year = 12;
constexpr int hours_of_day = 24;

constexpr double nearly_all = 0.9;
constexpr double fewest_unique = 1000;

constexpr const char* list_comment = "# lists; the separator is for text, where a field holds all values\n";

std::string text_list_comment(const ListCensus::Lists& lists) {
  return fmt::format(
      "# lists of about {:.0f} distinct items; without the separator each list is a value of its own\n",
      lists.distinct_items);
}

// Leaves room for values not yet seen.
std::uint64_t roomy_cardinality(double distinct) noexcept {
  // Up to 64 the width is 8 for any cardinality, so the count itself is the clearest.
  if (distinct <= 64) return static_cast<std::uint64_t>(std::max(1.0, distinct));
  const double roomy = distinct * 1.1;
  const double unit = std::pow(10.0, std::floor(std::log10(roomy)) - 1);
  return static_cast<std::uint64_t>(std::ceil(roomy / unit) * unit);
}

bool is_seen_often(double distinct, std::uint64_t rows) noexcept {
  return static_cast<double>(rows) >= rows_per_value * distinct;
}

std::string field_comment(const FieldReport& field, std::uint64_t rows) {
  std::string comment = fmt::format("# {}: {}{:.0f} distinct", field.type,
                                    field.distinct_is_exact ? "" : "about ", field.distinct);
  if (field.missing > 0 && rows > 0) {
    comment += fmt::format(", {:.1f} % missing",
                           100.0 * static_cast<double>(field.missing) / static_cast<double>(rows));
  }
  if (!field.examples.empty()) {
    comment += ", e.g.";
    for (const std::string& example : field.examples) comment += " " + shown(example);
  }
  return comment + "\n";
}

std::string interval_comment(const FieldReport& field, std::size_t intervals, bool is_hashed_too) {
  const std::string range = fmt::format("{} to {} in {} intervals with about the same number of rows each",
                                        field.minimum, field.maximum, intervals);
  if (is_hashed_too) return "# the same numbers, for what neighbours have in common: " + range + "\n";
  return "# " + range +
         "; for effects that grow evenly, add a feature with transform = \"standardize\" (with tables of "
         "widehash fit)\n";
}

// A number too large for float would make its row a bad row.
bool fits_float(const FieldReport& field) noexcept {
  constexpr double largest = std::numeric_limits<float>::max();
  return field.minimum >= -largest && field.maximum <= largest;
}

std::vector<double> interval_boundaries(const FieldCensus& census, const FieldReport& field) {
  const bool is_number = field.type == "number" || field.type == "integer";
  if (!is_number || census.holds_lists() || field.distinct < fewest_numbers || !fits_float(field)) return {};
  return census.number_sample().boundaries(proposed_intervals(census.numbers()));
}

FeatureProposal time_part_proposal(const FieldReport& field, TimePart part, std::uint64_t cardinality) {
  Feature feature;
  feature.name = fmt::format("{} {}", field.name, to_string(part));
  feature.fields = {field.name};
  feature.time_parts = {part};
  feature.cardinality = cardinality;
  return {std::move(feature), {}};
}

std::vector<FeatureProposal> time_proposals(const TimeCensus& times, const FieldReport& field,
                                            std::uint64_t rows, FeatureProposal whole) {
  const auto cardinality = [rows](int values) { return proposed_cardinality(values, rows); };
  std::vector<FeatureProposal> proposals;
  const bool has_hours = times.hours() > 1;
  if (has_hours) {
    whole.feature = {};
    whole.feature.name = field.name;
    whole.feature.fields = {field.name};
    whole.feature.encoding = Encoding::ignore;
    whole.comment += "# the whole time does not come again, so only its parts are features\n";
  }
  proposals.push_back(std::move(whole));
  if (has_hours) proposals.push_back(time_part_proposal(field, TimePart::hour, cardinality(hours_of_day)));
  if (times.weekdays() == days_of_week)
    proposals.push_back(time_part_proposal(field, TimePart::weekday, cardinality(days_of_week)));
  if (times.months() == months_of_year)
    proposals.push_back(time_part_proposal(field, TimePart::month, cardinality(months_of_year)));
  return proposals;
}

}  // namespace

std::uint64_t proposed_cardinality(double distinct, std::uint64_t rows) noexcept {
  const std::uint64_t roomy = roomy_cardinality(distinct);
  if (distinct > most_values || !is_seen_often(distinct, rows)) return roomy;
  const double columns = std::min({columns_per_value * static_cast<double>(roomy),
                                   static_cast<double>(rows) / rows_per_column, most_columns});
  const double width = std::ceil(columns / num_splits);
  return std::max(roomy, static_cast<std::uint64_t>(width * width));
}

std::size_t proposed_intervals(std::uint64_t numbers) noexcept {
  return std::clamp<std::uint64_t>(numbers / rows_per_interval, fewest_intervals, most_intervals);
}

bool is_nearly_unique(const FieldReport& field, std::uint64_t rows) noexcept {
  const auto values = static_cast<double>(rows - std::min(rows, field.missing));
  return values >= fewest_unique && field.distinct >= nearly_all * values;
}

std::vector<FeatureProposal> propose_features(const FieldCensus& census, const FieldReport& field,
                                              std::uint64_t rows) {
  std::vector<FeatureProposal> proposals;
  const std::vector<double> boundaries = interval_boundaries(census, field);
  // A whole number may name something; one with a fraction does not, and a value seen once teaches nothing.
  const bool is_rare_measure = field.type == "number" && !is_seen_often(field.distinct, rows);
  const bool is_hashed = boundaries.empty() || !(is_rare_measure || is_nearly_unique(field, rows));
  const std::string comment = field_comment(field, rows);
  if (is_hashed) {
    const auto lists = census.lists();
    const double distinct = lists ? std::round(lists->distinct_items) : field.distinct;
    Feature hashed;
    hashed.name = field.name;
    hashed.fields = {field.name};
    hashed.cardinality = proposed_cardinality(distinct + (field.missing > 0 ? 1 : 0), rows);
    if (census.holds_lists()) hashed.separator = "|";
    if (lists) hashed.separator = lists->separator;
    proposals.push_back({std::move(hashed), comment + (census.holds_lists() ? list_comment : "") +
                                                (lists ? text_list_comment(*lists) : "")});
  }
  if (census.holds_times() && !census.holds_lists())
    return time_proposals(census.times(), field, rows, std::move(proposals.front()));
  if (!boundaries.empty()) {
    Feature intervals;
    intervals.name = field.name + (is_hashed ? " interval" : "");
    intervals.fields = {field.name};
    intervals.encoding = Encoding::numeric;
    intervals.transform = NumericTransform::bucketize;
    intervals.boundaries = boundaries;
    proposals.push_back(
        {std::move(intervals),
         (is_hashed ? "" : comment) + interval_comment(field, boundaries.size() + 1, is_hashed)});
  }
  return proposals;
}

}  // namespace widehash
