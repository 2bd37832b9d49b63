#include "object_column.hpp"

#include "time_unit.hpp"

#include <widehash/canonical_text.hpp>
#include <widehash/error.hpp>
#include <widehash/time_column.hpp>

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <pybind11/stl.h>

namespace widehash::python {
namespace {

/// Reads objects one after another. The texts lie in the objects, in `room` or in `long_texts`.
class ObjectReader {
 public:
  ObjectReader(TextRoom& room, std::deque<std::string>& long_texts) : room_(room), long_texts_(long_texts) {}

  /// Returns false if such an object has no text.
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
    // Bytes that are not UTF-8, as Python reads them from files with the error handler named below.
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
    // The object's own str() may say something else.
    const auto digits = py::reinterpret_steal<py::str>(PyNumber_ToBase(object, 10));
    if (!digits) throw py::error_already_set();
    return made(digits);
  }

  /// How to read objects whose types are not built into Python.
  enum class Foreign { missing, half, single, item, date, datetime, numpy_time, unknown };

  bool read_foreign(PyObject* object, std::string_view& text) {
    const py::handle handle(object);
    switch (kind_of(handle)) {
      case Foreign::missing:
        text = {};
        return true;
      case Foreign::half:
        text = number(Half{py::cast<std::uint16_t>(handle.attr("view")("uint16"))});
        return true;
      case Foreign::single:
        text = number(py::cast<float>(handle));
        return true;
      case Foreign::item: {
        const py::object item = handle.attr("item")();
        const bool is_plain =
            PyBool_Check(item.ptr()) || PyLong_Check(item.ptr()) || PyFloat_Check(item.ptr());
        return is_plain && read(item.ptr(), text);
      }
      case Foreign::date:
        text = made(py::str(handle));
        return true;
      case Foreign::datetime: {
        const py::object zone = handle.attr("tzinfo");
        const bool has_zone = !zone.is_none();
        // In any zone but UTC, the hour may be meant there or in UTC.
        if (has_zone && py::cast<std::string>(py::str(zone)) != "UTC") return false;
        const py::object time = has_zone ? handle.attr("replace")(py::arg("tzinfo") = py::none())
                                         : py::reinterpret_borrow<py::object>(handle);
        text = without_last_zeros(made(py::str(time)));
        return true;
      }
      case Foreign::numpy_time: {
        text = {};
        const auto [own_unit, count] = py::cast<std::pair<std::string, int>>(
            py::module_::import("numpy").attr("datetime_data")(handle.attr("dtype")));
        // As a column of such times is read.
        const std::string unit = own_unit == "Y" || own_unit == "M" || own_unit == "W" ? "D"
                                 : own_unit == "h" || own_unit == "m"                  ? "s"
                                                                                       : own_unit;
        const py::object time = own_unit == "generic" ? py::reinterpret_borrow<py::object>(handle)
                                                      : handle.attr("astype")("M8[" + unit + "]");
        const auto units = py::cast<std::int64_t>(time.attr("view")("int64"));
        if (units == not_a_time) return true;
        char written[max_time_bytes];
        text = made(std::string(written, write_time_text(units, unit_of(unit), written)));
        return true;
      }
      case Foreign::unknown:
        break;
    }
    return false;
  }

  /// Returns times as Arrow writes them: "13:05:09.25".
  static std::string_view without_last_zeros(std::string_view time) noexcept {
    return time.find('.') == std::string_view::npos ? time : time.substr(0, time.find_last_not_of('0') + 1);
  }

  /// Returns how to read objects of this type. Each type is examined once, because looking up names and
  /// modules costs more than reading the value itself.
  Foreign kind_of(py::handle object) {
    const py::handle type = py::type::handle_of(object);
    for (const auto& [known, kind] : known_types_) {
      if (known.is(type)) return kind;
    }
    const Foreign kind = kind_of_type(object, type);
    known_types_.emplace_back(py::reinterpret_borrow<py::object>(type), kind);
    return kind;
  }

  Foreign kind_of_type(py::handle object, py::handle type) {
    const auto name = py::cast<std::string>(type.attr("__name__"));
    const auto module = py::cast<std::string>(py::str(py::getattr(type, "__module__", py::str(""))));
    if (name == "NAType" || name == "NaTType") return Foreign::missing;
    const py::module_ datetime = py::module_::import("datetime");
    if (py::isinstance(object, datetime.attr("datetime"))) return Foreign::datetime;
    if (py::isinstance(object, datetime.attr("date"))) return Foreign::date;
    // Of numpy's types, only the scalars.
    if (module != "numpy" || !py::isinstance(object, numpy_scalar())) return Foreign::unknown;
    const auto kind = py::cast<std::string>(object.attr("dtype").attr("kind"));
    const auto num_bytes = py::cast<int>(object.attr("dtype").attr("itemsize"));
    if (kind == "M") return Foreign::numpy_time;
    if (kind == "f" && num_bytes == 2) return Foreign::half;
    if (kind == "f" && num_bytes == 4) return Foreign::single;
    return kind == "b" || kind == "i" || kind == "u" || kind == "f" ? Foreign::item : Foreign::unknown;
  }

  const py::object& numpy_scalar() {
    if (!numpy_scalar_) numpy_scalar_ = py::module_::import("numpy").attr("generic");
    return numpy_scalar_;
  }

  TextRoom& room_;
  std::deque<std::string>& long_texts_;
  py::object numpy_scalar_;
  std::vector<std::pair<py::object, Foreign>> known_types_;
};

class ObjectColumn final : public ValueColumn {
 public:
  ObjectColumn(const py::tuple& values, const std::string& name, const RowOfValue& row_of)
      : ValueColumn(values.size()), owner_(keeper(values)), texts_(values.size()) {
    ObjectReader reader(room_, long_texts_);
    std::string problem;
    for (std::size_t i = 0; i < texts_.size(); ++i) {
      PyObject* const object = PyTuple_GET_ITEM(values.ptr(), static_cast<Py_ssize_t>(i));
      if (read(reader, object, texts_[i], problem)) continue;
      texts_[i] = {};
      const std::size_t row = row_of(i);
      if (row != 0) refuse(name, row, object, problem);
      problem.clear();
    }
  }

  void read(std::size_t begin, std::size_t count, std::string_view* texts, std::size_t stride,
            TextRoom&) const override {
    for (std::size_t i = 0; i < count; ++i) texts[i * stride] = texts_[begin + i];
  }

 private:
  /// Returns false if there is no text; `problem` is then Python's error message, if there is one.
  static bool read(ObjectReader& reader, PyObject* object, std::string_view& text, std::string& problem) {
    try {
      return reader.read(object, text);
    } catch (py::error_already_set& error) {
      if (!error.matches(PyExc_Exception) || error.matches(PyExc_MemoryError)) throw;
      problem = py::cast<std::string>(py::str(error.value()));
      return false;
    }
  }

  [[noreturn]] static void refuse(const std::string& name, std::size_t row, PyObject* object,
                                  const std::string& problem) {
    const char* const type = Py_TYPE(object)->tp_name;
    if (!problem.empty()) {
      throw ConfigError(fmt::format("column '{}', row {}: a value of type {} that has no text: {}", name, row,
                                    type, problem));
    }
    const bool is_run =
        PyList_Check(object) || PyTuple_Check(object) || std::string_view(type) == "numpy.ndarray";
    const py::handle value(object);
    const bool has_zone = py::hasattr(value, "tzinfo") && !value.attr("tzinfo").is_none();
    const auto module = py::cast<std::string>(py::str(value.get_type().attr("__module__")));
    throw ConfigError(fmt::format(
        "column '{}', row {}: a value of type {}{}{}", name, row, type,
        has_zone ? " in a time zone: give times without one, or in UTC, or text"
        : is_run ? " among single values; give every row a list, or a text with the feature's separator"
                 : "; give text, written as it is in the files that the model is trained on, numbers, "
                   "booleans, dates or times",
        !has_zone && module.starts_with("pandas") ? "; .astype(str) of the column makes text" : ""));
  }

  std::shared_ptr<const void> owner_;
  TextRoom room_;
  std::deque<std::string> long_texts_;
  std::vector<std::string_view> texts_;
};

}  // namespace

ValueColumnPointer object_column(const py::tuple& values, const std::string& name, const RowOfValue& row_of) {
  return std::make_shared<ObjectColumn>(values, name, row_of);
}

std::shared_ptr<const void> keeper(py::object object) {
  PyObject* const kept = object.release().ptr();
  return {kept, [](const void* held) {
            const py::gil_scoped_acquire gil;
            Py_DECREF(static_cast<PyObject*>(const_cast<void*>(held)));
          }};
}

}  // namespace widehash::python
