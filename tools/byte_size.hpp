#pragma once

/// \file
/// Sizes as people write them.
///
///     bytes    12345, 1e9
///     K M G T, KiB MiB GiB TiB      powers of 1024
///     kB MB GB TB (and KB)          powers of 1000

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace widehash::tools {

/// Returns the bytes of "2GiB", "512M", "1.5 GB" or "1e9", rounded down; letter case does not matter. Returns
/// nullopt if `text` is not such a size, is below one byte or does not fit in 64 bits.
std::optional<std::uint64_t> parse_byte_size(std::string_view text);

/// Writes `bytes` exactly, in the largest binary unit that divides it: "2GiB", "1536MiB", "1000".
std::string byte_size_text(std::uint64_t bytes);

}  // namespace widehash::tools
