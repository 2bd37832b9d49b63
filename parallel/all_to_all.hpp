#pragma once

/// \file
/// Rank p's to[r] becomes rank r's from[p].
///
///     1 step: each rank shows each other its part    the sum of the parts for others bytes sent a rank

#include "transport.hpp"

#include <span>

namespace widehash::detail {

void all_to_all(Transport& transport, std::span<const Bytes> to, std::span<const std::span<std::byte>> from);

}  // namespace widehash::detail
