#pragma once

/// \file
/// Files that are no text tables, known by their first bytes.

#include <cstddef>
#include <string>
#include <string_view>

namespace widehash::detail {

/// How many first bytes tell them all: the mark of a tar archive stands behind the name of its first file.
inline constexpr std::size_t foreign_format_bytes = 264;

/// What the file that begins with `head` is and what to do with it, for a message behind the file's name: "is
/// packed by xz: ..."; empty where it may be a table. `head`: the first foreign_format_bytes, fewer of a
/// shorter file. Text is not taken for one of them: a name that is all letters, such as the "PAR1" of
/// Parquet, needs bytes behind it that no text has. `unpacker`: of a head that gzip or zstd gave, "gzip" or
/// "zstd".
std::string foreign_format(std::string_view head, std::string_view unpacker = {});

}  // namespace widehash::detail
