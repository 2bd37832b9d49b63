#pragma once

/// \file
/// Runs on disk, and the merge that reads several of them as one. A run holds the counted values of all
/// features, written when memory is full. The values of each feature are ordered by hash, then by bytes.
///
/// A record of a run: hash u64, low half u64 (wide hashes only), count u64, length u32, bytes.

#include "value_record.hpp"

#include <widehash/internal/temp_file.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace widehash::detail {

class Run {
 public:
  Run(const std::string& directory, std::size_t num_features, bool wide, std::size_t buffer_bytes);

  /// Features must be added in order, and the records of each feature in their order.
  void begin_feature(std::size_t feature);
  void append(const ValueRecord& record, std::span<std::byte> scratch);
  /// Must be called after the last record. Frees the buffer's memory.
  void end();

  struct Part {
    std::uint64_t begin = 0;  // offsets into file()
    std::uint64_t end = 0;
  };
  Part part(std::size_t feature) const noexcept { return {begins_[feature], begins_[feature + 1]}; }
  const TempFile& file() const noexcept { return file_; }
  bool wide() const noexcept { return wide_; }
  /// Memory held as long as the run exists.
  std::uint64_t memory_bytes() const noexcept {
    return begins_.capacity() * sizeof(std::uint64_t) + sizeof(Run);
  }

  int level = 0;  // number of merges its records have been through

 private:
  TempFile file_;
  bool wide_;
  std::size_t next_feature_ = 0;
  std::vector<std::uint64_t> begins_;  // one per feature, and the end
};

/// Passes the records of one feature in all of `runs` to `consume`, in order. Equal values come once, with
/// the sum of their counts. A record is valid only during the call. Memory: `buffer_bytes` per run and twice
/// `buffer_bytes` besides, regardless of the longest value.
void merge_runs(std::span<const Run> runs, std::size_t feature, std::size_t buffer_bytes,
                const std::function<void(const ValueRecord&)>& consume);

}  // namespace widehash::detail
