#pragma once

/// \file
/// The lookup tables that a command line names.

#include <widehash/table_set.hpp>

#include <string>

namespace widehash::tools {

/// As load_table_set(); a folder without tables is told where they come from. Throws DataError for one.
TableSet named_tables(const std::string& directory);

}  // namespace widehash::tools
