#pragma once

#include "cuda/device_context.hpp"

#include <cstdint>

namespace widehash::cuda {

/// to[slot * stride + row] = from[row * row_size + slot]. Instantiated for codes of either size, columns and
/// numbers.
template <class T>
void transpose(const T* from, std::uint64_t num_rows, std::uint32_t num_slots, std::uint64_t row_size,
               std::uint64_t stride, T* to, const Stream& stream);

}  // namespace widehash::cuda
