#pragma once

/// \file
/// Tables that a `fit` counts on from (`--add`): their values, moments and rows go into those that it writes, and
/// what they were made from into its record, so that nothing is counted twice unseen.

#include "fit_record.hpp"
#include "ingest/input_sign.hpp"

#include <widehash/folds.hpp>
#include <widehash/internal/table_builder.hpp>
#include <widehash/schema.hpp>
#include <widehash/stop.hpp>
#include <widehash/table_set.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
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
  std::vector<InputSign> inputs() const;
  /// Of the sets, in their order.
  std::vector<std::string> fingerprints() const;
  /// Those whose rows they count. Requires a set.
  const Folds& folds() const { return sets_.front().record.folds; }
  /// Whether the tables in `output` are among them.
  bool hold(const std::string& output) const;

  /// That they and `signs` with `folds` add up: throws ConfigError for an input that would be counted twice, and
  /// for other folds where there are inputs to count or folds are asked for.
  void require_fits(const std::vector<InputSign>& signs, const Folds& folds) const;
  /// The set that is in `output`, where it counts all other sets and `signs` already; null otherwise. Throws
  /// ConfigError where it is the only set and there are no `signs`, so that nothing would be added.
  const TableSet* holding_all(const std::string& output, const std::vector<InputSign>& signs) const;

  /// Gives `builder` every value of the features for which `is_wanted`. Reads the checksums of their tables
  /// before. Ends early where `stop` asks for it. Throws as open_table() and TableBuilder::add().
  void add_values(TableBuilder& builder, const std::function<bool(std::size_t feature)>& is_wanted,
                  const StopFlag* stop) const;
  /// The moments and the rows.
  void add_numbers(TableBuilder& builder) const;

 private:
  struct Set {
    TableSet tables;
    FitRecord record;
  };
  std::vector<Set> sets_;
};

}  // namespace widehash
