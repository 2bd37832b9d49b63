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

/// Returns the row that value i belongs to, counted from 1; 0 if it belongs to none.
using RowOfValue = std::function<std::size_t(std::size_t value)>;

/// Reads `values` as text. A str, bytes, bool, int, float, numpy number, date, or datetime without a time
/// zone or in UTC has its canonical text; None, NaN, and pandas' NA and NaT are missing. The column keeps the
/// memory it refers to. Throws ConfigError, naming the column, the row and the type, for any other object and
/// for one of which Python cannot make text; if such an object belongs to no row, it counts as missing
/// instead. Requires the GIL.
ValueColumnPointer object_column(const py::tuple& values, const std::string& name, const RowOfValue& row_of);

/// Keeps a Python object alive, and takes the GIL to release it.
std::shared_ptr<const void> keeper(py::object object);

}  // namespace widehash::python
