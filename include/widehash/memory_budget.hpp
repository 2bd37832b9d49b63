#pragma once

/// \file
/// The memory that work on text and tables keeps to where its user gives no other budget.

#include <cstdint>

namespace widehash {

inline constexpr std::uint64_t default_memory_bytes = std::uint64_t{2} << 30;

}  // namespace widehash
