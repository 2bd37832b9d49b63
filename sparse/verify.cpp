#include "progress_meter.hpp"

#include <widehash/dataset.hpp>
#include <widehash/error.hpp>
#include <widehash/file.hpp>
#include <widehash/table_set.hpp>
#include <widehash/threads.hpp>

#include <exception>
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace widehash {
namespace {

// A shard that no manifest names is a row too many for whoever reads the folder with a glob.
void check_strays(const Dataset& dataset) {
  std::set<std::string> known;
  for (const ManifestShard& shard : dataset.manifest().shards) known.insert(shard.file);
  std::set<std::string> strays;
  for (const std::string& name : list_directory(dataset.directory())) {
    if (name.starts_with("part-") && name.ends_with(".shard") && !known.contains(name)) strays.insert(name);
  }
  if (strays.empty()) return;
  throw DataError(
      dataset.directory() + "/" + *strays.begin(), 0,
      fmt::format("the manifest does not name this shard ({} such in the folder); remove it, or transform "
                  "into an empty folder",
                  strays.size()));
}

void verify_tables_beside(const Dataset& dataset) {
  const std::string& directory = dataset.directory();
  if (!file_exists(directory + "/tables.json") && !file_exists(directory + "/tables/tables.json")) return;
  const TableSet set = load_table_set(directory, &dataset.schema());
  if (!dataset.fingerprint().tables.empty() && set.fingerprint != dataset.fingerprint().tables) {
    throw DataError(
        set.directory + "/tables.json", 0,
        fmt::format("not the tables this dataset was encoded with (fingerprint {}, and the manifest names "
                    "{}); restore them from a copy",
                    set.fingerprint, dataset.fingerprint().tables));
  }
  verify_tables(set);
}

/// What is wrong with a file, kept until all files have been read.
struct Problem {
  std::string path;
  std::string message;
  std::exception_ptr error;
};

// A shard or tables of another schema are no wrong request here, but what verification is to find.
Problem problem_of(const std::string& path) {
  try {
    throw;
  } catch (const DataError& error) {
    return {error.path(), error.what(), std::current_exception()};
  } catch (const FileError& error) {
    return {error.path(), error.what(), std::current_exception()};
  } catch (const Error& error) {
    // Messages begin with the path that they are about: this one, or one in it.
    const std::string message = error.what();
    const std::size_t end = message.starts_with(path) ? message.find(": ", path.size()) : std::string::npos;
    const DataError of_data = end == std::string::npos
                                  ? DataError(path, 0, message)
                                  : DataError(message.substr(0, end), 0, message.substr(end + 2));
    return {of_data.path(), of_data.what(), std::make_exception_ptr(of_data)};
  }
}

[[noreturn]] void throw_all(const std::vector<Problem>& problems) {
  if (problems.size() == 1) std::rethrow_exception(problems.front().error);
  std::vector<std::string> messages;
  for (const Problem& problem : problems) messages.push_back(problem.message);
  const Problem& first = problems.front();
  const std::size_t path_bytes = first.message.starts_with(first.path + ": ") ? first.path.size() + 2 : 0;
  const std::size_t others = problems.size() - 1;
  const std::string what = fmt::format("{}; the dataset has {} other problem{}",
                                       first.message.substr(path_bytes), others, others == 1 ? "" : "s");
  throw DamagedDataset(first.path, what, std::move(messages));
}

}  // namespace

DamagedDataset::DamagedDataset(std::string path, const std::string& what, std::vector<std::string> problems)
    : DataError(std::move(path), 0, what), problems_(std::move(problems)) {}

VerifyReport verify_dataset(const std::string& directory, const ProgressCallback& progress) {
  const Dataset dataset(directory);
  const Manifest& manifest = dataset.manifest();

  VerifyReport report;
  report.shards = manifest.shards.size();
  report.rows = manifest.rows;
  report.rejected_rows = manifest.rejected_rows;
  report.bytes = manifest.num_bytes();

  // Kept by shard, so that their order is that of the manifest whatever the timing.
  std::vector<std::optional<Problem>> of_shards(manifest.shards.size());
  detail::ProgressMeter meter(progress, report.bytes);
  parallel_for(manifest.shards.size(), [&](std::size_t i) {
    try {
      dataset.open_shard(i, true).mapping().release_pages();
    } catch (const Error&) {
      of_shards[i] = problem_of(directory + "/" + manifest.shards[i].file);
    }
    meter.add(manifest.shards[i].rows, manifest.shards[i].bytes);
  });
  std::vector<Problem> problems;
  for (std::optional<Problem>& problem : of_shards) {
    if (problem) problems.push_back(std::move(*problem));
  }
  for (const auto check : {check_strays, verify_tables_beside}) {
    try {
      check(dataset);
    } catch (const Error&) {
      problems.push_back(problem_of(directory));
    }
  }
  if (!problems.empty()) throw_all(problems);
  return report;
}

}  // namespace widehash
