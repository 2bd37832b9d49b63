#pragma once

/// \file
/// Python objects as a column of values.

#include "bindings.hpp"

#include <widehash/value_column.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace widehash::python {

/// The row that value i is of, from 1; 0 where it is of none.
using RowOfValue = std::function<std::size_t(std::size_t value)>;

/// Texts of `values`: of str, bytes, bool, int, float and numpy's numbers the canonical text; None, NaN,
/// pandas' NA and NaT are missing. The column keeps what it looks at. Throws ConfigError naming column, row
/// and type of any other object, and of one that Python makes no text of; where it is of no row it is as good
/// as missing. Needs the GIL.
ValueColumnPointer object_column(const py::tuple& values, const std::string& name, const RowOfValue& row_of);

/// Keeps a Python object; takes the GIL to let it go.
std::shared_ptr<const void> keeper(py::object object);

}  // namespace widehash::python
