#pragma once

/// \file
/// The first layer: a sparse gather-sum over the columns a row sets, and its transpose.
///
///     Z = X W         gather_sum         Z[row, :] = sum over the row's columns c in the range of x_c W[c, :]
///     dW = X^T dZ     scatter_gradient   dW[c, :] += sum over rows that set c of x_c dZ[row, :]
///
/// x_c is 1, or the number of a numeric feature, or how often a ragged run repeats c. Nothing of X is built:
/// the slots of the code batch are read as they lie. Row 0 of W belongs to column `range.begin`; other
/// columns are passed over, so that the partial sums of owners of disjoint ranges add up to the whole. The
/// bias belongs to the tail.
///
/// Order of sums. Forward, a row's sum depends on that row alone. Backward, a column's sum runs over rows in
/// batch order. So neither depends on the number of threads, and backward not on how columns are divided.

#include <widehash/aligned_vector.hpp>
#include <widehash/code_batch.hpp>
#include <widehash/column_range.hpp>
#include <widehash/raw_vector.hpp>

#include <atomic>
#include <cstddef>
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

/// Z = X W over `range`. Shapes: weights [range.size() x units] row-major, sums [rows x units], overwritten.
/// Requires a batch that check_batch() accepts. Throws ShapeError. Cost: O(set columns * units).
template <class Real>
void gather_sum(const CodeBatchView& batch, std::span<const Real> weights, ColumnRange range,
                std::uint32_t units, std::span<Real> sums);

/// gradient += X^T deltas over `range`. Shapes: deltas [rows x units], gradient [range.size() x units].
/// `touched` (of the same range; may be null) gains the columns set. Throws ShapeError. Cost: O(set columns *
/// units).
template <class Real>
void scatter_gradient(const CodeBatchView& batch, std::span<const Real> deltas, ColumnRange range,
                      std::uint32_t units, std::span<Real> gradient, TouchedColumns* touched);

/// Columns at which the first layer can be cut into ranges so that each code slot names columns of one range
/// only: the kernels then need no checks. Ascending, 0 and the number of columns among them.
std::vector<std::uint64_t> slot_borders(const CodeLayout& layout);

/// Upper bound of the columns a batch sets, all rows together.
std::uint64_t num_set_columns(const CodeBatchView& batch) noexcept;

}  // namespace widehash
