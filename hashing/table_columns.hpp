#pragma once

/// \file
/// Writes one lookup table straight from a sorted map. All values are at hand, so that each column is a pass
/// over them and none waits in a scratch file as those of TableWriter do. The bytes are the same.

#include "table_writer.hpp"
#include "value_map.hpp"

#include <cstddef>
#include <string>

namespace widehash::detail {

/// Memory of write_sorted_map().
constexpr std::size_t sorted_map_memory(std::size_t buffer_bytes) { return buffer_bytes + (32 << 10); }

/// Requires that map.sort() was called.
WrittenTable write_sorted_map(const std::string& path, const TableSource& source, const Feature& feature,
                              const ValueMap& map, std::size_t buffer_bytes);

}  // namespace widehash::detail
