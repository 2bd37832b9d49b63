#pragma once

/// \file
/// Counts the distinct values of every feature within a memory budget: in one map per feature while they fit,
/// and then also in runs on disk (run_set.hpp).

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
    std::string directory;  // for runs
    std::size_t num_features = 0;
    bool wide = false;  // keep the low half of the hash too
    std::size_t fan_in = 0;
    std::size_t cursor_buffer_bytes = 0;  // per run that is being read
  };
  /// `map_bytes` is the memory budget of the maps. Runs are written through `scratch`, which must outlive
  /// this object.
  ValueCounter(const Settings& settings, std::uint64_t map_bytes, std::span<std::byte> scratch);

  /// Adds `count` to the count of a value. Any number of threads may call this; they wait for each other only
  /// within a feature and while maps are written to disk. Throws FileError if a run cannot be written. From
  /// then on it throws on every thread, because values have been lost.
  void add(std::size_t feature, ValueHash hash, std::string_view value, std::uint64_t count);
  /// Adds one to the count of each value. Requires hashes that are not wide.
  void add(std::size_t feature, std::span<const HashedValue> values);

  /// Opens a run for values that arrive in run order: by feature, then hash, then bytes. Any number of runs
  /// may be open. This function and the next two are not thread-safe.
  std::size_t begin_run();
  void add_to_run(std::size_t run, std::size_t feature, const ValueRecord& record);
  /// Ends a run and frees its buffers. Nothing may be added to it afterwards. end() ends runs that are still
  /// open.
  void end_run(std::size_t run);

  /// Ends the counting. Afterwards the runs on disk are few enough to be read in one pass.
  void end();

  // After end():

  /// Whether all values are on disk. Otherwise each feature's values are in its map.
  bool has_runs() const noexcept { return !runs_.empty(); }
  /// The number of values of the feature in memory.
  std::size_t num_in_memory(std::size_t feature) const noexcept {
    return features_[feature].map.num_values();
  }
  /// Passes the values of a feature to `use` in order, and frees those in memory. If there are no runs, it
  /// may be called for several features concurrently.
  void take_each(std::size_t feature, const std::function<void(const ValueRecord&)>& use);
  /// Passes the sorted map of a feature to `use` and frees it. Requires that there are no runs. May be called
  /// for several features concurrently.
  void take_map(std::size_t feature, const std::function<void(const ValueMap&)>& use);
  void clear_runs() noexcept { runs_.clear(); }

  /// Bytes held now for values and runs. num_runs() is the number of runs added so far, whether because
  /// memory was full or through end_run(). Both may be called by any thread.
  std::uint64_t memory_bytes() const;
  std::size_t num_runs() const;

 private:
  // On its own cache lines, because threads lock different features at the same time.
  struct alignas(64) Feature {
    Feature(MemoryLedger& ledger, bool wide) : map(ledger, wide) {}
    std::mutex mutex;
    ValueMap map;
  };
  struct OpenRun {
    explicit OpenRun(Run started) : run(std::move(started)) {}
    Run run;
    std::size_t feature = static_cast<std::size_t>(-1);  // the feature of the latest record
    bool is_open = true;
  };

  /// Throws the error of an earlier spill, if there was one.
  void require_sound() const;
  void add_past_budget(std::size_t feature, ValueHash hash, std::string_view value, std::uint64_t count);
  void spill();
  void spill_alone(std::size_t feature, const ValueRecord& record);

  MemoryLedger ledger_;
  std::span<std::byte> scratch_;
  // Locked shared while values are counted, and exclusively while the maps are written to disk.
  mutable std::shared_mutex spilling_;
  std::exception_ptr failure_;  // of a spill; written with `spilling_` locked exclusively
  std::deque<Feature> features_;
  RunSet runs_;
  std::deque<OpenRun> open_runs_;
};

}  // namespace widehash::detail
