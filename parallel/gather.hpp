#pragma once

/// \file
/// Every rank's part, in order, in the root's `whole`. P ranks, n bytes in all.
///
///     1 step: each rank shows its part to the root    n / P bytes sent per rank, none by the root

#include "transport.hpp"

#include <span>

namespace widehash::detail {

void gather(Transport& transport, Bytes own, std::span<const std::size_t> offsets, int root,
            std::span<std::byte> whole);

}  // namespace widehash::detail
