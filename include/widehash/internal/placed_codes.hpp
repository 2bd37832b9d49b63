#pragma once

/// \file
/// Four-split codes straight from text: values are found by their offsets, hashed (hash_values.hpp) and
/// reduced to buckets (bucket_reducer.hpp) in registers, without a detour through memory. Eight values of a
/// row are processed at a time, and four rows in parallel.

#include <widehash/internal/bucket_reducer.hpp>
#include <widehash/internal/missing_words.hpp>
#include <widehash/placed_rows.hpp>

#include <cstdint>
#include <span>

namespace widehash {

/// codes[(row * F + j) * 4 + k] = split_k(XXH64(value j of the row)) mod m_j, for the F = rows.num_fields
/// features of the reducer; a value that is one of `missing` counts as empty. If `skipped` is not empty it
/// has F words: all ones for a feature whose empty values get 0xFFFF instead of codes, 0 for the others.
/// Requires F >= 1.
/// Cost on a current CPU: 4 to 8 cycles per value shorter than 32 bytes, and half a cycle for each of
/// `missing`.
void encode_places(const PlacedFields& rows, std::uint64_t seed, std::span<const MissingWord> missing,
                   const BucketReducer& reducer, std::uint16_t* codes,
                   std::span<const std::uint64_t> skipped = {}) noexcept;

}  // namespace widehash
