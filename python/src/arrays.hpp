#pragma once

/// \file
/// Memory of the library as numpy arrays, without a copy.

#include "bindings.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <pybind11/numpy.h>

namespace widehash::python {

/// Returns an array that owns what was in `values`.
template <class Vector>
auto array_of(Vector values, std::vector<py::ssize_t> shape) {
  using T = typename Vector::value_type;
  auto held = std::make_unique<Vector>(std::move(values));
  T* const data = held->data();
  const py::capsule owner(held.get(), [](void* vector) { delete static_cast<Vector*>(vector); });
  static_cast<void>(held.release());
  return py::array_t<T>(std::move(shape), data, owner);
}

template <class Vector>
auto array_of(Vector values) {
  const auto size = static_cast<py::ssize_t>(values.size());
  return array_of(std::move(values), {size});
}

/// Shape: [rows], or [rows, outputs] if there are several outputs.
inline py::array_t<float> predictions_array(std::vector<float> predictions, std::size_t outputs) {
  const auto rows = static_cast<py::ssize_t>(predictions.size() / outputs);
  if (outputs == 1) return array_of(std::move(predictions));
  return array_of(std::move(predictions), {rows, static_cast<py::ssize_t>(outputs)});
}

/// Returns a read-only view that keeps `owner` alive.
template <class T>
py::array_t<T> look_at(std::span<const T> values, std::vector<py::ssize_t> shape, const py::object& owner) {
  py::array_t<T> array(std::move(shape), values.data(), owner);
  array.attr("flags").attr("writeable") = false;
  return array;
}

}  // namespace widehash::python
