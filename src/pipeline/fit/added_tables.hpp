#pragma once

/// \file
/// Tables that a `fit` counts on from (`--add`): their values, moments and rows go into those that it writes, and
/// what they were made from into its record, so that every input is counted once.

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
  /// None.
  AddedTables() = default;
  /// Reads the lists and records of the folders, not yet the tables. Throws FileError; DataError for what is no
  /// sound set; ConfigError where one was made with another schema, has no record or is named twice, or where
  /// they count different folds.
  AddedTables(const std::vector<std::string>& directories, const Schema& schema);

  bool empty() const noexcept { return sets_.empty(); }
  /// Rows that they count.
  std::uint64_t rows() const noexcept;
  /// What they were made from, set after set.
  std::vector<CountedInput> inputs() const;
  /// Of the sets, each followed by those of the sets that it was made from.
  std::vector<std::string> fingerprints() const;
  /// Those whose rows they count. Requires a set.
  const Folds& folds() const { return sets_.front().record.folds; }
  /// Whether the tables in `output` are among them.
  bool hold(const std::string& output) const;
  const CountedInputs& counted() const noexcept { return counted_; }

  /// Inputs of a set that another before it counts with other bytes, and those whose bytes it counts by another place:
  /// their rows count twice.
  std::vector<std::string> changed_inputs() const;
  std::vector<std::string> copied_inputs() const;

  /// Throws ConfigError where `folds` are others, and there are inputs or they are asked for.
  void require_folds(const Folds& folds, bool has_inputs) const;
  /// Throws ConfigError where an input would be counted twice since two of the sets count it, or a set holds another.
  void require_apart() const;
  /// The set that is in `output`, where it counts all other sets already; to be asked where it counts `inputs` too.
  /// Reads the checksums of its tables. Throws DataError where they are damaged; ConfigError where it is the only
  /// set and there are no `inputs`, so that nothing would be added.
  std::optional<FoundTables> found_in(const std::string& output,
                                      const std::vector<CountedInput>& inputs) const;

  /// Gives `builder` every value of the features for which `is_wanted`. Reads the checksums of their tables
  /// before. Ends early where `stop` asks for it. Throws as open_table() and TableBuilder::add(). Cost: the bytes of
  /// the tables are read, written once more as runs, and merged.
  void add_values(TableBuilder& builder, const std::function<bool(std::size_t feature)>& is_wanted,
                  const StopFlag* stop) const;
  /// The moments and the rows.
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
