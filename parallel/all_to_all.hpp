#pragma once

/// \file
/// Rank p's to[r] becomes rank r's from[p].
///
///     1 step: each rank shows every other its part    bytes sent per rank: the sum of the parts for other ranks

#include "transport.hpp"

#include <span>

namespace widehash::detail {

void all_to_all(Transport& transport, std::span<const Bytes> to, std::span<const std::span<std::byte>> from);

}  // namespace widehash::detail
