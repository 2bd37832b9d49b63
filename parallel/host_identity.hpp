#pragma once

/// \file
/// Which machine a process runs on.

#include <string>

namespace widehash::detail {

/// Returns the name of this machine and the id of its boot, which differ between machines: images and containers may
/// share a name. Processes of one machine return the same text. At most 128 bytes.
std::string host_identity();

}  // namespace widehash::detail
