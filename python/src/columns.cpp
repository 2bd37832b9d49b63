#include "no_gil.hpp"
#include "object_column.hpp"
#include "time_unit.hpp"

#include <widehash/arrow.hpp>
#include <widehash/canonical_text.hpp>
#include <widehash/column_table.hpp>
#include <widehash/error.hpp>
#include <widehash/time_column.hpp>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
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

/// Finds the first row that has a value of a dictionary.
template <class T>
class FirstRows {
 public:
  FirstRows(std::span<const T> indices, std::size_t num_values)
      : indices_(indices), num_values_(num_values) {}

  /// Returns a row counted from 1; 0 if no row has the value. The rows are searched once, at the first call.
  std::size_t of(std::size_t value) const {
    if (rows_.empty()) {
      rows_.resize(num_values_);
      for (std::size_t row = indices_.size(); row > 0; --row) {
        const T index = indices_[row - 1];
        if (index >= 0 && std::cmp_less(index, num_values_)) rows_[static_cast<std::size_t>(index)] = row;
      }
    }
    return rows_[value];
  }

 private:
  std::span<const T> indices_;
  std::size_t num_values_;
  mutable std::vector<std::size_t> rows_;
};

template <class T>
void bind_dictionary(py::class_<ColumnTable>& table) {
  table.def(
      "add_dictionary",
      [](ColumnTable& self, const std::string& name, const Array<T>& indices, const py::tuple& values) {
        const FirstRows<T> first_rows(span_of(indices), values.size());
        const auto dictionary =
            object_column(values, name, [&](std::size_t value) { return first_rows.of(value); });
        self.add(name, dictionary_column(span_of(indices), dictionary));
        self.keep(keeper(indices));
      },
      py::arg("name"), py::arg("indices").noconvert(), py::arg("values"));
}

std::size_t row_of_value(std::size_t value) { return value + 1; }

/// Calls read() without the interpreter's lock. If the stream left a Python exception set, that exception is
/// thrown instead of the stream's message about it.
template <class Read>
auto of_stream(const Read& read) {
  try {
    const NoGil no_gil;  // the stream may compute its data now
    return read();
  } catch (const DataError&) {
    if (PyErr_Occurred() != nullptr) throw py::error_already_set();
    throw;
  }
}

/// Returns the struct in a capsule of Arrow's interface for Python. `name` is what the interface calls the
/// capsule.
template <class Struct>
Struct& in_capsule(const py::capsule& capsule, const char* name) {
  void* const held = PyCapsule_GetPointer(capsule.ptr(), name);
  if (held == nullptr) throw py::error_already_set();
  return *static_cast<Struct*>(held);
}

/// Names of the columns to read; nullopt for all.
using Fields = std::optional<std::set<std::string, std::less<>>>;

WantedColumns wanted_of(const Fields& fields) {
  if (!fields) return {};
  return [&fields](std::string_view name) { return fields->contains(name); };
}

void bind_arrow(py::module_& module) {
  py::class_<ArrowReader>(module, "ArrowReader")
      .def(py::init([](const py::capsule& stream) {
        auto& held = in_capsule<ArrowArrayStream>(stream, "arrow_array_stream");
        return of_stream([&] { return std::make_unique<ArrowReader>(held); });
      }))
      .def("next", [](ArrowReader& reader, const Fields& fields) -> std::optional<ColumnTable> {
        return of_stream([&] { return reader.next(wanted_of(fields)); });
      });
  module.def("arrow_table", [](const py::capsule& schema, const py::capsule& array, const Fields& fields) {
    return arrow_table(in_capsule<ArrowSchema>(schema, "arrow_schema"),
                       in_capsule<ArrowArray>(array, "arrow_array"), wanted_of(fields));
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
      .def(
          "add_times",
          [](ColumnTable& self, const std::string& name, const Array<std::int64_t>& units,
             const std::string& unit) {
            self.add(name, time_column(span_of(units), unit_of(unit)));
            self.keep(keeper(units));
          },
          py::arg("name"), py::arg("units").noconvert(), py::arg("unit"))
      .def("leave_out", &ColumnTable::leave_out, py::arg("name"), py::arg("num_rows"), py::pos_only())
      .def("add_arrow_array",
           [](ColumnTable& self, const std::string& name, const py::capsule& schema,
              const py::capsule& array) {
             add_arrow_column(self, name, in_capsule<ArrowSchema>(schema, "arrow_schema"),
                              in_capsule<ArrowArray>(array, "arrow_array"));
           })
      .def("add_arrow_stream",
           [](ColumnTable& self, const std::string& name, const py::capsule& stream) {
             auto& held = in_capsule<ArrowArrayStream>(stream, "arrow_array_stream");
             of_stream([&] {
               ArrowReader(held).add_column(self, name);
               return true;
             });
           })
      .def("add_unreadable",
           [](ColumnTable& self, const std::string& name, std::size_t num_rows, const std::string& type,
              const std::string& remedy) { self.add(name, unreadable_column(num_rows, name, type, remedy)); })
      .def("add_objects",
           [](ColumnTable& self, const std::string& name, const py::tuple& values) {
             self.add(name, object_column(values, name, &row_of_value));
           })
      // Row i holds items [offsets[i], offsets[i + 1]).
      .def(
          "add_lists",
          [](ColumnTable& self, const std::string& name, const Array<std::uint64_t>& offsets,
             const py::tuple& items) {
            const auto numbers = span_of(offsets);
            const auto row_of = [&](std::size_t item) {
              return static_cast<std::size_t>(std::ranges::upper_bound(numbers, item) - numbers.begin());
            };
            self.add(name, list_column({numbers.begin(), numbers.end()}, object_column(items, name, row_of)));
          })
      // `values` holds the bits of float16.
      .def(
          "add_halves",
          [](ColumnTable& self, const std::string& name, const Array<std::uint16_t>& values) {
            const auto* const halves = reinterpret_cast<const Half*>(values.data());
            self.add(name, number_column(std::span(halves, static_cast<std::size_t>(values.size()))));
            self.keep(keeper(values));
          },
          py::arg("name"), py::arg("values").noconvert());
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
