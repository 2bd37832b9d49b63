#pragma once

/// \file
/// The default memory budget of work on text and tables.

#include <cstdint>

namespace widehash {

inline constexpr std::uint64_t default_memory_bytes = std::uint64_t{2} << 30;

}  // namespace widehash
