#pragma once

/// \file
/// Python objects as a column of values.

#include "bindings.hpp"

#include <widehash/value_column.hpp>

#include <cstdint>
#include <span>
#include <string>

namespace widehash::python {

/// Texts of `values`: of str, bytes, bool, int, float and numpy's numbers the canonical text; None, NaN, pandas' NA and NaT are missing.
/// The column keeps what it looks at. Throws ConfigError naming column, row and type of any other object; of values of lists, `offsets` tell the
/// row (list_column). Needs the GIL.
ValueColumnPointer object_column(const py::tuple& values, const std::string& name,
                                 std::span<const std::uint64_t> offsets = {});

/// Keeps a Python object; takes the GIL to let it go.
std::shared_ptr<const void> keeper(py::object object);

}  // namespace widehash::python
