#pragma once

/// \file
/// Inspects a table that has no schema yet: finds its dialect, its fields and what they hold, and proposes a
/// schema.

#include <widehash/internal/read_places.hpp>
#include <widehash/progress.hpp>
#include <widehash/schema.hpp>
#include <widehash/stop.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace widehash {

enum class HeaderChoice { automatic, yes, no };

struct InspectOptions {
  std::vector<std::string> inputs;
  HeaderChoice header = HeaderChoice::automatic;
  std::optional<char> delimiter = std::nullopt;  // nothing: guess it
  std::optional<char> quote = std::nullopt;      // nothing: guess it; '\0': quotes are ordinary bytes
  std::string label = {};          // field to predict; may be empty. A first line that names it is a header
  std::string weight = {};         // field of the row weights; may be empty
  std::uint64_t max_rows = 0;      // 0: all of them
  const StopFlag* stop = nullptr;  // ends the work with Stopped
};

/// What inspect() reads. Callers that write its schema to a file call require_apart() first. Throws what
/// expand_inputs() throws.
ReadPlaces places_read(const InspectOptions& options);

struct FieldReport {
  std::string name;  // empty where the header has none; the field is then left out
  std::string type;  // "integer", "number", "time" (ISO, with dashes), "text" or "empty"
  /// Rows with an empty value. For integers, numbers and times, also rows with a value of
  /// schema.missing_values, such as "NA".
  std::uint64_t missing = 0;
  double distinct = 0;  // HyperLogLog estimate; exact up to 4096
  bool distinct_is_exact = false;
  std::uint64_t longest_bytes = 0;
  double minimum = 0;  // for integer and number
  double maximum = 0;
  std::vector<std::string> examples;  // the first few distinct values
  /// Whether nearly every one of at least a thousand values is a different one, as in a field that identifies the row.
  bool is_nearly_unique = false;
  /// For text whose values are numbers except for some: the others, where there are at most eight distinct
  /// ones and either at most one value in twenty is one of them, or the numbers are too many, or too
  /// fractional, to be codes. Empty otherwise.
  std::vector<std::string> texts_among_numbers;
  /// For text that is numbers or times in another notation, by the first thousand values: what it is, such as
  /// "numbers with a decimal comma, such as 154,61". Empty otherwise.
  std::string other_writing;
  /// The share of the label's entropy that this field explains by itself, estimated from a sample of the rows
  /// of which one half teaches and the other judges. Nothing without a label, for the label itself, and where
  /// too few rows have a label other than the most frequent one.
  std::optional<double> label_explained;
};

struct InspectReport {
  /// four_split features with cardinalities rounded up generously, intervals of numbers and parts of times;
  /// the label as found.
  Schema schema;
  std::string schema_toml;  // the same, with comments to guide editing
  std::vector<FieldReport> fields;
  /// One sentence each: what was chosen and may be chosen otherwise, and what was left out. Also in
  /// `schema_toml`.
  std::vector<std::string> notes;
  /// Columns of a table in memory that are of no use because of their type, and why: one sentence each.
  std::vector<std::string> left_out;
  std::uint64_t rows = 0;
  std::uint64_t rejected_rows = 0;  // malformed rows (such as a wrong number of fields), or the header again
  double cardinality_standard_error = 0;  // relative
};

/// Reads the inputs once in bounded memory. Throws FileError; DataError (also for a header that names a field
/// twice, and where more than half of the rows do not have the guessed number of fields); ConfigError (label
/// or weight not among the fields, a weight that is the label or holds text, a delimiter or quote that no
/// schema can have).
InspectReport inspect(const InspectOptions& options, const ProgressCallback& progress = {});

}  // namespace widehash
