#include "arrays.hpp"
#include "no_gil.hpp"
#include "text.hpp"

#include <widehash/error.hpp>
#include <widehash/lookup_table.hpp>
#include <widehash/table_set.hpp>

#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <pybind11/stl.h>

namespace widehash::python {
namespace {

std::vector<std::string> hashed_features(const TableSet& set) {
  std::vector<std::string> names;
  for (const TableSet::Item& item : set.items) {
    if (!item.file.empty()) names.push_back(item.feature);
  }
  return names;
}

LookupTable open_feature(const TableSet& set, const std::string& feature) {
  for (std::size_t i = 0; i < set.items.size(); ++i) {
    if (set.items[i].feature == feature && !set.items[i].file.empty()) return open_table(set, i);
  }
  throw ConfigError(fmt::format("{}: has no lookup table of a feature '{}'", set.directory, feature));
}

const LookupTable& table_in(const py::object& self) { return self.cast<const LookupTable&>(); }

py::ssize_t size_of(const LookupTable& table) { return static_cast<py::ssize_t>(table.num_values()); }

py::bytes value(const LookupTable& table, std::uint64_t index) {
  if (index >= table.num_values()) throw py::index_error();
  return py::bytes(table.entry(index).value);
}

}  // namespace

void bind_tables(py::module_& module) {
  py::class_<TableSet>(module, "TableSet")
      .def(py::init([](const std::string& directory) { return load_table_set(directory); }))
      .def_property_readonly("directory", [](const TableSet& set) { return to_str(set.directory); })
      .def_readonly("schema_fingerprint", &TableSet::schema_fingerprint)
      .def_readonly("rows", &TableSet::rows)
      .def_property_readonly("features", &hashed_features)
      .def("open", &open_feature, py::call_guard<NoGil>());
  py::class_<LookupTable>(module, "LookupTable")
      .def("__len__", &LookupTable::num_values)
      .def_property_readonly("feature", &LookupTable::feature)
      .def_property_readonly("cardinality", &LookupTable::cardinality)
      .def_property_readonly("width", &LookupTable::width)
      .def_property_readonly("total_count", &LookupTable::total_count)
      .def_property_readonly("hashes",
                             [](const py::object& self) {
                               return look_at(table_in(self).hashes(), {size_of(table_in(self))}, self);
                             })
      .def_property_readonly("counts",
                             [](const py::object& self) {
                               return look_at(table_in(self).counts(), {size_of(table_in(self))}, self);
                             })
      .def_property_readonly(
          "codes",
          [](const py::object& self) {
            return look_at(table_in(self).codes(), {size_of(table_in(self)), num_splits}, self);
          })
      .def("bytes_of", &value);
}

}  // namespace widehash::python
