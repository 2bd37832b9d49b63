// The canonical text of a schema, its fingerprint, and the differences between two schemas.

#include <widehash/canonical_text.hpp>
#include <widehash/checksum.hpp>
#include <widehash/code.hpp>
#include <widehash/internal/quoted_text.hpp>
#include <widehash/schema.hpp>

#include <algorithm>

#include <fmt/format.h>

namespace widehash {
namespace {

using detail::quoted;
using detail::quoted_byte;

struct Setting {
  std::string key;
  std::string value;
};
using Settings = std::vector<Setting>;

const char* to_text(bool value) { return value ? "true" : "false"; }
const char* to_text(Missing missing) { return missing == Missing::skip ? "skip" : "value"; }

/// Formats as ["a","b"]. The quotes keep the texts of different lists different.
std::string quoted_list(const std::vector<std::string>& texts) {
  std::string result = "[";
  for (const auto& text : texts) result += (result.size() > 1 ? "," : "") + quoted(text);
  return result + "]";
}

/// All settings of the whole table that can change a code, a column or a row. The format is not one of them:
/// it only stands for a delimiter and a quote.
Settings table_settings(const Schema& schema) {
  return {{"delimiter", quoted_byte(schema.delimiter, false)},
          {"quote", quoted_byte(schema.quote, true)},
          {"header", to_text(schema.header)},
          {"trim", to_text(schema.trim)},
          {"fields", quoted_list(schema.fields)},
          {"missing_values", quoted_list(schema.missing_values)},
          {"hash", to_string(schema.hash)},
          {"seed", canonical_text(schema.seed)},
          {"max_field_bytes", canonical_text(schema.max_field_bytes)},
          {"label", quoted(schema.label.field)},
          {"label kind", to_string(schema.label.kind)},
          {"label positive", quoted_list(schema.label.positive)},
          {"label negative", quoted_list(schema.label.negative)},
          {"label classes", quoted_list(schema.label.classes)},
          {"weight", quoted(schema.weight)}};
}

Settings time_settings(const Feature& feature) {
  std::vector<std::string> parts;
  for (const TimePart part : feature.time_parts) parts.emplace_back(to_string(part));
  return {{"time_part", quoted_list(parts)},
          {"time_format", quoted(feature.time_parts.empty() ? std::string() : feature.time_format)}};
}

Settings feature_settings(const Feature& feature) {
  Settings settings = {{"fields", quoted_list(feature.fields)}, {"encoding", to_string(feature.encoding)}};
  if (feature.encoding == Encoding::ignore) return settings;
  std::string boundaries = "[";
  for (const double boundary : feature.boundaries) {
    boundaries += (boundaries.size() > 1 ? "," : "") + canonical_text(boundary);
  }
  settings.insert(settings.end(), {{"cardinality", canonical_text(feature.cardinality)},
                                   {"buckets", canonical_text(feature.buckets)},
                                   {"missing", to_text(feature.missing)},
                                   {"separator", quoted(feature.separator)},
                                   {"min_count", canonical_text(feature.min_count)},
                                   {"max_values", canonical_text(feature.max_values)},
                                   {"transform", to_string(feature.transform)},
                                   {"boundaries", boundaries + "]"}});
  return settings;
}

/// A feature without a list of its own uses the table's list; a difference there is reported for the table.
Setting missing_setting(const Feature& feature) {
  return {"missing_values", feature.missing_values ? quoted_list(*feature.missing_values) : "of the table"};
}

Settings all_settings(const Feature& feature) {
  Settings settings = feature_settings(feature);
  if (feature.encoding == Encoding::ignore) return settings;
  const Settings times = time_settings(feature);
  settings.insert(settings.end(), times.begin(), times.end());
  settings.push_back(missing_setting(feature));
  return settings;
}

/// Collects differences, and reports the first few.
class Differences {
 public:
  void add(std::string difference) {
    if (++count_ <= most_) text_ += (count_ > 1 ? "; " : "") + std::move(difference);
  }
  void add(const std::string& prefix, const Settings& there, const Settings& here) {
    for (const auto& setting : there) {
      // Ignored features have fewer settings. Skipping those loses nothing, because the encoding already
      // differs.
      const auto other =
          std::find_if(here.begin(), here.end(), [&](const Setting& s) { return s.key == setting.key; });
      if (other == here.end() || other->value == setting.value) continue;
      add(fmt::format("{}{} {} there, {} here", prefix, setting.key, shortened(setting.value),
                      shortened(other->value)));
    }
  }
  bool empty() const { return count_ == 0; }
  std::string text() const {
    return count_ > most_ ? fmt::format("{}; and {} more", text_, count_ - most_) : text_;
  }

 private:
  static std::string shortened(const std::string& value) {
    constexpr std::size_t longest = 120;
    return value.size() <= longest ? value : value.substr(0, longest) + "...";
  }

  static constexpr std::size_t most_ = 5;
  std::string text_;
  std::size_t count_ = 0;
};

const Feature* find_feature(const Schema& schema, const std::string& name) {
  const auto found = std::find_if(schema.features.begin(), schema.features.end(),
                                  [&](const Feature& feature) { return feature.name == name; });
  return found == schema.features.end() ? nullptr : &*found;
}

}  // namespace

const char* to_string(Encoding encoding) noexcept {
  switch (encoding) {
    case Encoding::four_split:
      return "four_split";
    case Encoding::one_hot:
      return "one_hot";
    case Encoding::exact:
      return "exact";
    case Encoding::numeric:
      return "numeric";
    case Encoding::ignore:
      return "ignore";
  }
  return "?";
}

const char* to_string(HashKind hash) noexcept { return hash == HashKind::xxh64 ? "xxh64" : "xxh3_128"; }

const char* to_string(LabelKind kind) noexcept {
  switch (kind) {
    case LabelKind::number:
      return "number";
    case LabelKind::binary:
      return "binary";
    case LabelKind::classes:
      return "classes";
  }
  return "?";
}

const char* to_string(NumericTransform transform) noexcept {
  switch (transform) {
    case NumericTransform::none:
      return "none";
    case NumericTransform::log1p:
      return "log1p";
    case NumericTransform::standardize:
      return "standardize";
    case NumericTransform::bucketize:
      return "bucketize";
  }
  return "?";
}

std::string Schema::canonical_text() const {
  std::string text = "widehash schema 1\n";
  const auto append = [&text](const Settings& settings) {
    for (const auto& [key, value] : settings) text += fmt::format("{} = {}\n", key, value);
  };
  append(table_settings(*this));
  for (const auto& feature : features) {
    text += fmt::format("feature {}\n", quoted(feature.name));
    append(feature_settings(feature));
    // Settings that are not in use are left out, so schemas from before they existed keep their fingerprints.
    if (feature.encoding == Encoding::ignore) continue;
    if (!feature.time_parts.empty()) append(time_settings(feature));
    if (missing_values_of(feature) != missing_values) append({missing_setting(feature)});
  }
  return text;
}

std::string Schema::fingerprint() const {
  const Hash128 digest = hash_xxh3_128(canonical_text());
  return to_hex(digest.high) + to_hex(digest.low);
}

std::string describe_difference(const Schema& there, const Schema& here) {
  Differences differences;
  differences.add("", table_settings(there), table_settings(here));
  for (const auto& feature : there.features) {
    const std::string prefix = fmt::format("feature '{}'", feature.name);
    if (const Feature* other = find_feature(here, feature.name)) {
      differences.add(prefix + ": ", all_settings(feature), all_settings(*other));
    } else {
      differences.add(prefix + " is only there");
    }
  }
  for (const auto& feature : here.features) {
    if (find_feature(there, feature.name) == nullptr) {
      differences.add(fmt::format("feature '{}' is only here", feature.name));
    }
  }
  if (differences.empty() && there.canonical_text() != here.canonical_text()) {
    differences.add("the features are in a different order");
  }
  return differences.text();
}

}  // namespace widehash
