#pragma once

/// \file
/// The runs of a table builder, kept few: as soon as there are `fan_in` of one level they are merged into one
/// of the next, so that few files are open at any time and a value is copied once a level.

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
  /// Merges at most `fan_in` runs at a time, with `cursor_buffer_bytes` for each; runs are written through
  /// `scratch`, which must outlive this.
  RunSet(std::string directory, std::size_t num_features, bool wide, std::size_t fan_in,
         std::size_t cursor_buffer_bytes, std::span<std::byte> scratch);

  /// An empty run, to be filled, ended and handed to add().
  Run new_run() const;
  void add(Run run);
  bool empty() const noexcept { return runs_.empty(); }
  /// Runs added so far, and runs there are now.
  std::size_t num_added() const noexcept { return num_added_; }
  std::size_t size() const noexcept { return runs_.size(); }
  std::uint64_t memory_bytes() const noexcept;

  /// Merges until a single pass can read all that is left.
  void reduce();
  /// The records of one feature in order, equal values once. Requires size() <= fan_in, as after reduce().
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
  std::vector<Run> runs_;  // ordered by falling level
  std::size_t num_added_ = 0;
};

}  // namespace widehash::detail
