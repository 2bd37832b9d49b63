#include "bindings.hpp"

#include <widehash/encoder.hpp>
#include <widehash/schema.hpp>

#include <string>
#include <vector>

#include <pybind11/stl.h>

namespace widehash::python {
namespace {

std::vector<std::string> feature_names(const Schema& schema) {
  std::vector<std::string> names;
  for (const Feature& feature : schema.features) names.push_back(feature.name);
  return names;
}

}  // namespace

void bind_schema(py::module_& module) {
  py::class_<Schema>(module, "Schema",
                     "The layout of a table and the encoding of each feature. Immutable.\n\n"
                     "Create one with `load_schema()`, `parse_schema()` or `make_schema()`.")
      .def(py::init([](const py::args&, const py::kwargs&) -> Schema {
        throw py::type_error(
            "a Schema is made by load_schema(path), parse_schema(text) or make_schema(features)");
      }))
      .def_property_readonly("features", &feature_names, "Names of the features, in order.")
      .def_property_readonly(
          "label", [](const Schema& schema) { return schema.label.field; },
          "Name of the label's field; empty if there is no label.")
      .def_property_readonly(
          "classes", [](const Schema& schema) { return schema.label.classes; },
          "Names of the label's classes, in the order of the model's outputs; empty if it has none.")
      .def_property_readonly("needs_tables", &needs_tables,
                             "Whether an Encoder for this schema needs the lookup tables of `fit()`.")
      .def_property_readonly("fingerprint", &Schema::fingerprint,
                             "Identifies everything in the schema that can change a code.")
      .def("to_toml", [](const Schema& schema) { return to_toml(schema); })
      .def(
          "__eq__", [](const Schema& a, const Schema& b) { return a.canonical_text() == b.canonical_text(); },
          py::is_operator())
      .def("__hash__", [](const Schema& schema) { return py::hash(py::str(schema.fingerprint())); })
      .def(py::pickle([](const Schema& schema) { return py::make_tuple(to_toml(schema)); },
                      [](const py::tuple& state) {
                        return parse_schema(state[0].cast<std::string>(), "pickled schema");
                      }))
      .def("__repr__", [](const Schema& schema) {
        return "<widehash.Schema of " + std::to_string(schema.features.size()) + " features, fingerprint " +
               schema.fingerprint() + ">";
      });
  module.def("load_schema", &load_schema, py::arg("path"));
  module.def("parse_schema", &parse_schema, py::arg("toml"), py::arg("name") = "schema",
             "Parse a schema from its TOML text. `name` identifies it in error messages.");
}

}  // namespace widehash::python
