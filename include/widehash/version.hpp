#pragma once

/// \file
/// The version of the library: major.minor.patch. Codes and formats are stable within a major version.

namespace widehash {

inline constexpr const char* version = "0.2.0";

}  // namespace widehash
