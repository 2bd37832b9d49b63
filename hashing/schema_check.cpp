// Checks what the settings of a schema must satisfy together, whether they come from TOML or from code.

#include "schema_place.hpp"

#include <widehash/code.hpp>
#include <widehash/error.hpp>
#include <widehash/internal/quoted_text.hpp>
#include <widehash/internal/suggest.hpp>
#include <widehash/internal/utf8.hpp>
#include <widehash/time_format.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string_view>

#include <fmt/format.h>

namespace widehash {
namespace detail {

void SchemaPlace::fail(const std::string& path, const std::string& what) const {
  // Reports the line of the key itself, or else of the table that would contain it.
  for (std::string at = path; !at.empty(); at.resize(at.rfind('.') == at.npos ? 0 : at.rfind('.'))) {
    if (const auto found = lines_.find(at); found != lines_.end()) fail_at_line(found->second, what);
  }
  throw ConfigError(fmt::format("{}: {}", source_, what));
}

void SchemaPlace::fail_at_line(std::uint32_t line, const std::string& what) const {
  throw ConfigError(fmt::format("{}:{}: {}", source_, line, what));
}

std::string feature_path(std::size_t index) { return fmt::format("feature.{}", index); }

namespace {

constexpr std::uint64_t largest_field_bytes = std::uint64_t{16} << 20;
constexpr std::uint64_t largest_integer = std::numeric_limits<std::int64_t>::max();

class Checker {
 public:
  Checker(const Schema& schema, const SchemaPlace& place)
      : schema_(schema), place_(place), fields_(schema.fields.begin(), schema.fields.end()) {}

  void check() const {
    check_choice("format", "the format", schema_.format, Format::csv);
    check_choice("hash", "the hash", schema_.hash, HashKind::xxh3_128);
    check_choice("missing", "the treatment of missing values", schema_.missing, Missing::skip);
    check_choice("label", "the kind of the label", schema_.label.kind, LabelKind::classes);
    check_dialect();
    check_label();
    check_texts("missing_values", schema_.missing_values);
    if (schema_.seed > largest_integer) {
      place_.fail("seed", fmt::format("seed {} is above {}, the largest integer in TOML", schema_.seed,
                                      largest_integer));
    }
    if (!schema_.weight.empty()) check_field("weight", schema_.weight);
    if (schema_.features.empty())
      place_.fail("", "no features: write a [[feature]] for every field to encode");
    std::set<std::string_view> names;
    for (std::size_t i = 0; i < schema_.features.size(); ++i) {
      const auto& feature = schema_.features[i];
      check_feature(i);
      if (!names.insert(feature.name).second) {
        place_.fail(
            feature_path(i),
            fmt::format("a second feature called {}; give one of them another `name`", quoted(feature.name)));
      }
    }
  }

 private:
  /// A program can construct an enumeration with any number; `last` is the largest valid one.
  template <class Choice>
  void check_choice(const std::string& path, const std::string& what, Choice choice, Choice last) const {
    const auto number = static_cast<std::int64_t>(choice);
    if (number >= 0 && number <= static_cast<std::int64_t>(last)) return;
    place_.fail(path, fmt::format("{} is {}, which is not a value of its enumeration", what, number));
  }

  void check_dialect() const {
    const auto is_line_end = [](char c) { return c == '\n' || c == '\r'; };
    if (static_cast<unsigned char>(schema_.delimiter) >= 0x80 || is_line_end(schema_.delimiter)) {
      place_.fail("delimiter", "the delimiter must be an ASCII character that does not end lines");
    }
    if (static_cast<unsigned char>(schema_.quote) >= 0x80 || is_line_end(schema_.quote)) {
      place_.fail("quote", "the quote must be an ASCII character that does not end lines");
    }
    if (schema_.quote != '\0' && schema_.quote == schema_.delimiter) {
      place_.fail(place_.written("quote") ? "quote" : "delimiter",
                  "the quote and the delimiter are the same character");
    }
    if (schema_.trim && schema_.quote == ' ' && schema_.delimiter != ' ')
      place_.fail(place_.written("quote") ? "quote" : "trim",
                  "trim strips the spaces that are the quote; give another quote, or leave trim out");
    if (schema_.max_field_bytes < 1 || schema_.max_field_bytes > largest_field_bytes) {
      place_.fail("max_field_bytes", fmt::format("max_field_bytes is {}, outside 1 .. {} (16 MiB)",
                                                 schema_.max_field_bytes, largest_field_bytes));
    }
    check_texts("fields", schema_.fields);
    if (!schema_.header && schema_.fields.empty()) {
      place_.fail("header", "header = false needs `fields`, the names of all fields in order");
    }
  }

  /// Requires valid UTF-8 and no text twice.
  void check_texts(const std::string& path, const std::vector<std::string>& texts) const {
    std::set<std::string_view> seen;
    for (const auto& text : texts) {
      check_utf8(path, text);
      if (!seen.insert(text).second)
        place_.fail(path, fmt::format("{} is in `{}` twice", quoted(text), path));
    }
  }

  void check_utf8(const std::string& path, const std::string& text) const {
    if (!is_utf8(text)) {
      place_.fail(path,
                  fmt::format("`{}` holds a text that is not UTF-8, which a schema cannot store", path));
    }
  }

  /// Requires the field to be one of the schema's `fields`, if these are given.
  void check_field(const std::string& path, const std::string& field) const {
    check_utf8(path, field);
    const auto& fields = schema_.fields;
    if (fields.empty() || fields_.contains(field)) return;
    const std::vector<std::string_view> known(fields.begin(), fields.end());
    place_.fail(path, fmt::format("{} is not in `fields`{}", quoted(field), did_you_mean(field, known)));
  }

  void check_label() const {
    const Label& label = schema_.label;
    const bool has_lists = !label.positive.empty() || !label.negative.empty() || !label.classes.empty();
    if (label.field.empty()) {
      if (has_lists || label.kind != LabelKind::number)
        place_.fail("label", "the label has values but no field");
      return;
    }
    check_field("label", label.field);
    check_texts("label.positive", label.positive);
    check_texts("label.negative", label.negative);
    check_texts("label.classes", label.classes);
    if (label.kind != LabelKind::classes && !label.classes.empty()) {
      place_.fail("label.classes", "the label has `classes`, but its kind is not classes");
    }
    if (label.kind != LabelKind::binary && (!label.positive.empty() || !label.negative.empty())) {
      place_.fail("label", "give the label either `positive` and `negative`, or `classes`, or neither");
    }
    if (label.kind == LabelKind::binary && (label.positive.empty() || label.negative.empty())) {
      place_.fail("label",
                  "a binary label needs both `positive` and `negative`, with at least one value each");
    }
    if (label.kind == LabelKind::classes && label.classes.size() < 2) {
      place_.fail("label", "`classes` needs at least two values");
    }
    const std::set<std::string_view> negative(label.negative.begin(), label.negative.end());
    for (const auto& value : label.positive) {
      if (negative.contains(value)) {
        place_.fail("label.negative",
                    fmt::format("the label's {} is both positive and negative", quoted(value)));
      }
    }
    if (label.field == schema_.weight) place_.fail("weight", "the weight and the label are the same field");
  }

  void check_feature(std::size_t index) const {
    const Feature& feature = schema_.features[index];
    const std::string path = feature_path(index);
    if (feature.fields.empty())
      place_.fail(path, fmt::format("feature {} has no field", quoted(feature.name)));
    if (feature.name.empty()) place_.fail(path, "a feature has an empty name; give it a `name`");
    check_utf8(path + ".name", feature.name);
    const std::string name = "feature " + quoted(feature.name);
    check_choice(path, name + ": its encoding", feature.encoding, Encoding::ignore);
    check_choice(path, name + ": its treatment of missing values", feature.missing, Missing::skip);
    check_choice(path, name + ": its transform", feature.transform, NumericTransform::bucketize);
    for (const auto& field : feature.fields) {
      check_field(path + (feature.is_cross() ? ".cross" : ".field"), field);
      if (!schema_.label.field.empty() && field == schema_.label.field &&
          feature.encoding != Encoding::ignore) {
        place_.fail(path, fmt::format("the label's field {} is also a feature, so a model would see the "
                                      "answers; leave it out or set encoding = \"ignore\"",
                                      quoted(field)));
      }
    }
    if (feature.encoding == Encoding::ignore) return;  // its other settings have no effect
    if (feature.missing_values) check_texts(path + ".missing_values", *feature.missing_values);
    check_keys_fit(feature, path);
    check_sizes(feature, path);
    check_separator(feature, path);
    check_times(feature, path);
    if (feature.encoding == Encoding::numeric) check_numeric(feature, path);
  }

  void check_keys_fit(const Feature& feature, const std::string& path) const {
    const bool numeric = feature.encoding == Encoding::numeric;
    const bool exact = feature.encoding == Encoding::exact;
    struct Rule {
      const char* key;
      bool set;
      bool fits;
      const char* owner;
    };
    const Rule rules[] = {
        {"cardinality", feature.cardinality != 0, !numeric, "hashed features"},
        {"buckets", feature.buckets != 0, feature.encoding == Encoding::one_hot, "encoding = \"one_hot\""},
        {"separator", !feature.separator.empty(), !numeric, "hashed features"},
        {"min_count", feature.min_count != 1, exact, "encoding = \"exact\""},
        {"max_values", feature.max_values != 0, exact, "encoding = \"exact\""},
        {"transform", feature.transform != NumericTransform::none, numeric, "encoding = \"numeric\""},
        {"boundaries", !feature.boundaries.empty(),
         feature.transform == NumericTransform::bucketize && numeric, "transform = \"bucketize\""},
    };
    for (const auto& rule : rules) {
      if (rule.fits || !(rule.set || place_.written(path + "." + rule.key))) continue;
      place_.fail(
          path + "." + rule.key,
          fmt::format("feature {}: '{}' is only for {}, but this one is {}{}", quoted(feature.name), rule.key,
                      rule.owner, to_string(feature.encoding),
                      numeric ? fmt::format(" with transform {}", to_string(feature.transform)) : ""));
    }
  }

  void check_sizes(const Feature& feature, const std::string& path) const {
    if (feature.encoding == Encoding::numeric) return;
    const std::string name = quoted(feature.name);
    const bool has_buckets = feature.encoding == Encoding::one_hot && feature.buckets != 0;
    if (feature.cardinality == 0 && !has_buckets) {
      place_.fail(
          path,
          fmt::format("feature {}: {} needs `cardinality`, how many distinct values the feature can take{}",
                      name, to_string(feature.encoding),
                      feature.encoding == Encoding::one_hot ? ", or `buckets`" : ""));
    }
    const bool wide = schema_.hash == HashKind::xxh3_128;
    const std::uint64_t largest = wide ? max_cardinality_xxh3_128 : max_cardinality_xxh64;
    if (feature.cardinality > largest) {
      place_.fail(path + ".cardinality",
                  fmt::format("feature {}: cardinality {} is above {}, the most that {} can split{}", name,
                              feature.cardinality, wide ? "2^58" : "2^32", to_string(schema_.hash),
                              wide ? "" : "; hash = \"xxh3_128\" allows up to 2^58"));
    }
    if (feature.buckets > max_columns) {
      place_.fail(path + ".buckets",
                  fmt::format("feature {}: buckets {} is above {}, the most columns a matrix can have", name,
                              feature.buckets, max_columns));
    }
    if (feature.min_count < 1 || feature.min_count > largest_integer) {
      place_.fail(path + ".min_count", fmt::format("feature {}: min_count {} is outside 1 .. {}", name,
                                                   feature.min_count, largest_integer));
    }
    if (feature.max_values > max_columns) {
      place_.fail(path + ".max_values",
                  fmt::format("feature {}: max_values {} is above {}, the most columns a matrix can "
                              "have",
                              name, feature.max_values, max_columns));
    }
  }

  void check_separator(const Feature& feature, const std::string& path) const {
    if (feature.separator.empty()) return;
    const std::string name = quoted(feature.name);
    if (feature.separator.size() != 1 || static_cast<unsigned char>(feature.separator.front()) >= 0x80) {
      place_.fail(path + ".separator",
                  fmt::format("feature {}: the separator must be one ASCII character", name));
    }
    // With quotes, "a,b" is one field that contains the delimiter. Without quotes, no field can contain it.
    if (schema_.quote == '\0' && feature.separator.front() == schema_.delimiter) {
      place_.fail(path + ".separator",
                  fmt::format("feature {}: its separator is the delimiter of the file", name));
    }
  }

  void check_times(const Feature& feature, const std::string& path) const {
    const std::string name = "feature " + quoted(feature.name);
    if (feature.time_parts.empty()) {
      if (feature.time_format != "iso" || place_.written(path + ".time_format"))
        place_.fail(path + ".time_format",
                    name + ": `time_format` needs `time_part`, the part of the time to use");
      return;
    }
    if (feature.time_parts.size() != feature.fields.size()) {
      place_.fail(path + ".time_part", fmt::format("{}: {} time parts for {} fields", name,
                                                   feature.time_parts.size(), feature.fields.size()));
    }
    for (const TimePart part : feature.time_parts)
      check_choice(path + ".time_part", name + ": its time part", part, TimePart::minute);
    if (std::ranges::all_of(feature.time_parts, [](TimePart part) { return part == TimePart::none; })) {
      place_.fail(path + ".time_part",
                  name + ": `time_part` is empty; leave the key out to use the value as it is");
    }
    if (!feature.separator.empty()) {
      place_.fail(path + ".separator",
                  name + ": a field with a time part has a single value; remove `separator`");
    }
    check_utf8(path + ".time_format", feature.time_format);
    const auto format = read_time_format(feature, path);
    for (const TimePart part : feature.time_parts) {
      if (format.gives(part)) continue;
      place_.fail(path + ".time_part", fmt::format("{}: times of the format {} have no {}", name,
                                                   quoted(feature.time_format), to_string(part)));
    }
  }

  TimeFormat read_time_format(const Feature& feature, const std::string& path) const {
    try {
      return TimeFormat(feature.time_format);
    } catch (const ConfigError& error) {
      place_.fail(path + ".time_format", fmt::format("feature {}: {}", quoted(feature.name), error.what()));
    }
  }

  void check_numeric(const Feature& feature, const std::string& path) const {
    const std::string name = quoted(feature.name);
    if (feature.is_cross()) {
      place_.fail(path + ".encoding",
                  fmt::format("feature {}: a cross is not a number; numeric takes a single field", name));
    }
    if (feature.transform != NumericTransform::bucketize) return;
    if (feature.boundaries.empty()) {
      place_.fail(path, fmt::format("feature {}: bucketize needs `boundaries`, the numbers to cut at", name));
    }
    for (std::size_t i = 0; i < feature.boundaries.size(); ++i) {
      if (!std::isfinite(feature.boundaries[i])) {
        place_.fail(path + ".boundaries", fmt::format("feature {}: boundary {} is not finite", name, i + 1));
      }
      if (i > 0 && feature.boundaries[i] <= feature.boundaries[i - 1]) {
        place_.fail(path + ".boundaries",
                    fmt::format("feature {}: boundary {} ({}) is not above the one before ({})", name, i + 1,
                                feature.boundaries[i], feature.boundaries[i - 1]));
      }
    }
  }

  const Schema& schema_;
  const SchemaPlace& place_;
  std::set<std::string_view> fields_;
};

}  // namespace

void check_schema_at(const Schema& schema, const SchemaPlace& place) { Checker(schema, place).check(); }

}  // namespace detail

void check_schema(const Schema& schema, const std::string& source_name) {
  detail::check_schema_at(schema, detail::SchemaPlace(source_name));
}

}  // namespace widehash
