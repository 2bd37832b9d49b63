#include "schema_proposal.hpp"

#include "feature_proposal.hpp"
#include "field_notes.hpp"
#include "label_proposal.hpp"
#include "shown_text.hpp"

#include <widehash/code.hpp>
#include <widehash/error.hpp>
#include <widehash/internal/utf8.hpp>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace widehash {
namespace {

/// Whether the field holds numbers or times, among which a text such as NA means missing.
bool is_typed(const FieldCensus& field) noexcept { return field.holds_numbers() || field.holds_times(); }

/// Proposes the texts that stand for missing numbers and times. They apply to every field of the schema, so the
/// note names the other fields in which they occur.
void propose_missing_values(const std::vector<FieldCensus>& census, const FieldRoles& roles,
                            InspectReport& report) {
  std::vector<std::string> typed;
  bool are_numbers = true;
  std::vector<std::string> texts;
  std::vector<std::string> markers;
  std::uint64_t rows = 0;
  for (const FieldCensus& field : census) {
    if (!roles.is_feature(field.name()) || !is_typed(field)) continue;
    bool has_markers = false;
    for (std::size_t i = 0; i < missing_markers.size(); ++i) {
      if (field.rows_with_marker(i) == 0) continue;
      has_markers = true;
      rows += field.rows_with_marker(i);
      const std::string text(missing_markers[i]);
      if (std::ranges::find(markers, text) == markers.end()) markers.push_back(text);
    }
    if (!has_markers) continue;
    typed.push_back(field.name());
    are_numbers = are_numbers && field.holds_numbers();
  }
  if (markers.empty()) return;
  for (const FieldCensus& field : census) {
    if (!roles.is_feature(field.name()) || is_typed(field)) continue;
    const auto is_listed = [&](const auto& value) {
      return std::ranges::find(markers, value.value) != markers.end();
    };
    if (std::ranges::any_of(field.values(), is_listed)) texts.push_back(field.name());
  }
  report.notes.push_back(fmt::format(
      "missing_values has \"{}\", seen among the {} of {} ({} values); it applies to every field{}",
      fmt::join(markers, "\", \""), are_numbers ? "numbers" : "numbers and times", named_fields(typed), rows,
      texts.empty()
          ? ""
          : fmt::format(", including {}, where it may be a value: missing_values = [] in a feature keeps it",
                        named_fields(texts))));
  report.schema.missing_values = std::move(markers);
}

/// Chooses the wider hash if a feature has more values than four 16-bit splits allow.
void choose_hash(InspectReport& report) {
  const auto largest = std::ranges::max_element(report.schema.features, {}, &Feature::cardinality);
  if (largest == report.schema.features.end() || largest->cardinality <= max_cardinality_xxh64) return;
  report.schema.hash = HashKind::xxh3_128;
  report.notes.push_back(fmt::format(
      "'{}' may have more than the 2^32 values that xxh64 can split, so hash = \"xxh3_128\"", largest->name));
}

void propose_weight(const FieldCensus& census, InspectReport& report) {
  const FieldReport field = census.report();
  if (field.type != "empty" && !census.holds_numbers()) {
    throw ConfigError(fmt::format(
        "'{}' cannot be the weight, since it holds text such as {}; weights are numbers of at least 0",
        field.name, field.examples.empty() ? "" : shown(field.examples.front())));
  }
  report.schema.weight = field.name;
  std::string note = fmt::format("weight '{}': {} to {}", field.name, field.minimum, field.maximum);
  if (field.minimum < 0 || field.missing > 0)
    note += "; rows whose weight is missing or below 0 are bad rows";
  report.notes.push_back(std::move(note));
}

[[noreturn]] void throw_no_features(const InspectReport& report) {
  throw ConfigError(fmt::format("no field is left to be a feature{}{}", report.notes.empty() ? "" : ": ",
                                fmt::join(report.notes, "; ")));
}

/// Renames derived features such as "age interval" if a field of that name is a feature too.
void make_names_unique(std::vector<Feature>& features) {
  std::unordered_set<std::string> names;
  for (const Feature& feature : features)
    if (feature.name == feature.fields[0]) names.insert(feature.name);
  for (Feature& feature : features) {
    if (feature.name == feature.fields[0]) continue;
    while (!names.insert(feature.name).second) feature.name += "_";
  }
}

}  // namespace

bool FieldRoles::is_feature(std::string_view field) const noexcept {
  return !field.empty() && field != label && field != weight;
}

void FieldRoles::check() const {
  if (!label.empty() && label == weight)
    throw ConfigError(fmt::format("'{}' cannot be both the label and the weight; choose one of them", label));
}

void propose_schema(const DialectGuess& guess, const FieldRoles& roles,
                    const std::vector<FieldCensus>& census, InspectReport& report) {
  Schema& schema = report.schema;
  schema.format = guess.is_tsv() ? Format::tsv : Format::csv;
  schema.delimiter = guess.dialect.delimiter;
  schema.quote = guess.dialect.quote;
  schema.trim = guess.dialect.trim;
  schema.header = guess.has_header;
  // `fields` cannot hold a name that the header leaves empty.
  const bool all_named = std::find(guess.fields.begin(), guess.fields.end(), "") == guess.fields.end();
  if (all_named) schema.fields = guess.fields;
  for (FieldReport& field : report.fields) field.is_nearly_unique = is_nearly_unique(field, report.rows);
  std::vector<std::string> comments;
  for (std::size_t i = 0; i < report.fields.size(); ++i) {
    const FieldReport& field = report.fields[i];
    if (field.name.empty()) {
      report.notes.push_back(
          fmt::format("field {} has no name in the header, like the row numbers that pandas writes, and is "
                      "left out; name it there to use it",
                      i + 1));
      continue;
    }
    if (field.name == roles.weight) {
      propose_weight(census[i], report);
      continue;
    }
    if (field.name == roles.label) {
      LabelProposal proposal = propose_label(census[i]);
      schema.label = std::move(proposal.label);
      report.notes.insert(report.notes.end(), proposal.notes.begin(), proposal.notes.end());
      continue;
    }
    for (FeatureProposal& proposal : propose_features(census[i], field, report.rows)) {
      schema.features.push_back(std::move(proposal.feature));
      comments.push_back(std::move(proposal.comment));
    }
  }
  if (schema.features.empty()) throw_no_features(report);
  make_names_unique(schema.features);
  propose_missing_values(census, roles, report);
  add_field_notes(census, roles, report);
  choose_hash(report);
  check_schema(schema, "the proposed schema");

  const std::string toml = to_toml(schema);
  std::string& out = report.schema_toml;
  out =
      "# Proposed from the data: edit it, then freeze it. A cardinality is a plan: leave room for values yet "
      "to come.\n# Where it is far above the count, every value is seen often and is worth more columns.\n";
  for (const std::string& note : report.notes) out += "# " + printable(note, note.size()) + "\n";
  constexpr std::string_view heading = "\n[[feature]]\n";
  std::size_t begin = 0;
  for (const std::string& comment : comments) {
    // A name may contain "[[feature]]", but within quotes it has no line ends around it.
    const std::size_t at = toml.find(heading, begin) + 1;
    out += toml.substr(begin, at - begin) + comment;
    begin = at;
  }
  out += toml.substr(begin);
}

}  // namespace widehash
