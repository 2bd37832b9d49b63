#pragma once

/// \file
/// Asks for rows some way ahead of the one at hand. Rows that lie scattered are in no cache, and no prefetcher of the machine
/// guesses the next one; going backward, half of them are in the caches of another core. Asked for while the rows before them
/// are summed, they make waiting for memory part of the work.

#include "kernels.hpp"

#include <cstddef>
#include <cstdint>

namespace widehash::detail {

class RowFetch {
 public:
  static constexpr std::size_t rows_ahead = 32;

  /// What `run` reads of the rows, which must outlive this.
  RowFetch(const CodeRun& run, const CodeRows& rows) noexcept
      : rows_(rows),
        begin_(run.wide.num_slots > 0 ? run.wide.first_slot * sizeof(std::uint16_t)
                                      : rows.wide_codes * sizeof(std::uint16_t) + run.bytes.first_slot),
        end_(run.bytes.num_slots > 0
                 ? rows.wide_codes * sizeof(std::uint16_t) + run.bytes.first_slot + run.bytes.num_slots
                 : (run.wide.first_slot + run.wide.num_slots) * sizeof(std::uint16_t)) {}

  /// The rows from `row` on, before the first of them is used.
  void begin_at(std::size_t row) const noexcept {
    for (std::size_t i = row; i < row + rows_ahead; ++i) fetch(i);
  }
  /// When `row` is used. Inlined by force: a call from code compiled for another instruction set saves every vector register,
  /// and a gather took 1.4 times as long.
  [[gnu::always_inline]] void ahead_of(std::size_t row) const noexcept { fetch(row + rows_ahead); }

 private:
  static constexpr std::size_t cache_line_bytes = 64;

  [[gnu::always_inline]] void fetch(std::size_t row) const noexcept {
    if (row >= rows_.num_rows) return;
    const auto* const first = reinterpret_cast<const std::uint8_t*>(rows_.row(row));
    for (std::size_t at = begin_; at < end_; at += cache_line_bytes) __builtin_prefetch(first + at);
    __builtin_prefetch(first + end_ - 1);
  }

  const CodeRows& rows_;
  std::size_t begin_;
  std::size_t end_;
};

}  // namespace widehash::detail
