#pragma once

/// \file
/// Nobody leaves before everybody came.
///
///     1 step: everyone shows everyone a byte    P - 1 bytes sent a rank

#include "transport.hpp"

namespace widehash::detail {

void barrier(Transport& transport);

}  // namespace widehash::detail
