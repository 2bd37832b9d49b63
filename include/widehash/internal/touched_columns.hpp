#pragma once

/// \file
/// Which columns of the first layer a batch has touched.

#include <widehash/internal/aligned_vector.hpp>
#include <widehash/internal/column_range.hpp>
#include <widehash/internal/raw_vector.hpp>

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

namespace widehash {

/// Columns of a range that a batch set, each once, in ascending order: passes over what they touched then go
/// through memory one way.
class TouchedColumns {
 public:
  TouchedColumns() = default;
  explicit TouchedColumns(ColumnRange range);

  /// Positions within the range (column - range.begin), as of the last list().
  std::span<const std::uint32_t> positions() const noexcept { return positions_; }
  std::uint64_t range_size() const noexcept { return range_size_; }
  /// Forgets them; O(touched + range / 64).
  void clear() noexcept;

  class Marker;
  /// For those who scatter.
  Marker marker() noexcept;
  /// Makes positions() what has been marked since the last clear(), by one thread; O(touched + range / 64).
  void list();

 private:
  /// A type of its own: a byte that is stored could be part of anything, and all would be loaded again.
  enum class Mark : std::uint8_t { none, set };
  /// Neighbours whose marks are one cache line: where none is marked, none is looked at.
  static constexpr std::uint64_t group_columns = 64;

  template <class Use>
  void for_each_group(const Use& use);

  std::uint64_t range_size_ = 0;
  AlignedVector<Mark> marks_;  // whole groups
  std::vector<Mark> group_marks_;
  RawVector<std::uint32_t> positions_;
};

/// Marks columns as touched, from any thread. Nothing is read, so that no mark waits for another. A copy in a
/// loop of its own stays in registers.
class TouchedColumns::Marker {
 public:
  void operator()(std::uint64_t position) const noexcept {
    std::atomic_ref(marks_[position]).store(Mark::set, std::memory_order_relaxed);
    std::atomic_ref(group_marks_[position / group_columns]).store(Mark::set, std::memory_order_relaxed);
  }

 private:
  friend class TouchedColumns;
  Marker(Mark* marks, Mark* group_marks) noexcept : marks_(marks), group_marks_(group_marks) {}

  Mark* marks_;
  Mark* group_marks_;
};

inline TouchedColumns::Marker TouchedColumns::marker() noexcept {
  return {marks_.data(), group_marks_.data()};
}

}  // namespace widehash
