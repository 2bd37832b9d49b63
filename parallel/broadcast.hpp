#pragma once

/// \file
/// Copies the root's bytes to all ranks. P ranks, n bytes.
///
///     small (up to small_broadcast_bytes)   1 step:  the root shows all to all; it sends (P - 1) n bytes
///     large                                 2 steps: an even part to each, then all-gather; the root sends
///                                           2 (P - 1) n / P bytes, each other rank (P - 1) n / P

#include "by_hosts.hpp"
#include "transport.hpp"

#include <span>

namespace widehash::detail {

inline constexpr std::size_t small_broadcast_bytes = 4096;

void broadcast(Transport& transport, std::span<std::byte> values, int root, HostCopies& copies);

}  // namespace widehash::detail
