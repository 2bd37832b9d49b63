// Parses TOML into a Schema. Checks types, ranges and spelling; schema_check.cpp checks the settings against
// each other.

#include "schema_place.hpp"
#include "toml_reader.hpp"

#include <widehash/code.hpp>
#include <widehash/error.hpp>
#include <widehash/internal/file.hpp>
#include <widehash/internal/file_names.hpp>
#include <widehash/schema.hpp>

#include <array>
#include <limits>

#include <fmt/format.h>

namespace widehash {
namespace {

using detail::SchemaPlace;
using detail::TomlReader;

constexpr std::uint64_t largest_integer = std::numeric_limits<std::int64_t>::max();

constexpr auto top_keys = std::to_array<std::string_view>(
    {"version", "format", "delimiter", "quote", "header", "fields", "trim", "missing", "missing_values",
     "hash", "seed", "max_field_bytes", "label", "weight", "feature"});
constexpr auto label_keys = std::to_array<std::string_view>({"field", "positive", "negative", "classes"});
constexpr auto feature_keys = std::to_array<std::string_view>(
    {"field", "cross", "name", "encoding", "cardinality", "buckets", "missing", "separator", "min_count",
     "max_values", "transform", "boundaries", "time_part", "time_format", "missing_values"});

std::optional<Missing> read_missing(const TomlReader& reader) {
  return reader.choice<Missing>("missing", {{"value", Missing::value}, {"skip", Missing::skip}});
}

/// How the file is divided into rows and fields.
void read_dialect(const TomlReader& reader, Schema& schema) {
  schema.format =
      reader.choice<Format>("format", {{"tsv", Format::tsv}, {"csv", Format::csv}}).value_or(Format::tsv);
  const bool csv = schema.format == Format::csv;
  schema.delimiter = reader.byte("delimiter", false).value_or(csv ? "," : "\t").front();
  const std::string quote = reader.byte("quote", true).value_or(csv ? "\"" : "");
  if (quote.size() == 1 && quote.front() == '\0')
    reader.fail("quote", "'quote' cannot be NUL; write \"\" for none");
  schema.quote = quote.empty() ? '\0' : quote.front();
  schema.header = reader.flag("header").value_or(schema.header);
  schema.trim = reader.flag("trim").value_or(schema.trim);
  schema.fields = reader.texts("fields").value_or(schema.fields);
  schema.max_field_bytes =
      reader.count("max_field_bytes", 0, largest_integer).value_or(schema.max_field_bytes);
}

Label read_label(const TomlReader& top, SchemaPlace& place) {
  Label label;
  const auto* node = top.node("label");
  if (node == nullptr) return label;
  if (node->is_string()) {
    label.field = *top.text("label");
    if (label.field.empty()) top.fail("label", "'label' is empty; leave the key out if there is no label");
    return label;
  }
  const auto* table = node->as_table();
  if (table == nullptr) {
    top.fail("label",
             "'label' must be a field's name or a table such as { field = \"y\", positive = [\"1\"], "
             "negative = [\"0\"] }");
  }
  const TomlReader reader(*table, "label", "label", place);
  reader.reject_unknown_keys(label_keys);
  label.field = reader.text("field").value_or("");
  if (label.field.empty()) top.fail("label", "the label needs `field`, the name of its field");
  if (reader.has("classes")) {
    label.kind = LabelKind::classes;
    label.classes = *reader.texts("classes");
  } else if (reader.has("positive") || reader.has("negative")) {
    label.kind = LabelKind::binary;
  }
  label.positive = reader.text_or_texts("positive").value_or(label.positive);
  label.negative = reader.text_or_texts("negative").value_or(label.negative);
  return label;
}

std::string default_name(const Feature& feature) {
  std::string name;
  for (std::size_t i = 0; i < feature.fields.size(); ++i) {
    name += (i == 0 ? "" : " x ") + feature.fields[i];
    const TimePart part = feature.time_part(i);
    if (part != TimePart::none) name += fmt::format(" {}", to_string(part));
  }
  return name;
}

/// In a cross, "" stands for a field that is taken as it is.
void read_time_parts(const TomlReader& reader, Feature& feature) {
  feature.time_parts = reader
                           .choices<TimePart>("time_part", {{"year", TimePart::year},
                                                            {"month", TimePart::month},
                                                            {"day", TimePart::day},
                                                            {"weekday", TimePart::weekday},
                                                            {"hour", TimePart::hour},
                                                            {"minute", TimePart::minute},
                                                            {"", TimePart::none}})
                           .value_or(feature.time_parts);
  if (reader.has("time_part") && feature.time_parts.size() != feature.fields.size()) {
    reader.fail("time_part", feature.is_cross()
                                 ? fmt::format("'time_part' has {} values, but the cross has {} fields; give "
                                               "one per field, \"\" for a field that is used as it is",
                                               feature.time_parts.size(), feature.fields.size())
                                 : "'time_part' must be one part of a time, such as \"hour\"");
  }
  feature.time_format = reader.text("time_format").value_or(feature.time_format);
}

Feature read_feature(const TomlReader& reader, const Schema& schema) {
  reader.reject_unknown_keys(feature_keys, top_keys);
  Feature feature;
  if (reader.has("field") == reader.has("cross")) {
    reader.fail(reader.has("field") ? "cross" : "", "give exactly one of `field` and `cross`");
  }
  if (reader.has("field")) {
    feature.fields = {*reader.text("field")};
  } else {
    feature.fields = *reader.texts("cross");
    if (feature.fields.size() < 2) reader.fail("cross", "a cross needs at least two fields");
  }
  read_time_parts(reader, feature);
  feature.name = reader.text("name").value_or(default_name(feature));
  feature.encoding = reader
                         .choice<Encoding>("encoding", {{"four_split", Encoding::four_split},
                                                        {"one_hot", Encoding::one_hot},
                                                        {"exact", Encoding::exact},
                                                        {"numeric", Encoding::numeric},
                                                        {"ignore", Encoding::ignore}})
                         .value_or(feature.encoding);
  // The upper limit depends on the hash; schema_check.cpp checks and explains it.
  feature.cardinality = reader.count("cardinality", 1, largest_integer).value_or(0);
  feature.buckets = reader.count("buckets", 1, largest_integer).value_or(0);
  feature.missing = read_missing(reader).value_or(schema.missing);
  feature.missing_values = reader.texts("missing_values");
  if (feature.missing_values == schema.missing_values) feature.missing_values.reset();
  feature.separator = reader.byte("separator", true).value_or("");
  feature.min_count = reader.count("min_count", 1, largest_integer).value_or(feature.min_count);
  feature.max_values = reader.count("max_values", 0, largest_integer).value_or(feature.max_values);
  feature.transform =
      reader
          .choice<NumericTransform>("transform", {{"none", NumericTransform::none},
                                                  {"log1p", NumericTransform::log1p},
                                                  {"standardize", NumericTransform::standardize},
                                                  {"bucketize", NumericTransform::bucketize}})
          .value_or(feature.transform);
  feature.boundaries = reader.numbers("boundaries").value_or(feature.boundaries);
  return feature;
}

void read_features(const TomlReader& top, SchemaPlace& place, Schema& schema) {
  const auto* node = top.node("feature");
  if (node == nullptr) return;
  const auto* list = node->as_array();
  if (list == nullptr) top.fail("feature", "features are written as [[feature]], in double brackets");
  for (const auto& item : *list) {
    const auto* table = item.as_table();
    if (table == nullptr) {
      place.fail_at_line(item.source().begin.line,
                         "features are tables: write [[feature]] and its keys below");
    }
    const std::string path = detail::feature_path(schema.features.size());
    place.remember(path, table->source().begin.line);
    schema.features.push_back(read_feature(TomlReader(*table, path, "[[feature]]", place), schema));
  }
}

toml::table parse_toml(const std::string& toml_text, const std::string& source_name) {
  try {
    return toml::parse(toml_text, source_name);
  } catch (const toml::parse_error& error) {
    throw ConfigError(fmt::format("{}:{}:{}: not valid TOML: {}", source_name, error.source().begin.line,
                                  error.source().begin.column, error.description()));
  }
}

}  // namespace

Schema parse_schema(const std::string& toml_text, const std::string& source_name) {
  const toml::table document = parse_toml(toml_text, source_name);
  SchemaPlace place(source_name);
  const TomlReader reader(document, "", "", place);

  // Read first, so that a schema of a later version is not refused for a key unknown to this version.
  const auto version = reader.count("version", 0, largest_integer).value_or(1);
  if (version != 1) {
    reader.fail("version",
                fmt::format("this is a schema of version {}; this program reads version 1", version));
  }
  reader.reject_unknown_keys(top_keys);

  Schema schema;
  read_dialect(reader, schema);
  schema.missing = read_missing(reader).value_or(schema.missing);
  schema.missing_values = reader.texts("missing_values").value_or(schema.missing_values);
  schema.hash =
      reader.choice<HashKind>("hash", {{"xxh64", HashKind::xxh64}, {"xxh3_128", HashKind::xxh3_128}})
          .value_or(schema.hash);
  schema.seed = reader.count("seed", 0, largest_integer).value_or(schema.seed);
  schema.label = read_label(reader, place);
  schema.weight = reader.text("weight").value_or(schema.weight);
  read_features(reader, place, schema);
  detail::check_schema_at(schema, place);
  return schema;
}

std::string read_schema_text(const std::string& path) {
  if (is_folder(path)) {
    const std::string inside = in_folder(path, schema_name);
    throw ConfigError(path + ": is a folder, not a schema file" +
                      (file_exists(inside) ? "; give " + inside : std::string()));
  }
  return read_user_text(path);
}

Schema load_schema(const std::string& path) { return parse_schema(read_schema_text(path), path); }

}  // namespace widehash
