#include "batch.hpp"

#include "arrays.hpp"
#include "feature_arrays.hpp"
#include "no_gil.hpp"
#include "text.hpp"

#include <widehash/csr_ops.hpp>
#include <widehash/rows_in_layout.hpp>
#include <widehash/unpacked_runs.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include <pybind11/stl.h>

namespace widehash::python {
namespace {

template <class Index>
py::tuple csr_parts_of(const CodeBatchView& rows, const std::vector<std::int64_t>& offsets) {
  py::array_t<Index> row_offsets(static_cast<py::ssize_t>(offsets.size()));
  py::array_t<Index> columns(offsets.back());
  py::array_t<float> values(offsets.back());
  {
    const std::span<Index> to_offsets(row_offsets.mutable_data(), offsets.size());
    const auto num_entries = static_cast<std::size_t>(offsets.back());
    Index* const to_columns = columns.mutable_data();
    float* const to_values = values.mutable_data();
    const NoGil no_gil;
    std::transform(offsets.begin(), offsets.end(), to_offsets.begin(),
                   [](std::int64_t offset) { return static_cast<Index>(offset); });
    csr_entries<Index>(rows, to_offsets, {to_columns, num_entries}, {to_values, num_entries});
  }
  return py::make_tuple(values, columns, row_offsets,
                        py::make_tuple(rows.num_rows, rows.layout->num_columns));
}

/// Returns data, indices, indptr and shape, of which scipy makes a csr_matrix. The indices are as narrow as
/// scipy wants them.
py::tuple csr_parts(const Batch& batch) {
  std::vector<std::int64_t> offsets(batch.view.num_rows + 1);
  {
    const NoGil no_gil;
    csr_row_offsets<std::int64_t>(batch.view, offsets);
  }
  if (std::in_range<std::int32_t>(offsets.back())) return csr_parts_of<std::int32_t>(batch.view, offsets);
  return csr_parts_of<std::int64_t>(batch.view, offsets);
}

py::object per_row(const py::object& self, std::span<const float> values) {
  return look_at(values, {static_cast<py::ssize_t>(values.size())}, self);
}

py::list rejected_rows(const Batch& batch) {
  py::list rows;
  for (const EncodeIssue& issue : batch.rejected)
    rows.append(py::make_tuple(issue.row, to_str(issue.reason)));
  return rows;
}

using RowNumbers = py::array_t<std::size_t, py::array::c_style>;

Batch numbered_rows(const Batch& batch, const RowNumbers& numbers) {
  const std::span<const std::size_t> span(numbers.data(), static_cast<std::size_t>(numbers.size()));
  const NoGil no_gil;
  return batch.rows(span);
}

}  // namespace

Batch Batch::of(CodeBatch rows, const EncodingFingerprint& fingerprint) {
  const auto held = std::make_shared<const CodeBatch>(std::move(rows));
  return {.view = held->view(), .owner = held, .layout = held->shared_layout(), .fingerprint = fingerprint};
}

Batch Batch::of(Shard shard, std::shared_ptr<const CodeLayout> layout,
                const EncodingFingerprint& fingerprint) {
  struct Held {
    Shard shard;
    std::shared_ptr<const CodeLayout> layout;
    UnpackedRuns runs;
  };
  const auto held = std::make_shared<Held>(Held{std::move(shard), std::move(layout), {}});
  return {.view = unpacked(held->shard.view(), held->runs),
          .owner = held,
          .layout = held->layout,
          .fingerprint = fingerprint,
          .has_label = held->layout->has_targets,
          .has_weight = held->layout->has_weights};
}

Batch Batch::of_dataset(CodeBatch rows, const EncodingFingerprint& fingerprint) {
  Batch batch = of(std::move(rows), fingerprint);
  batch.has_label = batch.view.layout->has_targets;
  batch.has_weight = batch.view.layout->has_weights;
  return batch;
}

Batch Batch::rows(std::size_t begin, std::size_t count) const {
  Batch part = *this;
  part.view = view.rows(begin, count);
  part.rejected.clear();
  return part;
}

Batch Batch::rows(std::span<const std::size_t> numbers) const {
  CodeBatch taken(layout);
  taken.append_rows(view, numbers);
  Batch batch = of(std::move(taken), fingerprint);
  batch.has_label = has_label;
  batch.has_weight = has_weight;
  return batch;
}

Batch Batch::in_layout(const std::shared_ptr<const CodeLayout>& wanted) const {
  if (same_layout(*layout, *wanted)) return *this;
  Batch batch = of(rows_in_layout(view, wanted), fingerprint);
  batch.has_label = has_label;
  batch.has_weight = has_weight;
  batch.rejected = rejected;
  return batch;
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
      .def("rows", py::overload_cast<std::size_t, std::size_t>(&Batch::rows, py::const_))
      .def("numbered_rows", &numbered_rows)
      .def("codes",
           [](const Batch& batch, const std::string& feature) { return feature_codes(batch.view, feature); })
      .def("numbers", [](const Batch& batch,
                         const std::string& feature) { return feature_numbers(batch.view, feature); })
      .def("csr_parts", &csr_parts);
}

}  // namespace widehash::python
