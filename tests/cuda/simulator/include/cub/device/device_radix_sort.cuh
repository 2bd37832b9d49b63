#pragma once

#include "state.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace cub {

struct DeviceRadixSort {
  /// Without `scratch`, sets `bytes` to the size it needs. Equal keys stay in their order.
  template <class Key, class Value>
  static cudaError_t SortPairs(void* scratch, std::size_t& bytes, const Key* keys, Key* sorted_keys,
                               const Value* values, Value* sorted_values, std::uint64_t count, int first_bit,
                               int end_bit, cudaStream_t stream) {
    if (scratch == nullptr) {
      bytes = 1;
      return cudaSuccess;
    }
    if (bytes < 1) return cudaErrorInvalidValue;
    return simulator::enqueue(stream, [=] {
      const auto digits = [=](Key key) {
        return (std::uint64_t{key} >> first_bit) & ((std::uint64_t{1} << (end_bit - first_bit)) - 1);
      };
      std::vector<std::uint64_t> order(count);
      std::iota(order.begin(), order.end(), std::uint64_t{0});
      std::ranges::stable_sort(order, {}, [&](std::uint64_t i) { return digits(keys[i]); });
      for (std::uint64_t i = 0; i < count; ++i) {
        sorted_keys[i] = keys[order[i]];
        sorted_values[i] = values[order[i]];
      }
    });
  }
};

}  // namespace cub
