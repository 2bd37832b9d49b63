#pragma once

/// \file
/// Converts texts of the library to Python's. They may hold any bytes of the data and of file names.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <pybind11/pybind11.h>

namespace widehash::python {

namespace py = pybind11;

/// Decodes UTF-8. Any other byte is decoded as Python does in file names (surrogateescape), so none is lost.
inline py::str to_str(std::string_view text) {
  return py::reinterpret_steal<py::str>(
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogateescape"));
}

/// Returns None for an empty text, which stands for "there is none".
inline py::object to_str_or_none(std::string_view text) {
  return text.empty() ? py::object(py::none()) : py::object(to_str(text));
}

inline py::list to_strs(const std::vector<std::string>& texts) {
  py::list list;
  for (const std::string& text : texts) list.append(to_str(text));
  return list;
}

/// Returns the delimiter or quote that an argument gives; '\0' for an empty text, which stands for none.
inline std::optional<char> byte_of(const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  return text->empty() ? '\0' : text->front();
}

}  // namespace widehash::python
