#pragma once

/// \file
/// Inserts gaps for rows that have no prediction.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace widehash {

/// Returns the predictions of `num_rows` rows, `outputs` each: those given, in order, with `gap` for every
/// row of `bad_rows`. Requires `bad_rows` in ascending order; each element has its position as `row`.
template <class Value, class BadRow>
std::vector<Value> with_gaps(const std::vector<Value>& predictions, const std::vector<BadRow>& bad_rows,
                             std::uint64_t num_rows, std::size_t outputs,
                             Value gap = std::numeric_limits<Value>::quiet_NaN()) {
  std::vector<Value> all(num_rows * outputs, gap);
  auto bad = bad_rows.begin();
  auto next = predictions.begin();
  for (std::uint64_t row = 0; row < num_rows; ++row) {
    if (bad != bad_rows.end() && bad->row == row) {
      ++bad;
      continue;
    }
    std::copy_n(next, outputs, all.begin() + static_cast<std::ptrdiff_t>(row * outputs));
    next += static_cast<std::ptrdiff_t>(outputs);
  }
  return all;
}

}  // namespace widehash
