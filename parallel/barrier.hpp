#pragma once

/// \file
/// Returns on no rank before every rank has arrived.
///
///     1 step: each rank shows every other a byte    P - 1 bytes sent per rank

#include "transport.hpp"

namespace widehash::detail {

void barrier(Transport& transport);

}  // namespace widehash::detail
