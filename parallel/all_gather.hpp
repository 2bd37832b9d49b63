#pragma once

/// \file
/// Every rank's part, in order, in everyone's `whole`. P ranks, n bytes in all.
///
///     flat          1 step:  each rank shows its part to all
///     host by host  2 steps: to those of its place on other hosts; then those of a host show each other what they have
///
/// Both send (P - 1) n / P bytes a rank, the first of them (P - G) n / P to other hosts, where G ranks are on
/// each, and the second a G-th of that. Which one is in by_hosts.hpp.

#include "by_hosts.hpp"
#include "transport.hpp"

#include <span>

namespace widehash::detail {

/// `own` must stay as it is until the transport's next exchange() or finish(); it may lie at its place in
/// `whole`.
void all_gather(Transport& transport, Bytes own, std::span<const std::size_t> offsets,
                std::span<std::byte> whole, HostCopies& copies);

}  // namespace widehash::detail
