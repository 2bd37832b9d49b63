#include "bindings.hpp"
#include "text.hpp"

#include <widehash/error.hpp>

#include <exception>
#include <utility>

namespace widehash::python {
namespace {

/// Returns a message of the library in the words of the Python package.
py::object words(const char* what) {
  return py::module_::import("widehash.errors").attr("in_python")(to_str(what));
}

/// Raises the error that the class or function `name` of widehash/errors.py makes of the arguments.
template <class... Arguments>
void raise(const char* name, const Arguments&... arguments) {
  const py::object error = py::module_::import("widehash.errors").attr(name)(arguments...);
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
}

}  // namespace

void set_python_error(std::exception_ptr thrown) {
  try {
    std::rethrow_exception(std::move(thrown));
  } catch (const DataError& error) {
    raise("DataError", words(error.what()), to_str(error.path()), error.row());
  } catch (const FileError& error) {
    raise("file_error", words(error.what()), to_str(error.path()), error.code());
  } catch (const ConfigError& error) {
    raise("ConfigError", words(error.what()));
  } catch (const ShapeError& error) {
    raise("ShapeError", words(error.what()));
  } catch (const DeviceError& error) {
    raise("DeviceError", words(error.what()));
  } catch (const CommError& error) {
    raise("CommError", words(error.what()));
  } catch (const Stopped& error) {
    raise("Stopped", words(error.what()));
  } catch (const Error& error) {
    raise("Error", words(error.what()));
  }
}

void bind_errors(py::module_&) {
  py::register_local_exception_translator([](std::exception_ptr thrown) {
    if (thrown) set_python_error(std::move(thrown));
  });
}

}  // namespace widehash::python
