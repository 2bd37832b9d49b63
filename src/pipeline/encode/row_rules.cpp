#include "row_rules.hpp"

#include "missing_values.hpp"
#include "short_integer.hpp"
#include "shown_names.hpp"
#include "table_texts.hpp"
#include "value_reader.hpp"

#include <widehash/column_table.hpp>
#include <widehash/error.hpp>
#include <widehash/internal/byte_source.hpp>
#include <widehash/internal/first_bytes.hpp>
#include <widehash/internal/missing_markers.hpp>
#include <widehash/internal/suggest.hpp>
#include <widehash/internal/value_list.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <fmt/format.h>

namespace widehash {
namespace {

// The fields that a schema mentions, each once: label, weight, then the fields of the features.
std::vector<std::string> mentioned_fields(const Schema& schema) {
  std::vector<std::string> names;
  std::unordered_set<std::string_view> known;
  const auto mention = [&](const std::string& name) {
    if (known.insert(name).second) names.push_back(name);
  };
  // A feature's field may have an empty name, as the index column that pandas writes; an empty label or
  // weight means that there is none.
  if (!schema.label.field.empty()) mention(schema.label.field);
  if (!schema.weight.empty()) mention(schema.weight);
  for (const Feature& feature : schema.features) {
    if (feature.encoding == Encoding::ignore) continue;
    for (const std::string& field : feature.fields) mention(field);
  }
  return names;
}

constexpr const char* missing_remedy = "; if that means missing, list it in missing_values in the schema";

constexpr const char* point_remedy = "; write numbers with a decimal point and no other separators";

// Two fields of a megabyte of one-byte values would make 2^38 combinations out of one row.
constexpr std::uint64_t max_combinations = 65536;

template <class Rows>
std::uint64_t num_values(const Rows& rows, std::size_t row, std::size_t field, char separator) {
  const std::string_view text = rows.value(row, field);
  if (is_list(rows, field)) return std::max<std::uint64_t>(num_listed(text), 1);
  return 1 + static_cast<std::uint64_t>(std::count(text.begin(), text.end(), separator));
}

template <class Rows>
bool combinations_fit(const Rows& rows, std::size_t row, std::span<const std::size_t> fields,
                      char separator) {
  std::uint64_t combinations = 1;
  for (const std::size_t field : fields) {
    combinations *= num_values(rows, row, field, separator);
    if (combinations > max_combinations) return false;
  }
  return true;
}

/// The first eight bytes of a value. Bytes past its end are unspecified.
std::uint64_t first_word(const RowsView&, std::string_view text) noexcept {
  return detail::first_bytes(text.data(), text.size());
}
std::uint64_t first_word(const PlacedRows&, std::string_view text) noexcept {
  std::uint64_t word = 0;
  std::memcpy(&word, text.data(), sizeof word);  // this many bytes are readable for every value
  return word;
}

/// Whether the row repeats the header, as in files that were joined with their headers.
template <class Rows>
bool is_header(const Rows& rows, std::size_t row, const std::vector<std::string>& header) {
  if (header.empty() || !begins_header(rows.value(row, 0), header.front())) return false;
  for (std::size_t field = 1; field < header.size(); ++field) {
    if (rows.value(row, field) != header[field]) return false;
  }
  return true;
}

bool fits_float(double value) { return std::isfinite(static_cast<float>(value)); }

}  // namespace

bool begins_header(std::string_view value, std::string_view name) noexcept {
  if (value == name) return true;
  if (!value.starts_with(byte_order_mark)) return false;
  value.remove_prefix(byte_order_mark.size());
  // The byte order mark stands before the quote, so the quote did not open a quoted field and is part of the
  // value.
  const bool is_quoted = value.size() == name.size() + 2 && value.front() == value.back();
  return value == name || (is_quoted && value.substr(1, name.size()) == name);
}

/// The fields of a source, found by name without a linear search: tables can be very wide.
class RowRules::Fields {
 public:
  /// `all_names` also includes fields that cannot be bound. The arguments must outlive the object.
  /// `are_listed`: the schema has `fields`, so that text needs no header.
  Fields(std::span<const std::string> names, std::span<const std::string> all_names,
         std::string_view source_name, bool are_listed)
      : all_names_(all_names), source_name_(source_name), num_fields_(names.size()), are_listed_(are_listed) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (!positions_.emplace(names[i], i).second) repeated_.insert(names[i]);
    }
  }

  std::size_t num_fields() const noexcept { return num_fields_; }

  /// The position of the field among the names.
  std::size_t find(const std::string& name, const char* use, bool required) const {
    const auto at = positions_.find(name);
    if (at == positions_.end()) {
      if (!required) return FieldBinding::absent;
      throw_missing(name, use);
    }
    if (repeated_.contains(name)) {
      throw ConfigError(fmt::format("{}: has two fields named '{}'; rename one of them", source_name_, name));
    }
    return at->second;
  }

 private:
  [[noreturn]] void throw_missing(const std::string& name, const char* use) const {
    // Escaped as in messages, because a message ends at a NUL.
    std::vector<std::string> shown;
    for (const std::string& one : all_names_) shown.push_back(shown_names(std::span(&one, 1)));
    const std::vector<std::string_view> candidates(shown.begin(), shown.end());
    const bool is_text = source_name_ != memory_source;
    const bool is_undivided =
        is_text && all_names_.size() == 1 && all_names_.front().find_first_of("\t,;|") != std::string::npos;
    // The columns of a data frame may be named by numbers, so in memory such names are not taken for data.
    const bool may_be_data = is_text && std::ranges::any_of(all_names_, [](const std::string& one) {
                               return parse_number(one).has_value();
                             });
    const bool are_quoted = is_text && std::ranges::all_of(all_names_, [](const std::string& one) {
                              return one.size() > 1 && one.starts_with('"') && one.ends_with('"');
                            });
    throw ConfigError(fmt::format(
        "{}: has no field '{}', which {}; {}{}{}{}{}", source_name_, name, use,
        all_names_.empty() ? "it has none" : "its fields are: " + shown_names(all_names_),
        did_you_mean(name, candidates),
        is_undivided ? "; with the delimiter that is set the first line is a single field, but it seems to "
                       "have another delimiter: set `delimiter` in the schema (`widehash inspect` finds it), "
                       "or give `predict` and `evaluate` --delimiter"
                     : "",
        !may_be_data  ? ""
        : are_listed_ ? "; if those are data and no line names the fields, set header = false in the schema, "
                        "or give `predict` and `evaluate` --header no"
                      : "; if those are data and no line names the fields, put a line of names before them: "
                        "(echo NAMES; cat FILE) | widehash ... -, with the delimiter between the names",
        are_quoted ? "; they are in quotes, which the schema takes as part of the names: set `quote` in it, "
                     "or give `predict` and `evaluate` --quote '\"'"
                   : ""));
  }

  std::span<const std::string> all_names_;
  std::string_view source_name_;
  std::size_t num_fields_;
  bool are_listed_;
  std::unordered_map<std::string_view, std::size_t> positions_;
  std::unordered_set<std::string_view> repeated_;
};

RowRules::RowRules(const Schema& schema, std::vector<std::string> kept_fields, Folds folds,
                   const char* kept_for)
    : schema_(schema),
      field_names_(schema.fields.empty() ? mentioned_fields(schema) : schema.fields),
      kept_fields_(std::move(kept_fields)),
      kept_for_(kept_for),
      folds_(std::move(folds)),
      targets_(schema.label) {
  check_folds(folds_);
  for (std::size_t i = 0; i < schema.features.size(); ++i) {
    const Feature& feature = schema.features[i];
    if (feature.is_cross() && !feature.separator.empty()) crosses_.push_back(i);
    if (feature.encoding == Encoding::numeric) {
      add_numbers(i);
    } else if (feature.encoding != Encoding::ignore) {
      add_times(i);
    }
  }
}

void RowRules::add_numbers(std::size_t index) {
  const Feature& feature = schema_.features[index];
  NumberRule rule;
  if (feature.time_part(0) != TimePart::none)
    rule.time = TimeField{index, 0, TimeFormat(feature.time_format)};
  for (const std::string& text : schema_.missing_values_of(feature)) {
    if (const auto number = parse_number(text)) rule.missing.push_back(*number);
  }
  numeric_.push_back(index);
  number_rules_.push_back(std::move(rule));
}

void RowRules::add_times(std::size_t index) {
  const Feature& feature = schema_.features[index];
  const auto is_read_as = [&](const TimeField& known, std::size_t field) {
    const Feature& other = schema_.features[known.feature];
    return other.fields[known.field] == feature.fields[field] && other.time_format == feature.time_format &&
           schema_.missing_values_of(other) == schema_.missing_values_of(feature);
  };
  for (std::size_t field = 0; field < feature.time_parts.size(); ++field) {
    if (feature.time_parts[field] == TimePart::none) continue;
    if (std::ranges::none_of(times_, [&](const TimeField& known) { return is_read_as(known, field); })) {
      times_.push_back({index, field, TimeFormat(feature.time_format)});
    }
  }
}

FieldBinding RowRules::bind(std::span<const std::string> field_names, const std::string& source_name,
                            bool needs_label) const {
  return bind(Fields{field_names, field_names, source_name, !schema_.fields.empty()}, needs_label);
}

FieldBinding RowRules::bind(const ColumnTable& table, bool needs_label) const {
  FieldBinding binding =
      bind(Fields{table.names(), table.all_names(), memory_source, !schema_.fields.empty()}, needs_label);
  binding.column_names.assign(table.names().begin(), table.names().end());
  return binding;
}

FieldBinding RowRules::bind(const Fields& fields, bool needs_label) const {
  FieldBinding binding;
  binding.num_fields = fields.num_fields();
  if (!schema_.label.field.empty()) {
    binding.label = fields.find(schema_.label.field, "the schema uses as the label", needs_label);
  }
  if (!schema_.weight.empty()) {
    binding.weight = fields.find(schema_.weight, "the schema uses as the weight", needs_label);
  }
  for (const Feature& feature : schema_.features) {
    auto& positions = binding.features.emplace_back();
    if (feature.encoding == Encoding::ignore) continue;
    for (const std::string& field : feature.fields) {
      positions.push_back(fields.find(field, "the schema uses in a feature", true));
    }
  }
  for (const std::string& field : kept_fields_) binding.kept.push_back(fields.find(field, kept_for_, true));
  binding.folds = folds_;
  if (!folds_.by.empty()) binding.fold_field = fields.find(folds_.by, "decides the folds", true);
  return binding;
}

bool RowRules::read_weight(std::string_view text, float& weight, std::string& reason) const {
  const auto parsed = parse_number(text);
  if (!parsed || *parsed < 0 || !fits_float(*parsed)) {
    reason = fmt::format(
        "weight '{}' is '{}', {}", schema_.weight, shown_value(text),
        parsed && *parsed >= 0 ? "beyond the largest float32 (3.4e38)" : "not a finite number of at least 0");
    return false;
  }
  weight = static_cast<float>(*parsed);
  return true;
}

bool RowRules::read_number(std::size_t feature, const NumberRule& rule, std::string_view text, double& number,
                           std::string& reason) const {
  if (is_missing_value(text, schema_.missing_values_of(schema_.features[feature]))) {
    number = std::numeric_limits<double>::quiet_NaN();
    return true;
  }
  const auto parsed = parse_number(text);
  if (parsed && std::ranges::find(rule.missing, *parsed) != rule.missing.end()) {
    number = std::numeric_limits<double>::quiet_NaN();
    return true;
  }
  if (parsed && fits_float(*parsed)) {
    number = *parsed;
    return true;
  }
  reason =
      fmt::format("numeric feature '{}' is '{}', {}{}", schema_.features[feature].name, shown_value(text),
                  parsed ? "beyond the largest float32 (3.4e38)" : "not a finite number",
                  is_missing_marker(text)       ? missing_remedy
                  : is_with_decimal_comma(text) ? point_remedy
                                                : "");
  return false;
}

bool RowRules::read_time(const TimeField& field, std::string_view text, double& part,
                         std::string& reason) const {
  const Feature& feature = schema_.features[field.feature];
  if (is_missing_value(text, schema_.missing_values_of(feature))) {
    part = std::numeric_limits<double>::quiet_NaN();
    return true;
  }
  if (const auto time = field.format.parse(text)) {
    part = part_of(*time, feature.time_part(field.field));
    return true;
  }
  reason = fmt::format(
      "field '{}' is '{}', which does not match time_format = \"{}\"{}", feature.fields[field.field],
      shown_value(text), feature.time_format,
      is_missing_marker(text) ? missing_remedy
      : feature.time_format == "iso"
          ? "; for times written in another way, set time_format to a pattern such as %d.%m.%Y %H:%M"
          : "");
  return false;
}

template <class Rows>
bool RowRules::read_row(const Rows& rows, std::size_t row, const FieldBinding& binding, float& target,
                        float& weight, std::string& reason, double* numbers) const {
  if (is_header(rows, row, binding.header)) {
    reason = schema_.header ? repeated_header : unexpected_header;
    return false;
  }
  if (binding.label != FieldBinding::absent) {
    const std::string_view text = rows.value(row, binding.label);
    const auto parsed = targets_.parse(text);
    if (!parsed) {
      reason = targets_.problem(text);
      return false;
    }
    target = *parsed;
  }
  if (binding.weight != FieldBinding::absent &&
      !read_weight(rows.value(row, binding.weight), weight, reason)) {
    return false;
  }
  for (const std::size_t i : crosses_) {
    if (combinations_fit(rows, row, binding.features[i], schema_.features[i].separator[0])) continue;
    reason = fmt::format("cross '{}' has more than {} combinations of values in this row",
                         schema_.features[i].name, max_combinations);
    return false;
  }
  for (const TimeField& time : times_) {
    double part = 0;
    if (!read_time(time, rows.value(row, binding.features[time.feature][time.field]), part, reason))
      return false;
  }
  for (std::size_t n = 0; n < numeric_.size(); ++n) {
    const std::size_t i = numeric_[n];
    const std::string_view text = rows.value(row, binding.features[i][0]);
    double& number = *numbers++;
    const NumberRule& rule = number_rules_[n];
    if (rule.time) {
      if (!read_time(*rule.time, text, number, reason)) return false;
      continue;
    }
    if (rule.missing.empty() && text.size() <= sizeof(std::uint64_t) &&
        read_short_integer(first_word(rows, text), text.size(), number)) {
      continue;
    }
    if (!read_number(i, rule, text, number, reason)) return false;
  }
  return true;
}

template bool RowRules::read_row(const RowsView&, std::size_t, const FieldBinding&, float&, float&,
                                 std::string&, double*) const;
template bool RowRules::read_row(const PlacedRows&, std::size_t, const FieldBinding&, float&, float&,
                                 std::string&, double*) const;

}  // namespace widehash
