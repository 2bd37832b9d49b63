#pragma once

/// \file
/// Every rank's part, in order, in every rank's `whole`. P ranks, n bytes in all.
///
///     flat          1 step:  each rank shows its part to all
///     host by host  2 steps: to the ranks of its place on other hosts; then ranks of a host show what they have
///                            to each other
///
/// Both send (P - 1) n / P bytes per rank. With G ranks per host, the flat way sends (P - G) n / P of these
/// to other hosts, and the way host by host a G-th of that. by_hosts.hpp chooses between them.

#include "by_hosts.hpp"
#include "transport.hpp"

#include <span>

namespace widehash::detail {

/// `own` must stay unchanged until the transport's next exchange() or finish(). It may lie at its place in
/// `whole`.
void all_gather(Transport& transport, Bytes own, std::span<const std::size_t> offsets,
                std::span<std::byte> whole, HostCopies& copies);

}  // namespace widehash::detail
