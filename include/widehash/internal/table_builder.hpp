#pragma once

/// \file
/// Counting the distinct values of every feature within a memory budget. Values are kept in hash maps; when
/// these reach the budget they are written out as runs ordered by hash and emptied, and the runs are merged,
/// 64 at a time. Memory stays within the budget whatever the number and the length of values; disk holds
/// every distinct value at most once per run, and twice while runs are merged.

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
  /// The least `memory_bytes`: buffers for merging and a little room to count.
  static constexpr std::uint64_t min_memory_bytes = std::uint64_t{16} << 20;

  /// Tables go to `directory`, which must exist; runs are nameless files in it, gone with the builder however
  /// it ends. Throws ConfigError below min_memory_bytes or where the schema contradicts itself.
  TableBuilder(const Schema& schema, std::string directory, std::uint64_t memory_bytes);
  ~TableBuilder();
  TableBuilder(const TableBuilder&) = delete;
  TableBuilder& operator=(const TableBuilder&) = delete;

  /// Counts `value` `count` times for the feature at that position of the schema. Any number of threads at
  /// once. The tables do not depend on the order of calls, nor on the budget. Throws ConfigError where the
  /// feature is not hashed, FileError when a run cannot be written (the builder is then of no more use).
  /// Cost: a hash and a probe; no allocation.
  void add(std::size_t feature, std::string_view value, std::uint64_t count = 1);
  /// Counts each of `values` once: add() for many, at a fraction of its cost where they are. Their hashes
  /// must be hash_xxh64(value, schema.seed); with others the table is not that of the values. Throws as
  /// add(), and ConfigError where the schema's hash is xxh3_128. Threads wait for each other only within a
  /// feature, and while memory is emptied to disk.
  void add_many(std::size_t feature, std::span<const HashedValue> values);
  /// Takes numbers into the moments of a numeric feature. One thread at a time; the last bits depend on the
  /// order of calls. Throws ConfigError where the feature is not numeric.
  void add_moments(std::size_t feature, const RunningMoments& moments);
  void add_rows(std::uint64_t rows) noexcept;

  /// Merges the runs, writes one table a hashed feature, several at a time, and tables.json, last. Returns
  /// what was written. Call once, when nothing is being added. Throws FileError; ConfigError the second time.
  TableSet finish();
  /// As finish(), but only the tables of the features for which `is_wanted`, and no tables.json: what is
  /// returned names the other tables, too, without their values and checksums.
  TableSet finish_part(const std::function<bool(std::size_t feature)>& is_wanted);

  using UseCount = std::function<void(std::size_t feature, std::string_view value, std::uint64_t count)>;
  /// Instead of finish(): gives every distinct value with its count, once, feature after feature, each one's
  /// values by hash and then by bytes. The builder is then of no more use. A value holds during its call.
  /// Throws as finish().
  void drain(const UseCount& use);
  /// The other end of drain(): a run is what one other builder has drained, or a part of it in the same
  /// order. Any number of runs may be open at once, and come together when the tables are finished. Cost: a
  /// hash, and the bytes are written to disk; hash maps would be slow on values ordered by hash. One thread
  /// at a time. Throws as add().
  std::size_t begin_run();
  void add_to_run(std::size_t run, std::size_t feature, std::string_view value, std::uint64_t count);
  /// That nothing more comes into it, so that its memory is given back before the tables are finished. Throws
  /// FileError.
  void end_run(std::size_t run);

  /// Bytes held now for values and buffers, and runs written so far because memory was full. Any thread.
  std::uint64_t memory_bytes() const;
  std::size_t num_runs() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace widehash
