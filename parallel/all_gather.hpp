#pragma once

/// \file
/// Every rank's part, in order, in everyone's `whole`. P ranks, n bytes in all.
///
///     1 step: each rank shows its part to all    (P - 1) n / P bytes sent a rank

#include "transport.hpp"

#include <span>

namespace widehash::detail {

void all_gather(Transport& transport, Bytes own, std::span<const std::size_t> offsets,
                std::span<std::byte> whole);

}  // namespace widehash::detail
