#include "batch.hpp"

#include "arrays.hpp"

#include <widehash/csr_ops.hpp>

#include <string>
#include <utility>

#include <pybind11/stl.h>

namespace widehash::python {
namespace {

/// data, indices, indptr, shape: what scipy makes a csr_matrix of.
py::tuple csr_parts(const Batch& batch) {
  Csr matrix;
  {
    const py::gil_scoped_release no_gil;
    matrix = to_csr(batch.view);
  }
  const auto shape = py::make_tuple(matrix.num_rows, matrix.num_columns);
  return py::make_tuple(array_of(std::move(matrix.values)), array_of(std::move(matrix.columns)),
                        array_of(std::move(matrix.row_offsets)), shape);
}

py::object per_row(const py::object& self, std::span<const float> values) {
  return look_at(values, {static_cast<py::ssize_t>(values.size())}, self);
}

std::vector<std::pair<std::size_t, std::string>> rejected_rows(const Batch& batch) {
  std::vector<std::pair<std::size_t, std::string>> rows;
  for (const EncodeIssue& issue : batch.rejected) rows.emplace_back(issue.row, issue.reason);
  return rows;
}

}  // namespace

Batch Batch::of(CodeBatch rows, const EncodingFingerprint& fingerprint) {
  const auto held = std::make_shared<const CodeBatch>(std::move(rows));
  return {.view = held->view(), .owner = held, .fingerprint = fingerprint};
}

Batch Batch::of(Shard shard, std::shared_ptr<const CodeLayout> layout,
                const EncodingFingerprint& fingerprint) {
  struct Held {
    Shard shard;
    std::shared_ptr<const CodeLayout> layout;
  };
  const auto held = std::make_shared<const Held>(Held{std::move(shard), std::move(layout)});
  return {.view = held->shard.view(),
          .owner = held,
          .fingerprint = fingerprint,
          .has_label = held->layout->has_targets,
          .has_weight = held->layout->has_weights};
}

void bind_batch(py::module_& module) {
  py::class_<Batch>(module, "Batch")
      .def("__len__", [](const Batch& batch) { return batch.view.num_rows; })
      .def_property_readonly("num_columns", [](const Batch& batch) { return batch.view.layout->num_columns; })
      .def_property_readonly("schema_fingerprint",
                             [](const Batch& batch) { return batch.fingerprint.schema; })
      .def_property_readonly("targets",
                             [](const py::object& self) -> py::object {
                               const auto& batch = self.cast<const Batch&>();
                               return batch.has_label ? per_row(self, batch.view.targets) : py::none();
                             })
      .def_property_readonly("weights",
                             [](const py::object& self) -> py::object {
                               const auto& batch = self.cast<const Batch&>();
                               return batch.has_weight ? per_row(self, batch.view.weights) : py::none();
                             })
      .def_property_readonly("rejected", &rejected_rows)
      .def("csr_parts", &csr_parts);
}

}  // namespace widehash::python
