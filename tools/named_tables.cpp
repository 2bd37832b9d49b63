#include "named_tables.hpp"

#include <widehash/error.hpp>

namespace widehash::tools {

TableSet named_tables(const std::string& directory) {
  if (!has_table_set(directory)) {
    throw DataError(directory, 0,
                    "holds no tables.json; collect the tables with `widehash fit` and name their folder");
  }
  return load_table_set(directory);
}

}  // namespace widehash::tools
