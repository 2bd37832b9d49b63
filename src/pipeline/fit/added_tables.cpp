#include "added_tables.hpp"

#include <widehash/error.hpp>
#include <widehash/internal/file.hpp>
#include <widehash/internal/file_names.hpp>
#include <widehash/internal/running_moments.hpp>
#include <widehash/internal/shared_stop.hpp>
#include <widehash/lookup_table.hpp>

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace widehash {
namespace {

// Values between two checks of the stop flag.
constexpr std::uint64_t values_per_look = std::uint64_t{1} << 16;

FitRecord record_of(const TableSet& tables) {
  std::optional<FitRecord> record = read_fit_record(tables.directory);
  if (!record || record->tables_fingerprint != tables.fingerprint) {
    const bool is_there = file_exists(in_folder(tables.directory, fit_record_name));
    throw ConfigError(
        fmt::format("{}: {}, which records what these tables were made from, {}; without it inputs could be "
                    "counted twice: make the tables again with fit",
                    tables.directory, fit_record_name,
                    !is_there ? "is missing"
                    : record  ? "belongs to other tables"
                              : "is damaged or from a later version"));
  }
  return std::move(*record);
}

/// Whether the record has an input that can never be recognised again.
bool has_stream(const FitRecord& record) {
  return std::ranges::any_of(record.inputs, [](const CountedInput& input) { return input.sign.sample == 0; });
}

bool holds(const std::vector<std::string>& fingerprints, const std::string& fingerprint) {
  return std::ranges::find(fingerprints, fingerprint) != fingerprints.end();
}

/// Whether `last` is not empty and its inputs are the last ones of `all`.
bool ends_with(const std::vector<CountedInput>& all, const std::vector<CountedInput>& last) {
  return !last.empty() && all.size() >= last.size() &&
         std::equal(last.begin(), last.end(), all.end() - static_cast<std::ptrdiff_t>(last.size()),
                    [](const CountedInput& a, const CountedInput& b) { return a.sign == b.sign; });
}

void require_sound(const TableSet& tables) {
  for (std::size_t feature = 0; feature < tables.items.size(); ++feature) {
    if (!tables.items[feature].file.empty()) open_table(tables, feature);
  }
}

RunningMoments running(const NumericMoments& moments) noexcept {
  const double variance = moments.standard_deviation * moments.standard_deviation;
  return {moments.count, moments.mean, variance * static_cast<double>(moments.count)};
}

}  // namespace

AddedTables::AddedTables(const std::vector<std::string>& directories, const Schema& schema) {
  for (const std::string& directory : directories) {
    if (!has_table_set(directory)) {
      throw ConfigError(
          fmt::format("{}: holds no tables to add to; name one folder of tables at each --add, or leave "
                      "--add out the first time",
                      directory));
    }
    TableSet tables = load_table_set(directory, &schema);
    for (const Set& other : sets_) {
      if (!is_same_file(other.tables.directory, tables.directory)) continue;
      throw ConfigError(fmt::format("{}: its tables would be added twice; name them once", directory));
    }
    FitRecord record = record_of(tables);
    counted_.add(record.inputs, tables.directory);
    if (!sets_.empty() && record.folds != folds()) {
      throw ConfigError(
          fmt::format("{}: counts {}, but {} counts {}; only tables of the same folds can be added",
                      directory, rows_of(record.folds), sets_.front().tables.directory, rows_of(folds())));
    }
    sets_.push_back({std::move(tables), std::move(record)});
  }
}

std::uint64_t AddedTables::rows() const noexcept {
  std::uint64_t rows = 0;
  for (const Set& set : sets_) rows += set.tables.rows;
  return rows;
}

std::vector<CountedInput> AddedTables::inputs() const {
  std::vector<CountedInput> inputs;
  for (const Set& set : sets_)
    inputs.insert(inputs.end(), set.record.inputs.begin(), set.record.inputs.end());
  return inputs;
}

std::vector<std::string> AddedTables::fingerprints() const {
  std::vector<std::string> fingerprints;
  for (const Set& set : sets_) {
    fingerprints.push_back(set.tables.fingerprint);
    fingerprints.insert(fingerprints.end(), set.record.added.begin(), set.record.added.end());
  }
  return fingerprints;
}

std::vector<std::string> AddedTables::inputs_that(bool (CountedInputs::*is)(const CountedInput&)
                                                      const) const {
  std::vector<std::string> found;
  CountedInputs before;
  for (const Set& set : sets_) {
    for (const CountedInput& input : set.record.inputs)
      if ((before.*is)(input)) found.push_back(input.sign.path);
    before.add(set.record.inputs, set.tables.directory);
  }
  return found;
}

std::vector<std::string> AddedTables::changed_inputs() const {
  return inputs_that(&CountedInputs::had_other_bytes);
}

std::vector<std::string> AddedTables::copied_inputs() const { return inputs_that(&CountedInputs::is_copy); }

bool AddedTables::hold(const std::string& output) const {
  return std::any_of(sets_.begin(), sets_.end(),
                     [&](const Set& set) { return is_same_file(set.tables.directory, output); });
}

void AddedTables::require_folds(const Folds& folds, bool has_inputs) const {
  if (empty() || folds == this->folds() || (!has_inputs && folds.take_all())) return;
  throw ConfigError(
      fmt::format("{}: counts {}, but this fit counts {}; only tables of the same folds can be added",
                  sets_.front().tables.directory, rows_of(this->folds()), rows_of(folds)));
}

void AddedTables::require_apart() const {
  CountedInputs counted;
  for (const Set& set : sets_) {
    for (const CountedInput& input : set.record.inputs) {
      const std::string* folder = counted.folder_of(input);
      if (folder == nullptr) continue;
      throw ConfigError(fmt::format(
          "{}: is counted in the tables of both {} and {}, so it would count twice; leave one of the two out",
          input.sign.path, *folder, set.tables.directory));
    }
    counted.add(set.record.inputs, set.tables.directory);
    for (const Set& other : sets_) {
      const bool is_in_other = &other != &set && (other.tables.fingerprint == set.tables.fingerprint ||
                                                  holds(other.record.added, set.tables.fingerprint));
      if (!is_in_other || !has_stream(set.record)) continue;
      throw ConfigError(fmt::format(
          "{}: its tables are already included in those of {} and would count twice; leave them out",
          set.tables.directory, other.tables.directory));
    }
  }
}

std::optional<FoundTables> AddedTables::found_in(const std::string& output,
                                                 const std::vector<CountedInput>& inputs) const {
  const auto base =
      std::ranges::find_if(sets_, [&](const Set& set) { return is_same_file(set.tables.directory, output); });
  if (base == sets_.end()) return std::nullopt;
  if (inputs.empty() && sets_.size() == 1) {
    throw ConfigError(
        fmt::format("{}: there is nothing to add to its tables; name inputs or more tables", output));
  }
  CountedInputs of_base;
  of_base.add(base->record.inputs, output);
  for (const Set& set : sets_) {
    if (&set == &*base || holds(base->record.added, set.tables.fingerprint)) continue;
    const bool is_counted = std::ranges::all_of(
        set.record.inputs, [&](const CountedInput& input) { return of_base.folder_of(input) != nullptr; });
    if (!is_counted) return std::nullopt;
  }
  require_sound(base->tables);
  const bool was_last = ends_with(base->record.inputs, inputs);
  return FoundTables{base->tables, was_last ? base->record.rejected_rows : 0,
                     was_last ? base->record.other_fold_rows : 0};
}

void AddedTables::add_values(TableBuilder& builder, const std::function<bool(std::size_t feature)>& is_wanted,
                             const StopFlag* stop) const {
  for (const Set& set : sets_) {
    const std::size_t run = builder.begin_run();
    for (std::size_t feature = 0; feature < set.tables.items.size(); ++feature) {
      if (set.tables.items[feature].file.empty() || !is_wanted(feature)) continue;
      const LookupTable table = open_table(set.tables, feature);
      for (std::uint64_t i = 0; i < table.num_values(); ++i) {
        if (i % values_per_look == 0 && stop_is_asked(stop)) return;
        const TableEntry entry = table.entry(i);
        builder.add_to_run(run, feature, entry.value, entry.count);
      }
      table.file().mapping().release_pages();
    }
    builder.end_run(run);
  }
}

void AddedTables::add_numbers(TableBuilder& builder) const {
  for (const Set& set : sets_) {
    for (std::size_t feature = 0; feature < set.tables.items.size(); ++feature) {
      const NumericMoments& moments = set.tables.items[feature].moments;
      if (moments.count > 0) builder.add_moments(feature, running(moments));
    }
  }
  builder.add_rows(rows());
}

}  // namespace widehash
