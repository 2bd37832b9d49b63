#pragma once

/// \file
/// Values on their way to be counted, straight from text: eight rows of one feature at a time, whose values
/// mostly have one length.

#include <widehash/hashed_value.hpp>
#include <widehash/placed_rows.hpp>

#include <cstddef>
#include <cstdint>

namespace widehash {

/// out[i] = HashedValue(value `field` of row i, its XXH64), for every row.
/// Cost on a current CPU: 6 to 10 cycles a value shorter than 32 bytes.
void hash_places(const PlacedRows& rows, std::size_t field, std::uint64_t seed, HashedValue* out) noexcept;

}  // namespace widehash
