#pragma once

/// \file
/// How much memory this process can use at all.

#include <cstdint>

namespace widehash {

/// The memory of the machine, or the limit of the container that the process runs in if that is less. In bytes; other
/// processes may hold some of it. Never fails.
std::uint64_t usable_memory_bytes() noexcept;

}  // namespace widehash
