#include "schema_proposal.hpp"

#include <widehash/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace widehash {
namespace {

constexpr std::size_t max_classes = 1000;

// Control bytes and line ends would end a comment.
std::string printable(const std::string& text) {
  std::string out;
  for (const char c : text) out += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? '?' : c;
  return out;
}

// A label of text needs its values told apart: two become negative and positive (the rarer one), more become classes.
Label proposed_label(const FieldReport& field, std::vector<FieldCensus::CountedValue> values) {
  Label label;
  label.field = field.name;
  if (field.type != "text") return label;
  if (values.size() < 2 || values.size() > max_classes) {
    throw ConfigError(fmt::format("label '{}' holds text of {} distinct values, which is neither a number nor a small set "
                                  "of classes; choose another label",
                                  field.name, field.distinct));
  }
  std::sort(values.begin(), values.end(), [](const auto& a, const auto& b) {
    return a.count != b.count ? a.count > b.count : a.value < b.value;
  });
  if (values.size() == 2) {
    label.kind = LabelKind::binary;
    label.negative = {values[0].value};
    label.positive = {values[1].value};
  } else {
    label.kind = LabelKind::classes;
    for (const auto& value : values) label.classes.push_back(value.value);
  }
  return label;
}

std::string field_comment(const FieldReport& field, std::uint64_t rows) {
  std::string comment = fmt::format("# {}: {}{:.0f} distinct", field.type, field.distinct_is_exact ? "" : "about ",
                                    field.distinct);
  if (field.missing > 0 && rows > 0) {
    comment += fmt::format(", {:.1f} % missing", 100.0 * static_cast<double>(field.missing) / static_cast<double>(rows));
  }
  if (!field.examples.empty()) {
    comment += ", e.g.";
    for (const std::string& example : field.examples) comment += " " + printable(example);
  }
  comment += "\n";
  const bool continuous = field.type == "number" || (field.type == "integer" && field.distinct > 1000);
  if (continuous) {
    comment += fmt::format("# {} to {}: if it measures something, encoding = \"numeric\" may suit it better\n",
                           field.minimum, field.maximum);
  }
  return comment;
}

}  // namespace

std::uint64_t proposed_cardinality(double distinct) noexcept {
  // Up to 64 values the width is 8 whatever is written here, so the count itself is the clearest.
  if (distinct <= 64) return static_cast<std::uint64_t>(std::max(1.0, distinct));
  const double roomy = distinct * 1.1;
  const double unit = std::pow(10.0, std::floor(std::log10(roomy)) - 1);
  return static_cast<std::uint64_t>(std::ceil(roomy / unit) * unit);
}

void propose_schema(const DialectGuess& guess, const std::string& label, const std::vector<FieldCensus>& census,
                    InspectReport& report) {
  Schema& schema = report.schema;
  schema.format = guess.is_tsv() ? Format::tsv : Format::csv;
  schema.delimiter = guess.dialect.delimiter;
  schema.quote = guess.dialect.quote;
  schema.trim = guess.dialect.trim;
  schema.header = guess.has_header;
  schema.fields = guess.fields;
  std::vector<std::string> comments;
  for (std::size_t i = 0; i < report.fields.size(); ++i) {
    const FieldReport& field = report.fields[i];
    if (field.name == label) {
      schema.label = proposed_label(field, census[i].values());
      continue;
    }
    Feature feature;
    feature.name = field.name;
    feature.fields = {field.name};
    feature.cardinality = proposed_cardinality(field.distinct + (field.missing > 0 ? 1 : 0));
    schema.features.push_back(std::move(feature));
    comments.push_back(field_comment(field, report.rows));
  }
  check_schema(schema, "the proposed schema");

  const std::string toml = to_toml(schema);
  std::string& out = report.schema_toml;
  out = "# Proposed from the data: edit it, then freeze it. A cardinality is a plan: leave room for values yet to come.\n";
  std::size_t begin = 0;
  for (const std::string& comment : comments) {
    const std::size_t at = toml.find("[[feature]]", begin);
    out += toml.substr(begin, at - begin) + comment + "[[feature]]";
    begin = at + std::string_view("[[feature]]").size();
  }
  out += toml.substr(begin);
}

}  // namespace widehash
