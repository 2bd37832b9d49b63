#include "progress_meter.hpp"

#include <widehash/damaged_files.hpp>
#include <widehash/dataset.hpp>
#include <widehash/error.hpp>
#include <widehash/internal/file.hpp>
#include <widehash/internal/file_names.hpp>
#include <widehash/table_set.hpp>
#include <widehash/threads.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace widehash {
namespace {

// A shard that the manifest does not name would add rows for a reader that finds shards with a glob.
void check_strays(const Dataset& dataset) {
  std::set<std::string> known;
  for (const ManifestShard& shard : dataset.manifest().shards) known.insert(shard.file);
  std::set<std::string> strays;
  for (const std::string& name : list_directory(dataset.directory())) {
    if (is_shard_name(name) && !known.contains(name)) strays.insert(name);
  }
  if (strays.empty()) return;
  throw DataError(in_folder(dataset.directory(), *strays.begin()), 0,
                  fmt::format("the manifest does not name this shard ({} such shards in the folder); remove "
                              "it, or transform into an empty folder",
                              strays.size()));
}

// The manifest says how many rows were left out, and the list of rejected rows says which. The list may be
// gone: a user who has looked into the rows no longer needs it.
void check_rejected(const Dataset& dataset) {
  const std::string path = in_folder(dataset.directory(), rejected_name);
  const std::uint64_t expected = dataset.manifest().rejected_rows;
  if (expected == 0 || !file_exists(path)) return;
  const MappedFile file(path);
  const auto bytes = file.bytes();
  const auto lines = static_cast<std::uint64_t>(std::count(bytes.begin(), bytes.end(), std::byte{'\n'}));
  if (lines == expected + 1) return;  // with the heading
  throw DataError(
      path, 0,
      fmt::format(
          "lists {} instead of {} rejected rows: it was altered; restore it from a copy, or remove it",
          lines == 0 ? 0 : lines - 1, expected));
}

void verify_tables_beside(const Dataset& dataset, const ProgressCallback& progress) {
  const std::string& directory = dataset.directory();
  if (!has_table_set(directory)) return;
  const TableSet set = load_table_set(directory, &dataset.schema());
  if (!dataset.fingerprint().tables.empty() && set.fingerprint != dataset.fingerprint().tables) {
    throw DataError(in_folder(set.directory, table_list_name), 0,
                    fmt::format("not the tables this dataset was encoded with (fingerprint {}, but the "
                                "manifest names {}); restore them from a copy",
                                set.fingerprint, dataset.fingerprint().tables));
  }
  verify_tables(set, progress);
}

}  // namespace

VerifyReport verify_dataset(const std::string& directory, const ProgressCallback& progress) {
  const Dataset dataset(directory);
  const Manifest& manifest = dataset.manifest();

  VerifyReport report;
  report.shards = manifest.shards.size();
  report.rows = manifest.rows;
  report.rejected_rows = manifest.rejected_rows;
  report.other_fold_rows = manifest.other_fold_rows;
  report.bytes = manifest.num_bytes();

  // Kept by shard, so that problems are reported in the manifest's order whatever the timing.
  std::vector<std::optional<Damage>> of_shards(manifest.shards.size());
  detail::ProgressMeter meter(progress, report.bytes);
  parallel_for(manifest.shards.size(), [&](std::size_t i) {
    try {
      dataset.open_shard(i, true).mapping().release_pages();
    } catch (const Error&) {
      of_shards[i] = Damage::at(in_folder(directory, manifest.shards[i].file));
    }
    meter.add(manifest.shards[i].rows, manifest.shards[i].bytes);
  });
  std::vector<Damage> all;
  for (std::optional<Damage>& damage : of_shards) {
    if (damage) all.push_back(std::move(*damage));
  }
  bool is_in_caller = false;  // as in verify_tables()
  const auto note = [&](const std::function<void()>& check) {
    try {
      check();
    } catch (const Error&) {
      if (is_in_caller) throw;
      all.push_back(Damage::at(directory));
    }
  };
  note([&] { check_strays(dataset); });
  note([&] { check_rejected(dataset); });
  // Tables have no rows or bytes of the dataset: progress stands at its end, and the callback may still stop
  // the work.
  const Progress done{report.rows, report.bytes, report.bytes};
  note([&] {
    verify_tables_beside(dataset, [&](const Progress&) {
      is_in_caller = true;
      if (progress) progress(done);
      is_in_caller = false;
    });
  });
  throw_damage(all, "the dataset has");
  return report;
}

}  // namespace widehash
