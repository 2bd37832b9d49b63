#include "bindings.hpp"
#include "job.hpp"

#include <widehash/dataset.hpp>
#include <widehash/error.hpp>
#include <widehash/export.hpp>
#include <widehash/internal/dataset_places.hpp>
#include <widehash/internal/file.hpp>

#include <string>
#include <vector>

#include <pybind11/stl.h>

namespace widehash::python {
namespace {

constexpr const char* stopped_text = "export: stopped as asked; the matrix is not written; start it again";

void export_to(const Dataset& dataset, const std::string& output, const std::string& format,
               const ProgressCallback& progress) {
  if (format == "npz") return export_npz(dataset, output, progress);
  if (format == "libsvm") return export_libsvm(dataset, output, progress);
  export_vw(dataset, output, progress);
}

/// `format` is one of npz, libsvm, vw.
py::dict export_job(const std::vector<std::string>& datasets, const std::string& output,
                    const std::string& format, std::size_t threads, const py::object& tell) {
  if (is_folder(output)) throw ConfigError(output + ": is a folder; give the path of a file");
  const Dataset dataset = join_datasets(datasets);
  require_apart(output, places_of(dataset));
  run_job(threads, tell, [&](Job& job) {
    const FileLock lock(output);
    export_to(dataset, output, format, job.stoppable_progress(stopped_text));
  });
  py::dict dict;
  dict["rows"] = dataset.num_rows();
  dict["num_columns"] = dataset.manifest().num_columns;
  return dict;
}

}  // namespace

void bind_export(py::module_& module) { module.def("export_job", &export_job); }

}  // namespace widehash::python
