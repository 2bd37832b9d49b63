#include "arrays.hpp"
#include "no_gil.hpp"
#include "text.hpp"

#include <widehash/code.hpp>
#include <widehash/cross.hpp>
#include <widehash/error.hpp>
#include <widehash/lookup_table.hpp>
#include <widehash/table_set.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
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

std::string_view value_at(const LookupTable& table, std::uint64_t index) {
  if (index < table.num_values()) return table.entry(index).value;
  throw py::index_error(fmt::format("the table of '{}' has {} values, and no value {}", table.feature(),
                                    table.num_values(), index));
}

py::bytes value(const LookupTable& table, std::uint64_t index) { return py::bytes(value_at(table, index)); }

py::list parts(const LookupTable& table, std::uint64_t index) {
  py::list found;
  for (const std::string_view part : cross_parts(value_at(table, index))) found.append(to_str(part));
  // A value with no bytes, or with the bytes of a single part, is not a cross, which has at least two parts.
  if (found.size() < 2) {
    throw ConfigError(fmt::format("value {} of '{}' is not that of a cross", index, table.feature()));
  }
  return found;
}

/// Returns the index of a value; nullopt if it was never seen.
std::optional<std::uint64_t> find(const LookupTable& table, const std::string& value) {
  const std::uint64_t hash = table.hash_kind() == HashKind::xxh3_128 ? hash_xxh3_128(value, table.seed()).high
                                                                     : hash_xxh64(value, table.seed());
  const auto [begin, end] = std::equal_range(table.hashes().begin(), table.hashes().end(), hash);
  const auto first = static_cast<std::uint64_t>(begin - table.hashes().begin());
  for (std::uint64_t i = first; i < first + static_cast<std::uint64_t>(end - begin); ++i) {
    if (table.entry(i).value == value) return i;
  }
  return std::nullopt;
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
      .def("bytes_of", &value)
      .def("parts_of", &parts)
      .def("find", &find);
}

}  // namespace widehash::python
