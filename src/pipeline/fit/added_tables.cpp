#include "added_tables.hpp"

#include <widehash/error.hpp>
#include <widehash/internal/running_moments.hpp>
#include <widehash/internal/shared_stop.hpp>
#include <widehash/lookup_table.hpp>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <system_error>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace widehash {
namespace {

// Values between two looks at the flag.
constexpr std::uint64_t values_per_look = std::uint64_t{1} << 16;

bool is_same_folder(const std::string& a, const std::string& b) {
  std::error_code ignored;  // what cannot be looked at is no folder of tables that were read
  return std::filesystem::equivalent(a, b, ignored);
}

/// What came from a stream is never known again.
bool is_known(const InputSign& sign) noexcept { return sign.sample != 0; }

/// Inputs and the set that counts them.
class Counted {
 public:
  void add(const std::vector<InputSign>& inputs, const std::string& folder) {
    for (const InputSign& sign : inputs) {
      if (is_known(sign)) folders_.emplace(key_of(sign), folder);
    }
  }
  /// Null where none of the sets counts it.
  const std::string* folder_of(const InputSign& sign) const {
    const auto found = folders_.find(key_of(sign));
    return found == folders_.end() ? nullptr : &found->second;
  }

 private:
  using Key = std::tuple<std::string, std::uint64_t, std::uint64_t>;
  static Key key_of(const InputSign& sign) { return {sign.path, sign.size_bytes, sign.sample}; }

  std::map<Key, std::string> folders_;
};

void refuse_counted(const Counted& counted, const std::vector<InputSign>& inputs) {
  for (const InputSign& sign : inputs) {
    if (const std::string* folder = counted.folder_of(sign)) {
      throw ConfigError(fmt::format(
          "{}: is counted in the tables of {} already, and would be counted twice; leave it or them out",
          sign.path, *folder));
    }
  }
}

FitRecord record_of(const TableSet& tables) {
  std::optional<FitRecord> record = read_fit_record(tables.directory);
  if (!record || record->tables_fingerprint != tables.fingerprint) {
    throw ConfigError(
        fmt::format("{}: what these tables were made from is not recorded in {} beside them, so "
                    "that nobody can tell what would be counted twice; make them again with fit",
                    tables.directory, fit_record_name));
  }
  return std::move(*record);
}

RunningMoments running(const NumericMoments& moments) noexcept {
  const double variance = moments.standard_deviation * moments.standard_deviation;
  return {moments.count, moments.mean, variance * static_cast<double>(moments.count)};
}

}  // namespace

AddedTables::AddedTables(const std::vector<std::string>& directories, const Schema& schema) {
  for (const std::string& directory : directories) {
    TableSet tables = load_table_set(directory, &schema);
    for (const Set& other : sets_) {
      if (!is_same_folder(other.tables.directory, tables.directory)) continue;
      throw ConfigError(fmt::format("{}: its tables are to be added twice; name them once", directory));
    }
    FitRecord record = record_of(tables);
    if (!sets_.empty() && record.folds != folds()) {
      throw ConfigError(fmt::format("{}: counts {}, and {} counts {}; only tables of the same folds add up",
                                    directory, rows_of(record.folds), sets_.front().tables.directory,
                                    rows_of(folds())));
    }
    sets_.push_back({std::move(tables), std::move(record)});
  }
}

std::uint64_t AddedTables::rows() const noexcept {
  std::uint64_t rows = 0;
  for (const Set& set : sets_) rows += set.tables.rows;
  return rows;
}

std::vector<InputSign> AddedTables::inputs() const {
  std::vector<InputSign> inputs;
  for (const Set& set : sets_)
    inputs.insert(inputs.end(), set.record.inputs.begin(), set.record.inputs.end());
  return inputs;
}

std::vector<std::string> AddedTables::fingerprints() const {
  std::vector<std::string> fingerprints;
  for (const Set& set : sets_) fingerprints.push_back(set.tables.fingerprint);
  return fingerprints;
}

bool AddedTables::hold(const std::string& output) const {
  return std::any_of(sets_.begin(), sets_.end(),
                     [&](const Set& set) { return is_same_folder(set.tables.directory, output); });
}

void AddedTables::require_fits(const std::vector<InputSign>& signs, const Folds& folds) const {
  if (empty()) return;
  if (folds != this->folds() && !(signs.empty() && folds.take_all())) {
    throw ConfigError(fmt::format("{}: counts {}, and this fit {}; only counts of the same folds add up",
                                  sets_.front().tables.directory, rows_of(this->folds()), rows_of(folds)));
  }
  Counted counted;
  for (const Set& set : sets_) {
    refuse_counted(counted, set.record.inputs);
    counted.add(set.record.inputs, set.tables.directory);
  }
  refuse_counted(counted, signs);
}

const TableSet* AddedTables::holding_all(const std::string& output,
                                         const std::vector<InputSign>& signs) const {
  const Set* base = nullptr;
  std::vector<InputSign> others = signs;
  for (const Set& set : sets_) {
    if (is_same_folder(set.tables.directory, output))
      base = &set;
    else
      others.insert(others.end(), set.record.inputs.begin(), set.record.inputs.end());
  }
  if (base == nullptr) return nullptr;
  if (others.empty() && sets_.size() == 1) {
    throw ConfigError(
        fmt::format("{}: nothing is to be added to its tables; name inputs, or further tables", output));
  }
  Counted counted;
  counted.add(base->record.inputs, output);
  const bool holds_all = std::all_of(others.begin(), others.end(), [&](const InputSign& sign) {
    return is_known(sign) && counted.folder_of(sign) != nullptr;
  });
  return holds_all && !others.empty() ? &base->tables : nullptr;
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
