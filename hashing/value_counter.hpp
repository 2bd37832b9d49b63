#pragma once

/// \file
/// Counts of the distinct values of every feature, within a memory budget: in a map a feature while they fit,
/// then in runs on disk too (run_set.hpp).

#include "memory_ledger.hpp"
#include "run_set.hpp"
#include "value_map.hpp"
#include "value_record.hpp"

#include <widehash/internal/hashed_value.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace widehash::detail {

class ValueCounter {
 public:
  struct Settings {
    std::string directory;  // of the runs
    std::size_t num_features = 0;
    bool wide = false;  // the low half of the hash is kept as well
    std::size_t fan_in = 0;
    std::size_t cursor_buffer_bytes = 0;  // of each run that is being read
  };
  /// `map_bytes` is what maps may take; runs are written through `scratch`, which must outlive this.
  ValueCounter(const Settings& settings, std::uint64_t map_bytes, std::span<std::byte> scratch);

  /// Adds to the count of a value. Any number of threads, which wait for each other only within a feature and
  /// while maps are emptied to disk. Throws FileError when a run cannot be written, and from then on on every
  /// thread, for values are lost with it.
  void add(std::size_t feature, ValueHash hash, std::string_view value, std::uint64_t count);
  /// Adds one to the count of each; not where hashes are wide.
  void add(std::size_t feature, std::span<const HashedValue> values);

  /// Opens a run for values that come in the order of runs: features, then hashes, then bytes. Any number may
  /// be open. One thread at a time, as of the next two.
  std::size_t begin_run();
  void add_to_run(std::size_t run, std::size_t feature, const ValueRecord& record);
  /// Gives its buffers back; nothing is added to it any more. end() ends those that are open.
  void end_run(std::size_t run);

  /// Ends the counting. What is on disk is then in few enough runs to be read in one pass.
  void end();

  // After end():

  /// Whether values are on disk, all of them; else each feature's are in its map.
  bool has_runs() const noexcept { return !runs_.empty(); }
  /// How many values of the feature are in memory.
  std::size_t num_in_memory(std::size_t feature) const noexcept {
    return features_[feature].map.num_values();
  }
  /// Gives the values of a feature in order to `use` and forgets those in memory. Side by side for several
  /// features where there are no runs.
  void take_each(std::size_t feature, const std::function<void(const ValueRecord&)>& use);
  /// Gives the map of a feature, sorted, and forgets it. Where there are no runs; side by side likewise.
  void take_map(std::size_t feature, const std::function<void(const ValueMap&)>& use);
  void clear_runs() noexcept { runs_.clear(); }

  /// Bytes held now for values and runs, and runs written so far because memory was full. Any thread.
  std::uint64_t memory_bytes() const;
  std::size_t num_runs() const;

 private:
  // On cache lines of its own, for threads hold different features at the same time.
  struct alignas(64) Feature {
    Feature(MemoryLedger& ledger, bool wide) : map(ledger, wide) {}
    std::mutex mutex;
    ValueMap map;
  };
  struct OpenRun {
    explicit OpenRun(Run started) : run(std::move(started)) {}
    Run run;
    std::size_t feature = static_cast<std::size_t>(-1);  // whose values come now
    bool is_open = true;
  };

  /// Throws what a spill before has failed with.
  void require_sound() const;
  void add_past_budget(std::size_t feature, ValueHash hash, std::string_view value, std::uint64_t count);
  void spill();
  void spill_alone(std::size_t feature, const ValueRecord& record);

  MemoryLedger ledger_;
  std::span<std::byte> scratch_;
  // Held shared while values are counted, and alone while the maps are emptied to disk.
  mutable std::shared_mutex spilling_;
  std::exception_ptr failure_;  // of a spill; written with `spilling_` held alone
  std::deque<Feature> features_;
  RunSet runs_;
  std::deque<OpenRun> open_runs_;
};

}  // namespace widehash::detail
