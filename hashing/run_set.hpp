#pragma once

/// \file
/// The runs of a table builder. Their number is kept small: as soon as there are `fan_in` runs of one level,
/// they are merged into one run of the next level. Few files are open at any time, and a value is copied once
/// per level.

#include "run_merge.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace widehash::detail {

class RunSet {
 public:
  /// Merges at most `fan_in` runs at a time, with `cursor_buffer_bytes` for each. Runs are written through
  /// `scratch`, which must outlive this object.
  RunSet(std::string directory, std::size_t num_features, bool wide, std::size_t fan_in,
         std::size_t cursor_buffer_bytes, std::span<std::byte> scratch);

  /// Returns an empty run to fill, end and pass to add().
  Run new_run() const;
  void add(Run run);
  bool empty() const noexcept { return runs_.empty(); }
  /// The number of runs added so far. size() is the number of runs now.
  std::size_t num_added() const noexcept { return num_added_; }
  std::size_t size() const noexcept { return runs_.size(); }
  std::uint64_t memory_bytes() const noexcept;

  /// Merges until a single pass can read all remaining runs.
  void reduce();
  /// Passes the records of one feature to `consume` in order, equal values once. Requires size() <= fan_in,
  /// as after reduce().
  void for_each(std::size_t feature, const std::function<void(const ValueRecord&)>& consume) const;
  void clear() noexcept { runs_.clear(); }

 private:
  void merge_last(std::size_t count);

  std::string directory_;
  std::size_t num_features_;
  bool wide_;
  std::size_t fan_in_;
  std::size_t cursor_buffer_bytes_;
  std::span<std::byte> scratch_;
  std::vector<Run> runs_;  // in order of decreasing level
  std::size_t num_added_ = 0;
};

}  // namespace widehash::detail
