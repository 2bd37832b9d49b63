#pragma once

/// \file
/// Benchmarks timed by the device's own clock.

#include "device_limits.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <string>

#include <benchmark/benchmark.h>

namespace widehash::bench {

inline const cuda::DeviceContext& device() {
  // Never destroyed: when static objects are destroyed, cuBLAS,
  // which was loaded later, has already freed its own state.
  static const auto* const context = new cuda::DeviceContext(0);
  return *context;
}

/// The number of pieces of work queued together. The environment variable WIDEHASH_BENCH_AT_ONCE sets another
/// number, for machines on which a single one takes long enough.
inline benchmark::IterationCount works_at_once() {
  const char* const wanted = std::getenv("WIDEHASH_BENCH_AT_ONCE");
  return wanted == nullptr ? 20 : std::stoi(wanted);
}

/// How long a device works before it is measured. A device that was idle while the host made data runs at a
/// fraction of its clock.
inline constexpr std::chrono::milliseconds warm_up{100};

/// Queueing takes longer only where it waits for the device, and holding the device would prolong that wait.
inline constexpr double most_hold_seconds = 2e-3;

/// Reports the device's time for work(i), the mean over `at_once` calls in a row with i = 0, 1, ..., and as
/// issue_us the host's time to queue one. Queueing takes as long as a short kernel, so the device is held
/// until all are queued. before() is queued before them and not measured.
template <class Work, class Before>
void measure_turns(benchmark::State& state, const Work& work, benchmark::IterationCount at_once,
                   const Before& before) {
  using Clock = std::chrono::steady_clock;
  DeviceStopwatch watch(device());
  const auto queue_all = [&] {
    const auto begin = Clock::now();
    for (benchmark::IterationCount i = 0; i < at_once; ++i) work(static_cast<std::size_t>(i));
    return std::chrono::duration<double>(Clock::now() - begin).count();
  };
  double issue_seconds = 0;
  const auto begin = Clock::now();
  do {
    before();
    issue_seconds = queue_all();
    device().stream().synchronize();
  } while (works_at_once() > 1 && Clock::now() - begin < warm_up);
  while (state.KeepRunningBatch(at_once)) {
    before();
    hold_device(device(), std::min(2 * issue_seconds, most_hold_seconds));
    watch.start();
    (void)queue_all();
    state.SetIterationTime(watch.stop());
  }
  state.counters["issue_us"] = 1e6 * issue_seconds / static_cast<double>(at_once);
}

/// Measures work that is the same in each turn.
template <class Work>
void measure(benchmark::State& state, const Work& work, benchmark::IterationCount at_once = works_at_once()) {
  measure_turns(
      state, [&](std::size_t) { work(); }, at_once, [] {});
}

/// A benchmark that throws is reported without a figure, and the others still run.
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

/// Reports items and bytes per iteration; 0 bytes if they are not relevant.
inline void report(benchmark::State& state, std::size_t items, std::size_t bytes) {
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(items));
  if (bytes > 0) state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes));
}

}  // namespace widehash::bench
