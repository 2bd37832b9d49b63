#include "batch.hpp"
#include "no_gil.hpp"
#include "text.hpp"

#include <widehash/dataset.hpp>
#include <widehash/error.hpp>

#include <string>

#include <fmt/format.h>

namespace widehash::python {
namespace {

Batch shard(const Dataset& dataset, std::size_t index, bool verify) {
  if (index >= dataset.num_shards()) {
    throw ShapeError(
        fmt::format("{}: has {} shards, and no shard {}", dataset.directory(), dataset.num_shards(), index));
  }
  return Batch::of(dataset.open_shard(index, verify), dataset.layout(), dataset.fingerprint());
}

}  // namespace

void bind_dataset(py::module_& module) {
  py::class_<Dataset>(module, "Dataset")
      .def(py::init<std::string>())
      .def("__len__", &Dataset::num_rows)
      .def_property_readonly("directory", [](const Dataset& dataset) { return to_str(dataset.directory()); })
      .def_property_readonly("schema", &Dataset::schema)
      .def_property_readonly("num_shards", &Dataset::num_shards)
      .def_property_readonly("num_columns",
                             [](const Dataset& dataset) { return dataset.layout()->num_columns; })
      .def_property_readonly("rejected_rows",
                             [](const Dataset& dataset) { return dataset.manifest().rejected_rows; })
      .def("shard", &shard, py::call_guard<NoGil>());
}

}  // namespace widehash::python
