#pragma once

#include "cuda/device_buffer.hpp"

#include <vector>

namespace widehash::cuda {

/// Copies the values of a vector to the device. They are freed with the object.
template <class T>
DeviceBuffer<T> on_device(const DeviceContext& context, const std::vector<T>& values) {
  return make_device_copy<T>(context, values, "test values");
}

template <class T>
std::vector<T> on_host(const DeviceContext& context, const DeviceBuffer<T>& buffer) {
  std::vector<T> values(buffer.size());
  copy_to_host<T>(buffer.data(), values, context.stream());
  context.stream().synchronize();
  return values;
}

}  // namespace widehash::cuda
