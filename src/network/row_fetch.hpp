#pragma once

/// \file
/// Prefetches rows. Scattered rows are in no cache, and no hardware prefetcher guesses the next one; going
/// backward, half of them are in the caches of another core. Requesting them while the rows before them are
/// summed overlaps the wait for memory with the work.

#include "kernels.hpp"

#include <widehash/internal/fetch_lines.hpp>

#include <cstddef>
#include <cstdint>

namespace widehash::detail {

class RowFetch {
 public:
  static constexpr std::size_t rows_ahead = 32;

  /// For the bytes that `run` reads of `rows`, which must outlive this object.
  RowFetch(const CodeRun& run, const CodeRows& rows) noexcept
      : rows_(rows),
        begin_(run.wide.num_slots > 0 ? run.wide.first_slot * sizeof(std::uint16_t)
                                      : rows.wide_codes * sizeof(std::uint16_t) + run.bytes.first_slot),
        end_(run.bytes.num_slots > 0
                 ? rows.wide_codes * sizeof(std::uint16_t) + run.bytes.first_slot + run.bytes.num_slots
                 : (run.wide.first_slot + run.wide.num_slots) * sizeof(std::uint16_t)) {}

  /// Prefetches the rows from `row` on, before the first of them is used.
  void begin_at(std::size_t row) const noexcept {
    for (std::size_t i = row; i < row + rows_ahead; ++i) fetch(i);
  }
  /// To be called when `row` is used. Forced inline, like the function it calls.
  [[gnu::always_inline]] void ahead_of(std::size_t row) const noexcept { fetch(row + rows_ahead); }

 private:
  [[gnu::always_inline]] void fetch(std::size_t row) const noexcept {
    if (row >= rows_.num_rows) return;
    fetch_lines(reinterpret_cast<const std::uint8_t*>(rows_.row(row)) + begin_, end_ - begin_);
  }

  const CodeRows& rows_;
  std::size_t begin_;
  std::size_t end_;
};

}  // namespace widehash::detail
