#include "schema_report.hpp"

#include "text.hpp"

#include <cstddef>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace widehash::tools {
namespace {

constexpr std::size_t shown_names = 12;

/// A text with a comma is quoted, because it would look like two.
std::string list_text(const std::vector<std::string>& texts) {
  std::string list;
  for (std::size_t i = 0; i < texts.size() && i < shown_names; ++i) {
    const bool has_comma = texts[i].find(',') != std::string::npos;
    list += (i == 0 ? "" : ", ") + (has_comma ? quoted_value(texts[i]) : printable(texts[i]));
  }
  return texts.size() > shown_names ? list + ", ..." : list;
}

}  // namespace

Json label_json(const Label& label) {
  if (label.field.empty()) return nullptr;
  Json object;
  object["kind"] = to_string(label.kind);
  set_value(object, "field", label.field);
  object["negative"] = label.negative;
  object["positive"] = label.positive;
  object["classes"] = label.classes;
  return object;
}

void set_weight(Json& object, const Schema& schema) {
  if (schema.weight.empty()) {
    object["weight"] = nullptr;
  } else {
    set_value(object, "weight", schema.weight);
  }
}

std::string label_text(const Label& label) {
  if (label.field.empty()) return "none";
  const std::string field = printable(label.field);
  switch (label.kind) {
    case LabelKind::binary:
      return fmt::format("{}: positive {}; negative {}", field, list_text(label.positive),
                         label.negative.empty() ? "all others" : list_text(label.negative));
    case LabelKind::classes:
      return fmt::format("{}: {} classes, {}", field, label.classes.size(), list_text(label.classes));
    case LabelKind::number:
      break;
  }
  return field + ": a number";
}

std::string features_text(const Schema& schema) {
  std::vector<std::string> names;
  for (const Feature& feature : schema.features)
    if (feature.encoding != Encoding::ignore) names.push_back(feature.name);
  return fmt::format("{}: {}", names.size(), list_text(names));
}

}  // namespace widehash::tools
