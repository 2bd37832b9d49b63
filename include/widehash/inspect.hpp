#pragma once

/// \file
/// A look at a table nobody has described yet: its dialect, its fields, what they hold, and a schema to start
/// from.

#include <widehash/internal/read_places.hpp>
#include <widehash/progress.hpp>
#include <widehash/schema.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace widehash {

enum class HeaderChoice { automatic, yes, no };

struct InspectOptions {
  std::vector<std::string> inputs;
  HeaderChoice header = HeaderChoice::automatic;
  std::optional<char> delimiter = std::nullopt;  // unless it is to be guessed
  std::optional<char> quote = std::nullopt;      // the same; '\0': quotes are ordinary bytes
  std::string label =
      {};  // field to predict; may be empty. Where the first line names it, that line is a header
  std::string weight = {};     // field of the rows' weights; may be empty
  std::uint64_t max_rows = 0;  // 0: all of them
};

/// What inspect() reads; whoever writes its schema to a file asks require_apart() first. Throws as
/// expand_inputs().
ReadPlaces places_read(const InspectOptions& options);

struct FieldReport {
  std::string name;  // empty where the header has none for it: such a field is left out
  std::string type;  // "integer", "number", "time" (ISO, with dashes), "text" or "empty"
  /// Rows with an empty value; of integers, numbers and times also those with one of schema.missing_values, such as
  /// "NA".
  std::uint64_t missing = 0;
  double distinct = 0;  // HyperLogLog estimate; exact up to 4096
  bool distinct_is_exact = false;
  std::uint64_t longest_bytes = 0;
  double minimum = 0;  // integer and number
  double maximum = 0;
  std::vector<std::string> examples;  // the first few distinct values
  /// Of text whose values are numbers but for some: what the others are, where they are eight distinct ones at most,
  /// and where they are one in twenty at most, or the numbers are too many, or too fractional, for codes. Empty
  /// otherwise.
  std::vector<std::string> texts_among_numbers;
  /// Of text that is numbers or times in another writing, by the first thousand values: what it is, such as "numbers
  /// with a decimal comma, such as 154,61". Empty otherwise.
  std::string other_writing;
  /// The share of the label's entropy that this field explains by itself, by a sample of the rows: half of it teaches,
  /// the other half judges. Nothing without a label, of the label itself, and where few rows have another label than
  /// most.
  std::optional<double> label_explained;
};

struct InspectReport {
  /// four_split features, cardinalities rounded up generously, intervals of numbers and parts of times; the label
  /// as found.
  Schema schema;
  std::string schema_toml;  // the same with comments to guide editing
  std::vector<FieldReport> fields;
  /// What was chosen for the user and may be chosen otherwise, what was left out: a sentence each, also in
  /// `schema_toml`.
  std::vector<std::string> notes;
  std::uint64_t rows = 0;
  std::uint64_t rejected_rows = 0;        // bad ones: of another number of fields, or the header once more
  double cardinality_standard_error = 0;  // relative
};

/// Reads the inputs once in bounded memory. Throws FileError, DataError (also for a header that names a field
/// twice, and where more than half of the rows do not have the number of fields that was guessed),
/// ConfigError (label or weight not among the fields, a weight that is the label or holds text, a delimiter or
/// quote that no schema can have).
InspectReport inspect(const InspectOptions& options, const ProgressCallback& progress = {});

}  // namespace widehash
