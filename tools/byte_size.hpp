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

/// Bytes of "2GiB", "512M", "1.5 GB" or "1e9", rounded down; letter case is free. Empty where `text` is no
/// such size, is below one byte or does not fit 64 bits.
std::optional<std::uint64_t> parse_byte_size(std::string_view text);

/// The shortest such text for `bytes`, exact: "2GiB", "1536MiB", "1000".
std::string byte_size_text(std::uint64_t bytes);

}  // namespace widehash::tools
