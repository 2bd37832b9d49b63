#pragma once

/// \file
/// own[i] = sum over ranks of values[offsets[rank] + i], in the order of pairwise_sum.hpp. P ranks, n bytes
/// each.
///
///     flat          1 step:  each rank shows every other its part, and adds what it is shown
///     host by host  2 steps: ranks of a host add up what the ranks of each place own; ranks of a place add up
///                            the sums of the hosts
///
/// Both send (P - 1) n / P bytes per rank. With G ranks per host, the flat way sends (P - G) n / P of these
/// to other hosts, and the way host by host a G-th of that. by_hosts.hpp chooses between them; the bits are
/// the same.

#include "by_hosts.hpp"
#include "transport.hpp"

#include <span>

namespace widehash::detail {

/// `values`, except this rank's part, must stay unchanged until the transport's next exchange() or finish().
/// `own` may be that part.
template <class Real>
void reduce_scatter(Transport& transport, std::span<const Real> values, std::span<const std::size_t> offsets,
                    std::span<Real> own, HostCopies& copies);

}  // namespace widehash::detail
