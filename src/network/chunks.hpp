#pragma once

#include <widehash/threads.hpp>

#include <algorithm>
#include <cstddef>

namespace widehash::detail {

/// Rows of one chunk of work. Chunks are cut by row number alone, never by the number of threads, so that
/// sums made chunk by chunk have the same bits for any number of threads.
inline constexpr std::size_t rows_per_chunk = 256;

/// A step goes forward and backward over so many rows at a time, which then lie in the second cache from one to the other.
/// A multiple of every chunk of dense_layer.cpp, so that gradients have the bits of a step in one piece.
inline constexpr std::size_t rows_per_slice = 4096;

inline std::size_t num_chunks(std::size_t count, std::size_t chunk = rows_per_chunk) noexcept {
  return (count + chunk - 1) / chunk;
}

/// body(chunk, begin, end) for each chunk of [0, count), on any thread.
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

}  // namespace widehash::detail
