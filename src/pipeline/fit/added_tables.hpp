#pragma once

/// \file
/// Tables that a `fit` adds to (`--add`): their values, moments and rows go into the tables that it writes,
/// and their inputs into its record, so that every input is counted once.

#include "counted_inputs.hpp"
#include "fit_record.hpp"
#include "table_folder.hpp"

#include <widehash/folds.hpp>
#include <widehash/internal/table_builder.hpp>
#include <widehash/schema.hpp>
#include <widehash/stop.hpp>
#include <widehash/table_set.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace widehash {

class AddedTables {
 public:
  /// No tables.
  AddedTables() = default;
  /// Reads the lists and records of the folders, but not the tables themselves. Throws FileError; DataError
  /// where a folder does not hold a sound set; ConfigError where a set was made with another schema, has no
  /// record or is named twice, or where the sets count different folds.
  AddedTables(const std::vector<std::string>& directories, const Schema& schema);

  bool empty() const noexcept { return sets_.empty(); }
  /// The number of rows that the sets count.
  std::uint64_t rows() const noexcept;
  /// The inputs that the sets were made from, set after set.
  std::vector<CountedInput> inputs() const;
  /// The fingerprints of the sets, each followed by those of the sets that it was made from.
  std::vector<std::string> fingerprints() const;
  /// The folds whose rows the sets count. Requires at least one set.
  const Folds& folds() const { return sets_.front().record.folds; }
  /// Whether the tables in `output` are one of the sets.
  bool hold(const std::string& output) const;
  const CountedInputs& counted() const noexcept { return counted_; }

  /// Inputs of a set that an earlier set counts with other bytes, and inputs whose bytes an earlier set
  /// counts under another path. Their rows count twice.
  std::vector<std::string> changed_inputs() const;
  std::vector<std::string> copied_inputs() const;

  /// Throws ConfigError where `folds` differ from folds(), if there are inputs or `folds` does not take all.
  void require_folds(const Folds& folds, bool has_inputs) const;
  /// Throws ConfigError where an input would be counted twice, because two sets count it or one set contains
  /// another.
  void require_apart() const;
  /// The set in `output`, where it already counts all other sets. Call it where the set counts `inputs` too.
  /// Reads the checksums of its tables. Throws DataError where they are damaged; ConfigError where it is the
  /// only set and there are no `inputs`, so that nothing would be added.
  std::optional<FoundTables> found_in(const std::string& output,
                                      const std::vector<CountedInput>& inputs) const;

  /// Adds every value of the features for which `is_wanted` is true to `builder`, after checking the
  /// checksums of their tables. Returns early where `stop` asks for it. Throws as open_table() and
  /// TableBuilder::add() do. Cost: the bytes of the tables are read, written once more as runs, and merged.
  void add_values(TableBuilder& builder, const std::function<bool(std::size_t feature)>& is_wanted,
                  const StopFlag* stop) const;
  /// Adds the moments and the number of rows.
  void add_numbers(TableBuilder& builder) const;

 private:
  struct Set {
    TableSet tables;
    FitRecord record;
  };
  std::vector<std::string> inputs_that(bool (CountedInputs::*is)(const CountedInput&) const) const;

  std::vector<Set> sets_;
  CountedInputs counted_;
};

}  // namespace widehash
