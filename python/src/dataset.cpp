#include "batch.hpp"
#include "no_gil.hpp"
#include "text.hpp"

#include <widehash/batch_reader.hpp>
#include <widehash/dataset.hpp>
#include <widehash/error.hpp>

#include <memory>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <pybind11/stl.h>

namespace widehash::python {
namespace {

Batch shard(const Dataset& dataset, std::size_t index, bool verify) {
  if (index >= dataset.num_shards()) {
    throw ShapeError(
        fmt::format("{}: has {} shards, and no shard {}", dataset.directory(), dataset.num_shards(), index));
  }
  return Batch::of(dataset.open_shard(index, verify), dataset.layout(), dataset.fingerprint());
}

/// The batches of one epoch. For one thread at a time.
struct Batches {
  std::shared_ptr<const Dataset> dataset;
  BatchReader reader;

  Batches(std::shared_ptr<Dataset> given, std::uint64_t rows, std::optional<std::uint64_t> seed,
          std::uint64_t epoch)
      : dataset(std::move(given)), reader(dataset, {rows, seed, epoch}) {}

  std::optional<Batch> next() {
    CodeBatch rows(dataset->layout());
    if (!reader.next(rows)) return std::nullopt;
    return Batch::of_dataset(std::move(rows), dataset->fingerprint());
  }
};

}  // namespace

void bind_dataset(py::module_& module) {
  py::class_<Dataset, std::shared_ptr<Dataset>>(module, "Dataset")
      .def(py::init([](const std::vector<std::string>& directories) {
        return std::make_shared<Dataset>(join_datasets(directories));
      }))
      .def("__len__", &Dataset::num_rows)
      .def_property_readonly("directories",
                             [](const Dataset& dataset) {
                               py::list directories;
                               for (const std::string& one : dataset.directories())
                                 directories.append(to_str(one));
                               return directories;
                             })
      .def_property_readonly("inputs",
                             [](const Dataset& dataset) {
                               py::list inputs;
                               for (const ManifestInput& input : dataset.manifest().inputs)
                                 inputs.append(to_str(input.path));
                               return inputs;
                             })
      .def_property_readonly("schema", &Dataset::schema)
      .def_property_readonly("num_shards", &Dataset::num_shards)
      .def_property_readonly("num_columns",
                             [](const Dataset& dataset) { return dataset.layout()->num_columns; })
      .def_property_readonly("rejected_rows",
                             [](const Dataset& dataset) { return dataset.manifest().rejected_rows; })
      .def("shard", &shard, py::call_guard<NoGil>());
  py::class_<Batches>(module, "BatchReader")
      .def(py::init<std::shared_ptr<Dataset>, std::uint64_t, std::optional<std::uint64_t>, std::uint64_t>())
      .def("next", &Batches::next, py::call_guard<NoGil>());
}

}  // namespace widehash::python
