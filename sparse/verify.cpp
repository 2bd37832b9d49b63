#include "progress_meter.hpp"

#include <widehash/dataset.hpp>
#include <widehash/error.hpp>
#include <widehash/file.hpp>
#include <widehash/table_set.hpp>
#include <widehash/threads.hpp>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <set>
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

}  // namespace

VerifyReport verify_dataset(const std::string& directory, const ProgressCallback& progress) {
  const Dataset dataset(directory);
  const Manifest& manifest = dataset.manifest();
  check_strays(dataset);

  VerifyReport report;
  report.shards = manifest.shards.size();
  report.rows = manifest.rows;
  report.rejected_rows = manifest.rejected_rows;
  report.bytes = manifest.num_bytes();

  // Kept by shard, so that the one reported is the first in the manifest whatever the timing.
  std::vector<std::exception_ptr> problems(manifest.shards.size());
  detail::ProgressMeter meter(progress, report.bytes);
  parallel_for(manifest.shards.size(), [&](std::size_t i) {
    try {
      dataset.open_shard(i, true).mapping().release_pages();
    } catch (const Error&) {
      problems[i] = std::current_exception();
    }
    meter.add(manifest.shards[i].rows, manifest.shards[i].bytes);
  });
  const auto first =
      std::find_if(problems.begin(), problems.end(), [](const auto& p) { return p != nullptr; });
  if (first != problems.end()) std::rethrow_exception(*first);
  verify_tables_beside(dataset);
  return report;
}

}  // namespace widehash
