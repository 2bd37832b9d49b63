#pragma once

/// \file
/// The parts of the module `_core`, one source file each. module.cpp calls them in this order, because a part
/// uses the Python types of the parts before it.

#include <exception>

#include <pybind11/pybind11.h>

namespace widehash::python {

namespace py = pybind11;

void bind_errors(py::module_& module);
void bind_schema(py::module_& module);
void bind_columns(py::module_& module);
void bind_hash(py::module_& module);
void bind_batch(py::module_& module);
void bind_encoder(py::module_& module);
void bind_dataset(py::module_& module);
void bind_writers(py::module_& module);
void bind_tables(py::module_& module);
void bind_model(py::module_& module);
void bind_jobs(py::module_& module);
void bind_inspect(py::module_& module);
void bind_ingest(py::module_& module);
void bind_checks(py::module_& module);
void bind_train(py::module_& module);
void bind_judge(py::module_& module);
void bind_export(py::module_& module);
void bind_describe(py::module_& module);
void bind_devices(py::module_& module);

/// Sets Python's error indicator to the class of widehash/errors.py that stands for an exception of the
/// library; the caller still has to return the error to Python. Rethrows other exceptions.
void set_python_error(std::exception_ptr thrown);

}  // namespace widehash::python
