#pragma once

/// \file
/// Writes that continue where the system accepted only a part.

#include <cstddef>
#include <span>

namespace widehash {

/// Writes all of `bytes` to the open file. Returns 0, or the errno of the write that failed; how much was
/// written is then unknown.
int write_all(int descriptor, std::span<const std::byte> bytes) noexcept;

}  // namespace widehash
