#pragma once

#include <widehash/threads.hpp>

#include <algorithm>
#include <cstddef>

namespace widehash::detail {

/// Rows of one chunk of work. Chunks are cut by row number alone, never by the number of threads, so that
/// sums made chunk by chunk have the same bits for any number of threads.
inline constexpr std::size_t rows_per_chunk = 256;

/// Rows that a step takes forward and backward at a time, so that they are still in the L2 cache on the way
/// back. A multiple of every chunk of dense_layer.cpp, so that gradients have the same bits as in a step
/// without slices.
inline constexpr std::size_t rows_per_slice = 4096;

inline std::size_t num_chunks(std::size_t count, std::size_t chunk = rows_per_chunk) noexcept {
  return (count + chunk - 1) / chunk;
}

/// Calls body(chunk, begin, end) for each chunk of [0, count), on any thread.
template <class Body>
void for_each_chunk(std::size_t count, std::size_t chunk, const Body& body) {
  const std::size_t chunks = num_chunks(count, chunk);
  if (chunks == 1) return body(std::size_t{0}, std::size_t{0}, count);
  parallel_for(chunks, [&](std::size_t i) { body(i, i * chunk, std::min(count, (i + 1) * chunk)); });
}

template <class Body>
void for_each_chunk(std::size_t count, const Body& body) {
  for_each_chunk(count, rows_per_chunk, body);
}

/// Calls body(begin, end) for one share of the values [0, count) of a tensor per thread, the same share each
/// time: in a short step half of a gradient would otherwise move between cores with every pass over it. Only
/// for work that is done value by value, since shares depend on the number of threads.
template <class Body>
void for_each_share(std::size_t count, const Body& body) {
  constexpr std::size_t fewest_values = 4096;
  constexpr std::size_t values_of_lines = 16;  // no cache line is split
  const std::size_t shares = std::clamp<std::size_t>(count / fewest_values, 1, current_threads());
  if (shares == 1) return body(std::size_t{0}, count);
  const auto border = [&](std::size_t i) {
    return i == shares ? count : count * i / shares / values_of_lines * values_of_lines;
  };
  parallel_shares(shares, [&](std::size_t i) { body(border(i), border(i + 1)); });
}

}  // namespace widehash::detail
