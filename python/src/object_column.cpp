#include "object_column.hpp"

#include <widehash/canonical_text.hpp>
#include <widehash/error.hpp>

#include <algorithm>
#include <deque>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace widehash::python {
namespace {

/// Reads objects one after another; texts lie in the objects or in `room`.
class ObjectReader {
 public:
  ObjectReader(TextRoom& room, std::deque<std::string>& long_texts) : room_(room), long_texts_(long_texts) {}

  /// False where there is no text for such an object.
  bool read(PyObject* object, std::string_view& text) {
    if (object == Py_None) {
      text = {};
    } else if (PyUnicode_Check(object)) {
      text = utf8(object);
    } else if (PyBytes_Check(object)) {
      text = {PyBytes_AS_STRING(object), static_cast<std::size_t>(PyBytes_GET_SIZE(object))};
    } else if (PyBool_Check(object)) {
      text = object == Py_True ? "true" : "false";
    } else if (PyLong_Check(object)) {
      text = integer(object);
    } else if (PyFloat_Check(object)) {
      text = number(PyFloat_AS_DOUBLE(object));
    } else {
      return read_foreign(object, text);
    }
    return true;
  }

 private:
  template <class Number>
  std::string_view number(Number value) {
    return room_.keep(write_canonical_text(value, room_.begin(max_canonical_bytes)));
  }

  std::string_view made(std::string text) { return long_texts_.emplace_back(std::move(text)); }

  std::string_view utf8(PyObject* text) {
    Py_ssize_t size = 0;
    const char* const bytes = PyUnicode_AsUTF8AndSize(text, &size);
    if (bytes != nullptr) return {bytes, static_cast<std::size_t>(size)};
    // Bytes that are no UTF-8, as Python reads them from files by the error handler of this name.
    PyErr_Clear();
    const auto encoded =
        py::reinterpret_steal<py::bytes>(PyUnicode_AsEncodedString(text, "utf-8", "surrogateescape"));
    if (!encoded) throw py::error_already_set();
    return made(std::string(std::string_view(encoded)));
  }

  std::string_view integer(PyObject* object) {
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (overflow == 0) return number(std::int64_t{value});
    return made(py::str(py::reinterpret_borrow<py::int_>(object)));
  }

  bool read_foreign(PyObject* object, std::string_view& text) {
    const py::handle handle(object);
    const py::handle type = py::type::handle_of(handle);
    const auto name = py::cast<std::string>(type.attr("__name__"));
    const auto module = py::cast<std::string>(py::str(py::getattr(type, "__module__", py::str(""))));
    if (name == "NAType" || name == "NaTType") {
      text = {};
      return true;
    }
    if (module != "numpy" || !py::hasattr(handle, "dtype")) return false;
    const auto kind = py::cast<std::string>(handle.attr("dtype").attr("kind"));
    if (kind == "f" && py::cast<int>(handle.attr("dtype").attr("itemsize")) <= 4) {
      text = number(py::cast<float>(handle));
      return true;
    }
    if (kind != "b" && kind != "i" && kind != "u" && kind != "f") return false;
    const py::object item = handle.attr("item")();
    const bool is_plain = PyBool_Check(item.ptr()) || PyLong_Check(item.ptr()) || PyFloat_Check(item.ptr());
    return is_plain && read(item.ptr(), text);
  }

  TextRoom& room_;
  std::deque<std::string>& long_texts_;
};

class ObjectColumn final : public ValueColumn {
 public:
  ObjectColumn(const py::tuple& values, const std::string& name, std::span<const std::uint64_t> offsets)
      : ValueColumn(values.size()), owner_(keeper(values)), texts_(values.size()) {
    ObjectReader reader(room_, long_texts_);
    for (std::size_t i = 0; i < texts_.size(); ++i) {
      PyObject* const object = PyTuple_GET_ITEM(values.ptr(), static_cast<Py_ssize_t>(i));
      if (!reader.read(object, texts_[i])) refuse(name, row_of(i, offsets), object);
    }
  }

  void read(std::size_t begin, std::size_t count, std::string_view* texts, std::size_t stride,
            TextRoom&) const override {
    for (std::size_t i = 0; i < count; ++i) texts[i * stride] = texts_[begin + i];
  }

 private:
  /// From 1.
  static std::size_t row_of(std::size_t value, std::span<const std::uint64_t> offsets) {
    if (offsets.empty()) return value + 1;
    return static_cast<std::size_t>(std::ranges::upper_bound(offsets, value) - offsets.begin());
  }

  [[noreturn]] static void refuse(const std::string& name, std::size_t row, PyObject* object) {
    const bool is_run = PyList_Check(object) || PyTuple_Check(object);
    throw ConfigError(fmt::format(
        "column '{}', row {}: a value of type {}{}", name, row, Py_TYPE(object)->tp_name,
        is_run ? " among single values; give every row a list, or a text with the feature's separator"
               : "; give text, written as it is in the files that the model is trained on, numbers or "
                 "booleans"));
  }

  std::shared_ptr<const void> owner_;
  TextRoom room_;
  std::deque<std::string> long_texts_;
  std::vector<std::string_view> texts_;
};

}  // namespace

ValueColumnPointer object_column(const py::tuple& values, const std::string& name,
                                 std::span<const std::uint64_t> offsets) {
  return std::make_shared<ObjectColumn>(values, name, offsets);
}

std::shared_ptr<const void> keeper(py::object object) {
  PyObject* const kept = object.release().ptr();
  return {kept, [](const void* held) {
            const py::gil_scoped_acquire gil;
            Py_DECREF(static_cast<PyObject*>(const_cast<void*>(held)));
          }};
}

}  // namespace widehash::python
