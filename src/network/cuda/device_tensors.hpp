#pragma once

/// \file
/// A set of numbers in the shape of Parameters on a device: the first layer's weights, and all other tensors
/// in one run, so that devices exchange the tail in one collective.

#include "cuda/device_buffer.hpp"

#include <widehash/parameters.hpp>

#include <cstdint>
#include <vector>

namespace widehash::cuda {

/// The position of a tensor in the tail's run.
struct TailTensor {
  std::size_t begin = 0;
  std::size_t size = 0;
  bool is_bias = false;
};

/// The tensors of Parameters::tensors() from index 1 on: the first bias, then weights and bias of each layer.
inline std::vector<TailTensor> tail_tensors(const Parameters<float>& parameters) {
  std::vector<TailTensor> tail;
  std::size_t begin = 0;
  const auto tensors = parameters.tensors();
  for (std::size_t i = 1; i < tensors.size(); ++i) {
    tail.push_back({begin, tensors[i].values.size(), tensors[i].is_bias});
    begin += tensors[i].values.size();
  }
  return tail;
}

/// One such set: parameters, a state of the optimizer or a gradient.
struct DeviceTensors {
  DeviceTensors() = default;
  /// Sets all values to zero.
  DeviceTensors(const DeviceContext& context, std::size_t first_size, std::size_t tail_size, const char* what)
      : first(context, first_size, what), tail(context, tail_size, what) {
    clear(context.stream());
  }
  /// Copies the values of `from`.
  DeviceTensors(const DeviceContext& context, const Parameters<float>& from, const char* what)
      : first(make_device_copy<float>(context, from.first_weights, what)) {
    std::vector<float> run;
    const auto tensors = from.tensors();
    for (std::size_t i = 1; i < tensors.size(); ++i)
      run.insert(run.end(), tensors[i].values.begin(), tensors[i].values.end());
    tail = make_device_copy<float>(context, run, what);
  }

  void clear(const Stream& stream) const {
    first.clear(stream);
    tail.clear(stream);
  }

  DeviceBuffer<float> first;  // [columns x units]
  DeviceBuffer<float> tail;
};

}  // namespace widehash::cuda
