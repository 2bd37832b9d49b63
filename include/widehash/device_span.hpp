#pragma once

/// \file
/// Numbers where a device keeps them: in host memory for the CPU, in its own memory for a GPU.

#include <cstddef>
#include <span>
#include <type_traits>

namespace widehash {

namespace cuda {
class DeviceContext;
}

/// A non-owning span. Trivially copyable.
template <class T>
struct DeviceSpan {
  T* data = nullptr;
  std::size_t size = 0;
  /// The context of the GPU that holds the memory; work on the numbers is queued on its stream. Null: host
  /// memory.
  const cuda::DeviceContext* context = nullptr;

  bool is_on_host() const noexcept { return context == nullptr; }
  /// Requires is_on_host().
  std::span<T> host() const noexcept { return {data, size}; }
  DeviceSpan part(std::size_t begin, std::size_t count) const noexcept {
    return {data + begin, count, context};
  }
  template <class U>
  requires(std::is_same_v<U, const T> && !std::is_const_v<T>) operator DeviceSpan<U>() const noexcept {
    return {data, size, context};
  }
};

template <class T>
DeviceSpan<T> on_host(std::span<T> values) noexcept {
  return {values.data(), values.size(), nullptr};
}

}  // namespace widehash
