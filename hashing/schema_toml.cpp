// Writes a schema as TOML.

#include <widehash/canonical_text.hpp>
#include <widehash/internal/quoted_text.hpp>
#include <widehash/schema.hpp>

#include <fmt/format.h>

namespace widehash {
namespace {

using detail::quoted;
using detail::quoted_byte;

std::string list(const std::vector<std::string>& texts) {
  std::string result = "[";
  for (const auto& text : texts) result += (result.size() > 1 ? ", " : "") + quoted(text);
  return result + "]";
}

/// The shortest text that reads back as `value`. A bare integer would also be valid, but TOML integers end at
/// 2^63.
std::string number(double value) {
  std::string text = fmt::format("{}", value);
  return text.find_first_of(".e") == text.npos ? text + ".0" : text;
}

std::string label_toml(const Label& label) {
  switch (label.kind) {
    case LabelKind::number:
      return quoted(label.field);
    case LabelKind::binary:
      return fmt::format("{{ field = {}, positive = {}, negative = {} }}", quoted(label.field),
                         list(label.positive), list(label.negative));
    case LabelKind::classes:
      return fmt::format("{{ field = {}, classes = {} }}", quoted(label.field), list(label.classes));
  }
  return {};
}

std::string feature_toml(const Feature& feature, const Schema& schema) {
  std::string text = "\n[[feature]]\n";
  text += feature.is_cross() ? fmt::format("cross = {}\n", list(feature.fields))
                             : fmt::format("field = {}\n", quoted(feature.fields.front()));
  if (feature.makes_values() || feature.name != feature.fields.front()) {
    text += fmt::format("name = {}\n", quoted(feature.name));
  }
  text += fmt::format("encoding = \"{}\"\n", to_string(feature.encoding));
  if (feature.encoding == Encoding::ignore) return text;
  if (feature.cardinality != 0) text += fmt::format("cardinality = {}\n", feature.cardinality);
  if (feature.buckets != 0) text += fmt::format("buckets = {}\n", feature.buckets);
  if (feature.missing != schema.missing) {
    text += fmt::format("missing = \"{}\"\n", feature.missing == Missing::skip ? "skip" : "value");
  }
  if (schema.missing_values_of(feature) != schema.missing_values)
    text += fmt::format("missing_values = {}\n", list(*feature.missing_values));
  if (!feature.time_parts.empty()) {
    std::vector<std::string> parts;
    for (const TimePart part : feature.time_parts) parts.emplace_back(to_string(part));
    text += fmt::format("time_part = {}\n", feature.is_cross() ? list(parts) : quoted(parts.front()));
    text += fmt::format("time_format = {}\n", quoted(feature.time_format));
  }
  if (!feature.separator.empty()) text += fmt::format("separator = {}\n", quoted(feature.separator));
  if (feature.min_count != 1) text += fmt::format("min_count = {}\n", feature.min_count);
  if (feature.max_values != 0) text += fmt::format("max_values = {}\n", feature.max_values);
  if (feature.encoding == Encoding::numeric)
    text += fmt::format("transform = \"{}\"\n", to_string(feature.transform));
  if (!feature.boundaries.empty()) {
    std::string boundaries;
    for (const double boundary : feature.boundaries)
      boundaries += (boundaries.empty() ? "" : ", ") + number(boundary);
    text += fmt::format("boundaries = [{}]\n", boundaries);
  }
  return text;
}

}  // namespace

std::string to_toml(const Schema& schema) {
  std::string text = "version = 1\n";
  text += fmt::format("format = \"{}\"\n", schema.format == Format::csv ? "csv" : "tsv");
  text += fmt::format("delimiter = {}\n", quoted_byte(schema.delimiter, false));
  text += fmt::format("quote = {}\n", quoted_byte(schema.quote, true));
  text += fmt::format("header = {}\n", schema.header);
  if (!schema.fields.empty()) text += fmt::format("fields = {}\n", list(schema.fields));
  text += fmt::format("trim = {}\n", schema.trim);
  text += fmt::format("missing = \"{}\"\n", schema.missing == Missing::skip ? "skip" : "value");
  if (!schema.missing_values.empty())
    text += fmt::format("missing_values = {}\n", list(schema.missing_values));
  text += fmt::format("hash = \"{}\"\n", to_string(schema.hash));
  text += fmt::format("seed = {}\n", schema.seed);
  text += fmt::format("max_field_bytes = {}\n", schema.max_field_bytes);
  if (!schema.label.field.empty()) text += fmt::format("label = {}\n", label_toml(schema.label));
  if (!schema.weight.empty()) text += fmt::format("weight = {}\n", quoted(schema.weight));
  for (const auto& feature : schema.features) text += feature_toml(feature, schema);
  return text;
}

}  // namespace widehash
