#pragma once

/// \file
/// Benchmarks by the device's own clock.

#include "device_limits.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <string>

#include <benchmark/benchmark.h>

namespace widehash::bench {

inline const cuda::DeviceContext& device() {
  // For good: when static objects are destroyed, what cuBLAS, which was loaded after it, has of its own is
  // gone already.
  static const auto* const context = new cuda::DeviceContext(0);
  return *context;
}

/// Pieces of work that go to the device together: then its clock does not count the way there, which is as
/// long as a kernel. WIDEHASH_BENCH_AT_ONCE has another number, for machines to which a single one is work
/// enough.
inline benchmark::IterationCount works_at_once() {
  const char* const wanted = std::getenv("WIDEHASH_BENCH_AT_ONCE");
  return wanted == nullptr ? 20 : std::stoi(wanted);
}

/// How long a device works before it is measured: one that has rested while the host made data runs at a
/// fraction of its clock.
inline constexpr std::chrono::milliseconds warm_up{100};

/// Reports the time of work() on the device, of `at_once` in a row.
template <class Work>
void measure(benchmark::State& state, const Work& work, benchmark::IterationCount at_once = works_at_once()) {
  DeviceStopwatch watch(device());
  const auto begin = std::chrono::steady_clock::now();
  do {
    for (benchmark::IterationCount i = 0; i < at_once; ++i) work();
    device().stream().synchronize();
  } while (works_at_once() > 1 && std::chrono::steady_clock::now() - begin < warm_up);
  while (state.KeepRunningBatch(at_once)) {
    watch.start();
    for (benchmark::IterationCount i = 0; i < at_once; ++i) work();
    state.SetIterationTime(watch.stop());
  }
}

/// A benchmark that ends with an exception is one without a figure; the others are measured.
template <class Function, class... Arguments>
benchmark::internal::Benchmark* add_benchmark(const char* name, Function function, Arguments... arguments) {
  return benchmark::RegisterBenchmark(name, [=](benchmark::State& state) {
    try {
      function(state, arguments...);
    } catch (const std::exception& error) {
      state.SkipWithError(error.what());
    }
  });
}

/// Of one iteration; 0 bytes where they are not what counts.
inline void report(benchmark::State& state, std::size_t items, std::size_t bytes) {
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(items));
  if (bytes > 0) state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes));
}

}  // namespace widehash::bench
