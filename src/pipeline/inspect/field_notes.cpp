#include "field_notes.hpp"

#include "encode/target_parser.hpp"
#include "feature_proposal.hpp"
#include "shown_text.hpp"

#include <widehash/internal/ascii.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace widehash {
namespace {

/// Names fields that measure something but are hashed because of the way they are written.
void note_other_writing(const std::vector<FieldCensus>& census, const FieldRoles& roles,
                        InspectReport& report) {
  for (std::size_t i = 0; i < census.size(); ++i) {
    const FieldReport& field = report.fields[i];
    if (!roles.is_feature(field.name) || field.other_writing.empty() || census[i].holds_lists()) continue;
    const bool are_times = census[i].other_writing().holds_times();
    report.notes.push_back(fmt::format(
        "'{}' holds {}, so it is hashed as text: {}", field.name, field.other_writing,
        are_times ? "to make features of its parts, add time_part = \"hour\", \"weekday\" or \"month\" too"
                  : "if it measures something, write plain numbers with a decimal point and use encoding = "
                    "\"numeric\""));
  }
}

/// Names fields of numbers that are hashed as text because a few of their values are not numbers.
void note_texts_among_numbers(const std::vector<FieldCensus>& census, const FieldRoles& roles,
                              InspectReport& report) {
  for (std::size_t i = 0; i < census.size(); ++i) {
    const FieldReport& field = report.fields[i];
    if (!roles.is_feature(field.name) || field.texts_among_numbers.empty() || !field.other_writing.empty())
      continue;
    std::vector<std::string> texts;
    for (const std::string& text : field.texts_among_numbers) texts.push_back(shown_quoted(text));
    if (std::ranges::any_of(field.texts_among_numbers, is_with_decimal_comma)) {
      report.notes.push_back(
          fmt::format("'{}' holds {} numbers, but also {}: numbers need a decimal point, so with commas it "
                      "is hashed as text; write points instead",
                      field.name, census[i].numbers(), fmt::join(texts, ", ")));
      continue;
    }
    report.notes.push_back(fmt::format(
        "'{0}' holds {1} numbers, but also {2}, so it is hashed as text: if it measures something, "
        "missing_values = [{2}] makes these missing and the field fit for encoding = \"numeric\"",
        field.name, census[i].numbers(), fmt::join(texts, ", ")));
  }
}

/// The same for times.
void note_texts_among_times(const std::vector<FieldCensus>& census, const FieldRoles& roles,
                            InspectReport& report) {
  for (const FieldCensus& field : census) {
    const std::vector<std::string> others = field.times().others();
    if (!roles.is_feature(field.name()) || field.holds_lists() || others.empty()) continue;
    std::vector<std::string> texts;
    texts.reserve(others.size());
    for (const std::string& text : others) texts.push_back(shown_quoted(text));
    report.notes.push_back(fmt::format(
        "'{0}' holds {1} times, but also {2}, so it is hashed as text: missing_values = [{2}] in a feature "
        "makes these missing and the field fit for time_part = \"hour\", \"weekday\" or \"month\"",
        field.name(), field.times().times(), fmt::join(texts, ", ")));
  }
}

/// Fields of which a feature is the hash, and not only intervals.
using HashedFields = std::unordered_set<std::string_view>;

HashedFields hashed_fields(const InspectReport& report) {
  HashedFields hashed;
  for (const Feature& feature : report.schema.features)
    if (feature.encoding != Encoding::numeric) hashed.insert(feature.fields[0]);
  return hashed;
}

/// Whether a typed value is hashed by another text: the number 3.0 as "3", True as "true".
bool is_other_than_canonical(std::string_view text) {
  if (text == "True" || text == "False") return true;
  constexpr std::string_view ending = ".0";
  if (!text.ends_with(ending)) return false;
  text.remove_suffix(ending.size());
  if (text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

/// Names fields written as pandas writes booleans, or the whole numbers of a column with gaps. A model trained
/// on such texts does not know the values of the data frame that they came from.
void note_typed_texts(const FieldRoles& roles, const HashedFields& hashed, InspectReport& report) {
  std::vector<std::string> names;
  std::string example;
  for (const FieldReport& field : report.fields) {
    if (!roles.is_feature(field.name) || field.examples.empty() || !hashed.contains(field.name)) continue;
    if (!std::ranges::all_of(field.examples, is_other_than_canonical)) continue;
    if (names.empty()) example = field.examples.front();
    names.push_back(field.name);
  }
  if (names.empty()) return;
  const std::string typed = example == "True"    ? "true"
                            : example == "False" ? "false"
                                                 : example.substr(0, example.size() - 2);
  report.notes.push_back(
      fmt::format("{}: text such as {} is hashed as written, but a data frame's value as {}, which a model "
                  "of this file does not know; write {} here to predict rows in memory",
                  named_fields(names), example, typed, typed));
}

/// Names numeric fields, in which any other text makes a bad row. A hashed field accepts every text.
void note_intervals(InspectReport& report) {
  std::vector<std::string> names;
  for (const Feature& feature : report.schema.features)
    if (feature.encoding == Encoding::numeric) names.push_back(feature.fields[0]);
  if (names.empty()) return;
  report.notes.push_back(
      fmt::format("{}: intervals of their numbers are features, so text there that is not in missing_values "
                  "makes a bad row",
                  named_fields(names)));
}

/// Names fields taken as lists. They may be plain text that happens to contain the separator.
void note_lists(const std::vector<FieldCensus>& census, const FieldRoles& roles, InspectReport& report) {
  for (const FieldCensus& field : census) {
    const auto lists = field.lists();
    if (!lists || !roles.is_feature(field.name())) continue;
    report.notes.push_back(
        fmt::format("'{}' is taken as lists with '{}' between their items, about {:.0f} of them distinct; "
                    "without separator = \"{}\" each list is a value of its own",
                    field.name(), lists->separator, lists->distinct_items, lists->separator));
  }
}

/// Names fields of times, in which any other text makes a bad row.
void note_times(InspectReport& report) {
  std::vector<std::string> names;
  for (const Feature& feature : report.schema.features) {
    const bool is_named =
        !names.empty() && names.back() == feature.fields[0];  // parts of a field are neighbours
    if (feature.time_parts.empty() || is_named) continue;
    names.push_back(feature.fields[0]);
  }
  if (names.empty()) return;
  report.notes.push_back(
      fmt::format("{}: parts of their times are features, so text there that is neither a time nor in "
                  "missing_values makes a bad row",
                  named_fields(names)));
}

/// Names fields with a value of its own in nearly every row, from which a model learns nothing about other rows.
void note_unique_fields(const std::vector<FieldCensus>& census, const FieldRoles& roles,
                        const HashedFields& hashed, InspectReport& report) {
  std::vector<std::string> values;
  std::vector<std::string> sizes;
  for (std::size_t i = 0; i < census.size(); ++i) {
    const FieldReport& field = report.fields[i];
    if (!roles.is_feature(field.name) || census[i].holds_lists() || census[i].lists() ||
        census[i].holds_times() || !census[i].times().others().empty() || !field.other_writing.empty() ||
        !field.is_nearly_unique)
      continue;
    (hashed.contains(field.name) ? values : sizes).push_back(field.name);
  }
  if (!values.empty()) {
    report.notes.push_back(
        fmt::format("{}: nearly every row has its own value, which says nothing about other rows: if it "
                    "identifies the row, leave it out (encoding = \"ignore\")",
                    named_fields(values)));
  }
  if (!sizes.empty()) {
    report.notes.push_back(
        fmt::format("{}: nearly every row has its own number, so only its size is a feature: if it "
                    "identifies the row, leave it out (encoding = \"ignore\")",
                    named_fields(sizes)));
  }
}

/// Names fields that explain most of the label alone. Often they were recorded after it.
void note_label_leaks(const FieldRoles& roles, InspectReport& report) {
  constexpr double much =
      0.5;  // of two classes, fields of adult, flights and Criteo's sample explain at most 0.21
  std::vector<std::string> names;
  for (const FieldReport& field : report.fields) {
    const double explained = field.label_explained.value_or(0);
    if (!roles.is_feature(field.name) || explained < much) continue;
    names.push_back(fmt::format("'{}' ({:.0f} %)", field.name, std::floor(100 * explained)));
  }
  if (names.empty()) return;
  report.notes.push_back(fmt::format(
      "{} explain{} most of the label alone: if known only after the label, {} and must be left out "
      "(encoding = \"ignore\")",
      fmt::join(names, ", "), names.size() == 1 ? "s" : "",
      names.size() == 1 ? "it is a leak" : "they are leaks"));
}

/// The value in lower case and without spaces.
std::string folded(std::string_view value) {
  std::string text;
  for (const char c : value) {
    if (c != ' ') text += detail::ascii_lower(c);
  }
  return text;
}

/// Names fields with values that differ only in case or spaces.
void note_like_values(const std::vector<FieldCensus>& census, InspectReport& report) {
  constexpr std::size_t shown_fields = 8;
  std::vector<std::string> found;
  for (const FieldCensus& field : census) {
    if (field.name().empty() || field.holds_numbers() || field.holds_times()) continue;
    std::unordered_map<std::string, std::string_view> known;
    for (const FieldCensus::CountedValue& value : field.values()) {
      const auto [first, is_new] = known.emplace(folded(value.value), value.value);
      if (is_new) continue;
      found.push_back(
          fmt::format("'{}' (\"{}\" and \"{}\")", field.name(), shown(first->second), shown(value.value)));
      break;
    }
  }
  if (found.empty()) return;
  const auto end = found.begin() + static_cast<std::ptrdiff_t>(std::min(found.size(), shown_fields));
  report.notes.push_back(
      fmt::format("values that differ only in spaces or in upper and lower case are separate values: {}{}; "
                  "if they mean the same, write them the same way",
                  fmt::join(found.begin(), end, ", "), found.size() > shown_fields ? ", ..." : ""));
}

}  // namespace

std::string named_fields(const std::vector<std::string>& names) {
  constexpr std::size_t shown = 8;
  const auto end = names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), shown));
  return fmt::format("'{}'{}", fmt::join(names.begin(), end, "', '"), names.size() > shown ? ", ..." : "");
}

void add_field_notes(const std::vector<FieldCensus>& census, const FieldRoles& roles, InspectReport& report) {
  note_other_writing(census, roles, report);
  note_texts_among_numbers(census, roles, report);
  note_texts_among_times(census, roles, report);
  const HashedFields hashed = hashed_fields(report);
  note_typed_texts(roles, hashed, report);
  note_unique_fields(census, roles, hashed, report);
  note_label_leaks(roles, report);
  note_intervals(report);
  note_times(report);
  note_lists(census, roles, report);
  note_like_values(census, report);
}

}  // namespace widehash
