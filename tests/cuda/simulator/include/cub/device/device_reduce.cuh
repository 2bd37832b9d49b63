#pragma once

#include "state.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>

namespace cuda::std {
template <class T = void>
using plus = ::std::plus<T>;
}  // namespace cuda::std

namespace cub {

struct DeviceReduce {
  /// Without `scratch`, sets `bytes` to the size it needs. Gives one result for each run of equal keys.
  template <class Key, class Values, class Sum, class Add>
  static cudaError_t ReduceByKey(void* scratch, std::size_t& bytes, const Key* keys, Key* run_keys,
                                 Values values, Sum* run_sums, std::uint64_t* num_runs, Add add,
                                 std::uint64_t count, cudaStream_t stream) {
    if (scratch == nullptr) {
      bytes = 1;
      return cudaSuccess;
    }
    if (bytes < 1) return cudaErrorInvalidValue;
    return simulator::enqueue(stream, [=] {
      std::uint64_t run = 0;
      for (std::uint64_t i = 0; i < count; ++i) {
        if (i > 0 && keys[i] == keys[i - 1]) {
          run_sums[run - 1] = add(run_sums[run - 1], values[i]);
          continue;
        }
        run_keys[run] = keys[i];
        run_sums[run++] = values[i];
      }
      *num_runs = run;
    });
  }
};

}  // namespace cub
