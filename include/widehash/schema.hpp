#pragma once

/// \file
/// The schema: what a table looks like and how each feature is encoded. It is written as TOML
/// (docs/schema.md), parsed strictly, and frozen once used: every dataset, table and model made with it holds
/// its fingerprint.

#include <widehash/time_part.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace widehash {

enum class Format { tsv, csv };
enum class HashKind { xxh64, xxh3_128 };
enum class Encoding { four_split, one_hot, exact, numeric, ignore };
enum class Missing {
  value,  ///< a missing value is a value of its own: the hash of the empty byte string
  skip    ///< a missing value sets no columns
};
enum class NumericTransform {
  none,
  log1p,        ///< sign(x) ln(1 + |x|)
  standardize,  ///< (x - mean) / standard deviation, both from the lookup tables of `fit`
  bucketize     ///< one-hot over the intervals between `boundaries`, and one more column for missing
};
enum class LabelKind {
  number,  ///< the field is a finite number
  binary,  ///< 1 where the field is in `positive`, 0 where it is in `negative`
  classes  ///< the index of the field in `classes`
};

/// One feature: a field, or a cross of several fields, and its encoding.
struct Feature {
  std::string name;
  std::vector<std::string> fields;  // one, or the parts of a cross in order
  Encoding encoding = Encoding::four_split;
  std::uint64_t cardinality = 0;  // N; for four_split, one_hot and the hashed tail of exact
  std::uint64_t buckets = 0;      // one_hot: B; 0 means 4 m
  Missing missing = Missing::value;
  std::string separator;         // multi-valued: the one byte between values; empty: single-valued
  std::uint64_t min_count = 1;   // exact: rarer values go to the tail
  std::uint64_t max_values = 0;  // exact: at most this many columns for the head; 0: no limit
  NumericTransform transform = NumericTransform::none;
  std::vector<double> boundaries;    // bucketize: ascending
  std::vector<TimePart> time_parts;  // one per field, `none` for a field taken as it is; empty: all `none`
  std::string time_format = "iso";   // format (time_format.hpp) of the fields with a time part
  /// Replaces the schema's missing_values for each field of the feature.
  std::optional<std::vector<std::string>> missing_values;

  bool is_cross() const noexcept { return fields.size() > 1; }
  TimePart time_part(std::size_t field) const noexcept {
    return time_parts.empty() ? TimePart::none : time_parts[field];
  }
  /// Whether its values must be built row by row. The values of crosses and of parts of times are not in any
  /// row, and texts that mean missing only for this feature must be searched for.
  bool makes_values() const noexcept {
    return is_cross() || !time_parts.empty() || missing_values.has_value();
  }
  /// Whether `fit` builds a lookup table of its values.
  bool has_table() const noexcept { return encoding != Encoding::numeric && encoding != Encoding::ignore; }
};

struct Label {
  std::string field;  // empty: the table has no label
  LabelKind kind = LabelKind::number;
  std::vector<std::string> positive = {};
  std::vector<std::string> negative = {};
  std::vector<std::string> classes = {};
};

struct Schema {
  Format format = Format::tsv;
  char delimiter = '\t';
  char quote = '\0';                        // '\0': quotes are ordinary bytes
  bool header = true;                       // the first line of each file names the fields
  bool trim = false;                        // spaces around a field are not part of it, also in memory
  std::vector<std::string> fields;          // all fields in order; required without a header
  std::vector<std::string> missing_values;  // texts that mean missing, besides the empty one; see Feature
  Missing missing = Missing::value;         // the default that parse_schema() gives features; no other effect
  HashKind hash = HashKind::xxh64;
  std::uint64_t seed = 0;
  std::uint64_t max_field_bytes = 1 << 20;  // a longer field in a file makes its row bad
  Label label;
  std::string weight;  // field with the row's weight; empty: all rows weigh 1
  std::vector<Feature> features;

  /// The texts that mean missing in the fields of a feature, besides the empty one: the feature's own, or
  /// else the schema's.
  const std::vector<std::string>& missing_values_of(const Feature& feature) const noexcept {
    return feature.missing_values ? *feature.missing_values : missing_values;
  }

  /// 32 hexadecimal digits: XXH3-128 of canonical_text(). Comments, key order and explicitly written defaults
  /// do not change it, except `buckets` of one_hot given together with `cardinality`, and an empty text in
  /// `missing_values`.
  std::string fingerprint() const;
  /// One line per setting that can change a code, a column or a row, in a fixed order.
  std::string canonical_text() const;
};

/// Parses and checks. Messages show `source_name` as the file name.
/// Throws ConfigError naming source, line and key, and, for an unknown key, the nearest known one.
Schema parse_schema(const std::string& toml_text, const std::string& source_name);
/// Returns the text of a schema file. Throws FileError; ConfigError for a folder, naming the schema in it.
std::string read_schema_text(const std::string& path);
/// Reads and parses a schema file. Throws FileError or ConfigError.
Schema load_schema(const std::string& path);
/// Returns the schema as TOML that parses to the same fingerprint.
std::string to_toml(const Schema& schema);
/// Throws ConfigError if the settings contradict one another. For schemas built in code; load_schema() calls
/// it.
void check_schema(const Schema& schema, const std::string& source_name);

/// Returns the keys that differ between two schemas, as text for a message: "feature 'day': cardinality 31
/// there, 40 here".
std::string describe_difference(const Schema& there, const Schema& here);

const char* to_string(Encoding encoding) noexcept;
const char* to_string(HashKind hash) noexcept;
const char* to_string(LabelKind kind) noexcept;
const char* to_string(NumericTransform transform) noexcept;

}  // namespace widehash
