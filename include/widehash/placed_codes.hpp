#pragma once

/// \file
/// Four-split codes straight from text: values are found by their places, hashed (hash_values.hpp) and
/// reduced to buckets (bucket_reducer.hpp) in registers, eight of a row at a time and four rows side by side,
/// with no stop in memory on the way.

#include <widehash/bucket_reducer.hpp>
#include <widehash/placed_rows.hpp>

#include <cstddef>
#include <cstdint>

namespace widehash {

/// codes[(row * F + j) * 4 + k] = split_k(XXH64(value first_field + j of the row)) mod m_j, for the F
/// features of the reducer. Requires F >= 1 and fields first_field .. first_field + F - 1 in every row.
/// Cost on a current CPU: 4 to 8 cycles a value shorter than 32 bytes.
void encode_places(const PlacedRows& rows, std::size_t first_field, std::uint64_t seed,
                   const BucketReducer& reducer, std::uint16_t* codes) noexcept;

}  // namespace widehash
