#pragma once

/// \file
/// Benchmarks by the device's own clock.

#include "device_limits.hpp"

#include <cstddef>
#include <cstdint>

#include <benchmark/benchmark.h>

namespace widehash::bench {

inline const cuda::DeviceContext& device() {
  static const cuda::DeviceContext context(0);
  return context;
}

/// Calls work() once an iteration and reports its time on the device.
template <class Work>
void measure(benchmark::State& state, const Work& work) {
  DeviceStopwatch watch(device());
  work();
  device().stream().synchronize();
  for (auto _ : state) {
    watch.start();
    work();
    state.SetIterationTime(watch.stop());
  }
}

/// Of one iteration; 0 bytes where they are not what counts.
inline void report(benchmark::State& state, std::size_t items, std::size_t bytes) {
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(items));
  if (bytes > 0) state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes));
}

}  // namespace widehash::bench
