#pragma once

/// \file
/// Writes one lookup table directly from a sorted map. All values are in memory, so each column takes one
/// pass over them and needs no scratch file, unlike in TableWriter. The bytes written are the same.

#include "table_writer.hpp"
#include "value_map.hpp"

#include <cstddef>
#include <string>

namespace widehash::detail {

/// Memory that write_sorted_map() uses, in bytes.
constexpr std::size_t sorted_map_memory(std::size_t buffer_bytes) { return buffer_bytes + (32 << 10); }

/// Requires that map.sort() has been called.
WrittenTable write_sorted_map(const std::string& path, const TableSource& source, const Feature& feature,
                              const ValueMap& map, std::size_t buffer_bytes);

}  // namespace widehash::detail
