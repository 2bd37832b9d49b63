#pragma once

/// \file
/// `fit.json`: what the tables beside it were made from, so that repeating a `fit` finds them finished, and a
/// different `fit` does not replace them unasked.

#include "ingest/input_sign.hpp"

#include <widehash/folds.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace widehash {

/// An input as it was when it was counted.
struct CountedInput {
  InputSign sign;
  std::string place = {};  // place_of(); "" for a stream, or where it was not recorded
};

struct FitRecord {
  std::string schema_fingerprint;
  std::string tables_fingerprint = {};
  std::uint64_t rejected_rows = 0;        // by the last fit, as is other_fold_rows
  std::vector<CountedInput> inputs = {};  // first those of added tables, then those of the last fit
  Folds folds = {};
  std::uint64_t other_fold_rows = 0;
  std::vector<std::string> added = {};  // fingerprints of added tables, and of those that were added to them
};

void write_fit_record(const FitRecord& record, const std::string& directory);
/// The signs of the inputs.
std::vector<InputSign> signs_of(const std::vector<CountedInput>& inputs);
/// Nothing where there is no record, or where it was altered or is of a later version. Throws FileError.
std::optional<FitRecord> read_fit_record(const std::string& directory);

}  // namespace widehash
