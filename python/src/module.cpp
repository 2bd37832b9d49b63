#include "bindings.hpp"

#include <widehash/threads.hpp>
#include <widehash/version.hpp>

#include <string>

namespace widehash::python {
namespace {

/// Before 2.12, pybind11 knows only the arrays of numpy 1 and would silently misread those of numpy 2.
void check_numpy() {
  constexpr int knows_numpy_2 = 0x020C0000;
  if (PYBIND11_VERSION_HEX >= knows_numpy_2) return;
  const auto version = py::cast<std::string>(py::module_::import("numpy").attr("__version__"));
  if (std::stoi(version) < 2) return;
  throw py::import_error(
      "widehash was built with pybind11 " + std::to_string(PYBIND11_VERSION_MAJOR) + "." +
      std::to_string(PYBIND11_VERSION_MINOR) + ", which does not support numpy " + version +
      "; use numpy below 2, or build widehash with pybind11 2.12 or later, as `pip install` does");
}

}  // namespace
}  // namespace widehash::python

PYBIND11_MODULE(_core, module) {
  using namespace widehash::python;
  check_numpy();
  module.attr("__version__") = widehash::version;
  module.attr("MAX_THREADS") = widehash::max_threads;
  bind_errors(module);
  bind_schema(module);
  bind_columns(module);
  bind_hash(module);
  bind_batch(module);
  bind_encoder(module);
  bind_dataset(module);
  bind_writers(module);
  bind_tables(module);
  bind_model(module);
  bind_jobs(module);
  bind_inspect(module);
  bind_ingest(module);
  bind_checks(module);
  bind_train(module);
  bind_judge(module);
  bind_export(module);
  bind_describe(module);
  bind_devices(module);
}
