#pragma once

/// \file
/// The schema: what a table looks like and how each feature is encoded. Written as TOML (docs/schema.md),
/// read strictly, frozen once used: its fingerprint is in every dataset, table and model made with it.

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
  bucketize     ///< one-hot over the intervals that `boundaries` cut, and one more column for missing
};
enum class LabelKind {
  number,  ///< the field is a finite number
  binary,  ///< 1 where the field is in `positive`, 0 where it is in `negative`
  classes  ///< the index of the field in `classes`
};

/// One feature: a field, or a cross of several, and its encoding.
struct Feature {
  std::string name;
  std::vector<std::string> fields;  // one, or the parts of a cross in order
  Encoding encoding = Encoding::four_split;
  std::uint64_t cardinality = 0;  // N; for four_split, one_hot and the hashed tail of exact
  std::uint64_t buckets = 0;      // one_hot: B; 0 stands for 4 m
  Missing missing = Missing::value;
  std::string separator;         // multi-valued: the one byte between values; empty: single-valued
  std::uint64_t min_count = 1;   // exact: values seen less often fall to the tail
  std::uint64_t max_values = 0;  // exact: at most this many columns for the head; 0: no cap
  NumericTransform transform = NumericTransform::none;
  std::vector<double> boundaries;    // bucketize: ascending
  std::vector<TimePart> time_parts;  // one a field, `none` for one that is taken as it is; empty: all are
  std::string time_format = "iso";   // of the fields with a time part: a format of time_format.hpp
  /// In place of the schema's, for each of its fields.
  std::optional<std::vector<std::string>> missing_values;

  bool is_cross() const noexcept { return fields.size() > 1; }
  TimePart time_part(std::size_t field) const noexcept {
    return time_parts.empty() ? TimePart::none : time_parts[field];
  }
  /// Whether its values are made, one row after another: those of crosses and parts of times stand in no row, and
  /// texts that mean missing here alone have to be looked for.
  bool makes_values() const noexcept {
    return is_cross() || !time_parts.empty() || missing_values.has_value();
  }
  /// Whether `fit` makes a lookup table of its values.
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
  bool trim = false;                        // spaces around a field are not part of it, in memory too
  std::vector<std::string> fields;          // all fields in order; required without a header
  std::vector<std::string> missing_values;  // texts that mean missing, beside the empty one; but see Feature
  Missing missing = Missing::value;         // what parse_schema() gives features; no effect else
  HashKind hash = HashKind::xxh64;
  std::uint64_t seed = 0;
  std::uint64_t max_field_bytes = 1 << 20;  // a longer field of a file makes its row bad
  Label label;
  std::string weight;  // field with the row's weight; empty: all rows weigh 1
  std::vector<Feature> features;

  /// What means missing in the fields of a feature, beside the empty text: its own texts, or else the schema's.
  const std::vector<std::string>& missing_values_of(const Feature& feature) const noexcept {
    return feature.missing_values ? *feature.missing_values : missing_values;
  }

  /// 32 hexadecimal digits: XXH3-128 of canonical_text(). Comments, key order and spelled-out defaults do not
  /// matter, but for `buckets` of one_hot given beside `cardinality`, and an empty text in `missing_values`.
  std::string fingerprint() const;
  /// One line per setting that can change a code, a column or a row, in a fixed order.
  std::string canonical_text() const;
};

/// Parses and checks. `source_name` stands in messages where a file name would.
/// Throws ConfigError naming source, line, key and, for an unknown key, the nearest known one.
Schema parse_schema(const std::string& toml_text, const std::string& source_name);
/// The text of a schema file. Throws FileError; ConfigError for a folder, naming the schema in it.
std::string read_schema_text(const std::string& path);
/// Throws FileError or ConfigError.
Schema load_schema(const std::string& path);
/// The schema as TOML that parses back to the same fingerprint.
std::string to_toml(const Schema& schema);
/// Throws ConfigError where the settings contradict one another; for schemas built in code. load_schema calls
/// it.
void check_schema(const Schema& schema, const std::string& source_name);

/// Which keys differ between two schemas, as text for a message: "feature 'day': cardinality 31 there, 40
/// here".
std::string describe_difference(const Schema& there, const Schema& here);

const char* to_string(Encoding encoding) noexcept;
const char* to_string(HashKind hash) noexcept;
const char* to_string(NumericTransform transform) noexcept;

}  // namespace widehash
