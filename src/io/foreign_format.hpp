#pragma once

/// \file
/// Recognizes files that are not text tables by their first bytes.

#include <cstddef>
#include <string>
#include <string_view>

namespace widehash::detail {

/// How many first bytes suffice to recognize all formats: the mark of a tar archive follows the name of its
/// first file.
inline constexpr std::size_t foreign_format_bytes = 264;

/// Returns what the file that begins with `head` is and what to do with it, as text for a message after the
/// file's name: "is compressed with xz, ..."; empty if the file may be a table. `head` holds the first
/// foreign_format_bytes, or fewer of a shorter file. Text is not mistaken for another format: a mark that is
/// all letters, such as the "PAR1" of Parquet, must be followed by bytes that no text has. `unpacker` is
/// "gzip" or "zstd" if `head` was unpacked from such a file.
std::string foreign_format(std::string_view head, std::string_view unpacker = {});

}  // namespace widehash::detail
