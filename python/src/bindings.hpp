#pragma once

/// \file
/// The parts of the module `_core`, a source file each. module.cpp calls them in this order: a part uses the Python types of
/// those before it.

#include <pybind11/pybind11.h>

namespace widehash::python {

namespace py = pybind11;

void bind_errors(py::module_& module);
void bind_schema(py::module_& module);

}  // namespace widehash::python
