#include "bindings.hpp"

#include <widehash/error.hpp>

#include <exception>

namespace widehash::python {
namespace {

/// Raises the class of widehash/errors.py that has this name.
template <class... Arguments>
void raise(const char* name, const Arguments&... arguments) {
  const py::object type = py::module_::import("widehash.errors").attr(name);
  PyErr_SetObject(type.ptr(), type(arguments...).ptr());
}

void translate(std::exception_ptr thrown) {
  if (!thrown) return;
  try {
    std::rethrow_exception(thrown);
  } catch (const DataError& error) {
    raise("DataError", error.what(), error.path(), error.row());
  } catch (const FileError& error) {
    raise("FileError", error.what(), error.path(), error.code());
  } catch (const ConfigError& error) {
    raise("ConfigError", error.what());
  } catch (const ShapeError& error) {
    raise("ShapeError", error.what());
  } catch (const DeviceError& error) {
    raise("DeviceError", error.what());
  } catch (const CommError& error) {
    raise("CommError", error.what());
  } catch (const Stopped& error) {
    raise("Stopped", error.what());
  } catch (const Error& error) {
    raise("Error", error.what());
  }
}

}  // namespace

void bind_errors(py::module_&) { py::register_local_exception_translator(translate); }

}  // namespace widehash::python
