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

/// The columns of a range that a batch set, each once, in ascending order, so that passes over them go
/// through memory in one direction.
class TouchedColumns {
 public:
  TouchedColumns() = default;
  explicit TouchedColumns(ColumnRange range);

  /// Positions within the range (column - range.begin), as of the last list().
  std::span<const std::uint32_t> positions() const noexcept { return positions_; }
  std::uint64_t range_size() const noexcept { return range_size_; }
  /// Forgets the touched columns; O(touched + range / 64).
  void clear() noexcept;

  class Marker;
  /// For code that scatters gradients.
  Marker marker() noexcept;
  /// Sets positions() to what has been marked since the last clear(). One thread at a time;
  /// O(touched + range / 64).
  void list();

 private:
  /// A type of its own: a stored byte could alias anything, and everything would be loaded again.
  enum class Mark : std::uint8_t { none, set };
  /// Adjacent columns whose marks share a cache line; a group without a mark is skipped as a whole.
  static constexpr std::uint64_t group_columns = 64;

  template <class Use>
  void for_each_group(const Use& use);

  std::uint64_t range_size_ = 0;
  AlignedVector<Mark> marks_;  // whole groups
  std::vector<Mark> group_marks_;
  RawVector<std::uint32_t> positions_;
};

/// Marks columns as touched, from any thread. Nothing is read, so no mark waits for another. A local copy in
/// a loop stays in registers.
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
