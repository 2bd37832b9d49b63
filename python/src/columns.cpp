#include "no_gil.hpp"
#include "object_column.hpp"

#include <widehash/arrow.hpp>
#include <widehash/column_table.hpp>

#include <memory>
#include <span>
#include <string>

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

namespace widehash::python {
namespace {

template <class T>
using Array = py::array_t<T, py::array::c_style>;

template <class T>
std::span<const T> span_of(const Array<T>& array) {
  return {array.data(), static_cast<std::size_t>(array.size())};
}

/// Adds overloads for arrays of T; arrays of other types are not converted, so the order does not matter.
template <class T>
void bind_numbers(py::class_<ColumnTable>& table) {
  table.def(
      "add_numbers",
      [](ColumnTable& self, const std::string& name, const Array<T>& values) {
        self.add(name, number_column(span_of(values)));
        self.keep(keeper(values));
      },
      py::arg("name"), py::arg("values").noconvert());
}

template <class T>
void bind_dictionary(py::class_<ColumnTable>& table) {
  table.def(
      "add_dictionary",
      [](ColumnTable& self, const std::string& name, const Array<T>& indices, const py::tuple& values) {
        self.add(name, dictionary_column(span_of(indices), object_column(values, name)));
        self.keep(keeper(indices));
      },
      py::arg("name"), py::arg("indices").noconvert(), py::arg("values"));
}

/// What a capsule of Arrow's interface for Python holds; `name` is the one that the interface gives it.
template <class Struct>
Struct& in_capsule(const py::capsule& capsule, const char* name) {
  void* const held = PyCapsule_GetPointer(capsule.ptr(), name);
  if (held == nullptr) throw py::error_already_set();
  return *static_cast<Struct*>(held);
}

void bind_arrow(py::module_& module) {
  py::class_<ArrowReader>(module, "ArrowReader")
      .def(py::init([](const py::capsule& stream) {
        return std::make_unique<ArrowReader>(in_capsule<ArrowArrayStream>(stream, "arrow_array_stream"));
      }))
      .def("next", [](ArrowReader& reader) -> std::optional<ColumnTable> {
        const NoGil no_gil;  // the stream may compute what it gives
        return reader.next();
      });
  module.def("arrow_table", [](const py::capsule& schema, const py::capsule& array) {
    return arrow_table(in_capsule<ArrowSchema>(schema, "arrow_schema"),
                       in_capsule<ArrowArray>(array, "arrow_array"));
  });
}

}  // namespace

void bind_columns(py::module_& module) {
  py::class_<ColumnTable> table(module, "ColumnTable");
  table.def(py::init<>())
      .def("__len__", &ColumnTable::num_rows)
      .def_property_readonly("names", &ColumnTable::names)
      .def("add_booleans",
           [](ColumnTable& self, const std::string& name, const Array<bool>& values) {
             const auto* const bytes = reinterpret_cast<const std::uint8_t*>(values.data());
             self.add(name, boolean_column({bytes, static_cast<std::size_t>(values.size())}));
             self.keep(keeper(values));
           })
      .def("add_unreadable",
           [](ColumnTable& self, const std::string& name, std::size_t num_rows, const std::string& type) {
             self.add(name, unreadable_column(num_rows, name, type));
           })
      .def("add_objects", [](ColumnTable& self, const std::string& name,
                             const py::tuple& values) { self.add(name, object_column(values, name)); })
      // Row i holds items [offsets[i], offsets[i + 1]).
      .def("add_lists", [](ColumnTable& self, const std::string& name, const Array<std::uint64_t>& offsets,
                           const py::tuple& items) {
        const auto numbers = span_of(offsets);
        self.add(name, list_column({numbers.begin(), numbers.end()}, object_column(items, name, numbers)));
      });
  bind_numbers<std::int8_t>(table);
  bind_numbers<std::int16_t>(table);
  bind_numbers<std::int32_t>(table);
  bind_numbers<std::int64_t>(table);
  bind_numbers<std::uint8_t>(table);
  bind_numbers<std::uint16_t>(table);
  bind_numbers<std::uint32_t>(table);
  bind_numbers<std::uint64_t>(table);
  bind_numbers<float>(table);
  bind_numbers<double>(table);
  bind_dictionary<std::int8_t>(table);
  bind_dictionary<std::int16_t>(table);
  bind_dictionary<std::int32_t>(table);
  bind_dictionary<std::int64_t>(table);
  bind_arrow(module);
}

}  // namespace widehash::python
