#include <widehash/column_table.hpp>
#include <widehash/error.hpp>

#include <utility>

#include <fmt/format.h>

namespace widehash {

void ColumnTable::add(std::string name, ValueColumnPointer column) {
  if (column == nullptr) throw ShapeError(fmt::format("column '{}' is a null pointer", name));
  if (known_names_.contains(name)) {
    throw ShapeError(fmt::format("a table has two columns named '{}'", name));
  }
  if (!columns_.empty() && column->num_rows() != num_rows()) {
    throw ShapeError(fmt::format("column '{}' has {} rows, but '{}' has {}", name, column->num_rows(),
                                 names_.front(), num_rows()));
  }
  known_names_.insert(name);
  all_names_.push_back(name);
  names_.push_back(std::move(name));
  columns_.push_back(std::move(column));
}

}  // namespace widehash
