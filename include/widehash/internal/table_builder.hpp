#pragma once

/// \file
/// Counts the distinct values of every feature within a memory budget. Values are kept in hash maps. When
/// these reach the budget, they are written out as runs ordered by hash and emptied; the runs are merged, 64
/// at a time. Memory stays within the budget whatever the number and length of values. Disk holds every
/// distinct value at most once per run, and twice while runs are merged.

#include <widehash/internal/hashed_value.hpp>
#include <widehash/internal/running_moments.hpp>
#include <widehash/schema.hpp>
#include <widehash/table_set.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace widehash {

class TableBuilder {
 public:
  /// The smallest `memory_bytes`: buffers for merging and a little room for counting.
  static constexpr std::uint64_t min_memory_bytes = std::uint64_t{16} << 20;

  /// Tables go to `directory`, which must exist. Runs are unnamed files in it and vanish with the builder,
  /// however it ends. Throws ConfigError below min_memory_bytes or if the schema contradicts itself.
  TableBuilder(const Schema& schema, std::string directory, std::uint64_t memory_bytes);
  ~TableBuilder();
  TableBuilder(const TableBuilder&) = delete;
  TableBuilder& operator=(const TableBuilder&) = delete;

  /// Counts `value` `count` times for the feature at that position of the schema. May be called by any number
  /// of threads at once. The tables depend neither on the order of calls nor on the budget. Throws
  /// ConfigError if the feature is not hashed, FileError if a run cannot be written (then the builder is
  /// unusable). Cost: a hash and a probe; no allocation.
  void add(std::size_t feature, std::string_view value, std::uint64_t count = 1);
  /// Counts each of `values` once, like add() but, for many values, at a fraction of its cost. Their hashes
  /// must be hash_xxh64(value, schema.seed); with other hashes the table is not that of the values. Throws
  /// what add() throws, and ConfigError if the schema's hash is xxh3_128. Threads wait for each other only
  /// within a feature, and while memory is written to disk.
  void add_many(std::size_t feature, std::span<const HashedValue> values);
  /// Adds numbers to the moments of a numeric feature. One thread at a time; the last bits depend on the
  /// order of calls. Throws ConfigError if the feature is not numeric.
  void add_moments(std::size_t feature, const RunningMoments& moments);
  void add_rows(std::uint64_t rows) noexcept;

  /// Merges the runs, writes one table per hashed feature, several at a time, and tables.json last. Returns
  /// what was written. Must be called once, when nothing is being added. Throws FileError; ConfigError the
  /// second time.
  TableSet finish();
  /// Like finish(), but writes only the tables of features for which `is_wanted` returns true, and no
  /// tables.json. The result also names the other tables, without their values and checksums.
  TableSet finish_part(const std::function<bool(std::size_t feature)>& is_wanted);

  using UseCount = std::function<void(std::size_t feature, std::string_view value, std::uint64_t count)>;
  /// Instead of finish(): passes every distinct value with its count to `use` once, feature after feature,
  /// the values of each ordered by hash and then by bytes. Then the builder is unusable. A value is valid
  /// during its call. Throws what finish() throws.
  void drain(const UseCount& use);
  /// The receiving end of drain(): a run is what another builder has drained, or a part of it in the same
  /// order. Any number of runs may be open at once; they are merged when the tables are finished. Cost: a
  /// hash per value, and the bytes are written to disk; hash maps would be slow for values ordered by hash.
  /// One thread at a time. Throws what add() throws.
  std::size_t begin_run();
  void add_to_run(std::size_t run, std::size_t feature, std::string_view value, std::uint64_t count);
  /// Declares the run complete, so that its memory is released before the tables are finished. Throws
  /// FileError.
  void end_run(std::size_t run);

  /// Bytes now held for values and buffers, and the number of runs written so far because memory was full.
  /// May be called by any thread.
  std::uint64_t memory_bytes() const;
  std::size_t num_runs() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace widehash
