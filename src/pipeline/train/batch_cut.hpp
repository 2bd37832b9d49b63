#pragma once

/// \file
/// How the rows of an epoch are cut into batches.

#include <algorithm>
#include <cstdint>

namespace widehash {

class BatchCut {
 public:
  /// Cuts batches of `batch_size` rows, and a last one with the remainder. Requires `batch_size` >= 1.
  static BatchCut full(std::uint64_t num_rows, std::uint64_t batch_size) noexcept {
    return {num_rows, count(num_rows, batch_size), batch_size, 0};
  }
  /// Cuts as many batches as full(), with sizes that differ by at most one; the larger ones come first. For
  /// training: the mean gradient of a few leftover rows would move a model as far as that of a whole batch.
  /// Cuts fewer and larger batches where they would otherwise have fewer than `least` rows.
  static BatchCut even(std::uint64_t num_rows, std::uint64_t batch_size, std::uint64_t least = 1) noexcept {
    if (num_rows == 0) return {};
    const std::uint64_t batches =
        std::min(count(num_rows, batch_size), std::max<std::uint64_t>(num_rows / least, 1));
    return {num_rows, batches, num_rows / batches, num_rows % batches};
  }

  std::uint64_t num_batches() const noexcept { return num_batches_; }
  /// Returns the first row of a batch, or the number of rows for a batch past the last.
  std::uint64_t begin(std::uint64_t batch) const noexcept {
    if (batch >= num_batches_) return num_rows_;
    return batch * size_ + std::min(batch, num_larger_);
  }

 private:
  BatchCut() = default;
  BatchCut(std::uint64_t num_rows, std::uint64_t num_batches, std::uint64_t size,
           std::uint64_t num_larger) noexcept
      : num_rows_(num_rows), num_batches_(num_batches), size_(size), num_larger_(num_larger) {}

  static std::uint64_t count(std::uint64_t num_rows, std::uint64_t batch_size) noexcept {
    return num_rows / batch_size + (num_rows % batch_size != 0 ? 1 : 0);
  }

  std::uint64_t num_rows_ = 0;
  std::uint64_t num_batches_ = 0;
  std::uint64_t size_ = 0;
  std::uint64_t num_larger_ = 0;  // number of batches of size_ + 1 rows
};

}  // namespace widehash
