#pragma once

/// \file
/// own[i] = sum over ranks of values[offsets[rank] + i], added in the order of ranks. P ranks, n bytes each.
///
///     1 step: each rank shows every other its part, and adds what it is shown    (P - 1) n / P bytes sent a rank

#include "transport.hpp"

#include <span>

namespace widehash::detail {

template <class Real>
void reduce_scatter(Transport& transport, std::span<const Real> values, std::span<const std::size_t> offsets,
                    std::span<Real> own);

}  // namespace widehash::detail
