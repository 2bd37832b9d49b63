#pragma once

/// \file
/// `fit.json`: what the tables beside it were made from, so that the same `fit` again finds them done and
/// another one does not replace them unasked.

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
  std::string place = {};  // place_of(); "" of a stream, and where it was not recorded
};

struct FitRecord {
  std::string schema_fingerprint;
  std::string tables_fingerprint = {};
  std::uint64_t rejected_rows = 0;        // by the last fit, as other_fold_rows
  std::vector<CountedInput> inputs = {};  // of tables that were added first, then those of the last fit
  Folds folds = {};
  std::uint64_t other_fold_rows = 0;
  std::vector<std::string> added = {};  // the fingerprints of tables that were added, and of theirs
};

inline constexpr const char* fit_record_name = "fit.json";

void write_fit_record(const FitRecord& record, const std::string& directory);
/// The signs alone.
std::vector<InputSign> signs_of(const std::vector<CountedInput>& inputs);
/// Nothing where there is none, or one that was altered or is of a version to come. Throws FileError.
std::optional<FitRecord> read_fit_record(const std::string& directory);

}  // namespace widehash
