#include "batch.hpp"
#include "no_gil.hpp"
#include "thread_count.hpp"

#include <widehash/column_table.hpp>
#include <widehash/encoder.hpp>
#include <widehash/error.hpp>

#include <string>
#include <vector>

#include <fmt/format.h>
#include <pybind11/stl.h>

namespace widehash::python {
namespace {

/// Throws DataError for the first row beyond the allowed bad rows. Rows count from 0 in `issues`, from 1 in
/// messages.
void check_issues(const std::vector<EncodeIssue>& issues, std::size_t max_bad_rows) {
  if (issues.size() <= max_bad_rows) return;
  throw_bad_row(0, issues[max_bad_rows]);
}

/// Encodes all tables, which are the record batches of one table, into one batch.
Batch encode(const Encoder& encoder, const std::vector<ColumnTable>& tables, std::size_t max_bad_rows,
             std::size_t threads) {
  CodeBatch rows(encoder.layout());
  std::vector<EncodeIssue> issues;
  bool has_label = !tables.empty();
  bool has_weight = has_label;
  std::size_t first_row = 0;
  for (const ColumnTable& table : tables) {
    const FieldBinding binding = encoder.bind(table, false);
    has_label = has_label && binding.label != FieldBinding::absent;
    has_weight = has_weight && binding.weight != FieldBinding::absent;
    const std::size_t before = issues.size();
    on_threads(threads, [&] { encoder.encode(table, binding, rows, issues); });
    for (std::size_t i = before; i < issues.size(); ++i) issues[i].row += first_row;
    check_issues(issues, max_bad_rows);
    first_row += table.num_rows();
  }
  Batch batch = Batch::of(std::move(rows), encoder.fingerprint());
  batch.has_label = has_label && encoder.layout()->has_targets;
  batch.has_weight = has_weight && encoder.layout()->has_weights;
  batch.rejected = std::move(issues);
  return batch;
}

py::object columns_of(const Encoder& encoder, const std::string& feature) {
  for (const FeatureBlock& block : encoder.layout()->blocks) {
    if (block.name != feature) continue;
    return py::module_::import("builtins")
        .attr("range")(block.column_offset, block.column_offset + block.num_columns);
  }
  throw ConfigError(fmt::format("the schema has no feature '{}'", feature));
}

}  // namespace

void bind_encoder(py::module_& module) {
  py::class_<Encoder>(module, "Encoder")
      .def(py::init([](const Schema& schema, const std::string& tables) { return Encoder(schema, tables); }),
           py::call_guard<NoGil>())
      .def_property_readonly("schema", &Encoder::schema)
      .def_property_readonly("fields", &Encoder::field_names)
      .def_property_readonly("num_columns",
                             [](const Encoder& encoder) { return encoder.layout()->num_columns; })
      .def_property_readonly("tables_fingerprint",
                             [](const Encoder& encoder) { return encoder.fingerprint().tables; })
      .def("columns_of", &columns_of)
      .def("encode", &encode, py::call_guard<NoGil>());
}

}  // namespace widehash::python
