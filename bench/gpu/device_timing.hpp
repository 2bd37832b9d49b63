#pragma once

/// \file
/// Benchmarks by the device's own clock.

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
  // For good: when static objects are destroyed, what cuBLAS, which was loaded after it, has of its own is
  // gone already.
  static const auto* const context = new cuda::DeviceContext(0);
  return *context;
}

/// Pieces of work that go to the device together. WIDEHASH_BENCH_AT_ONCE has another number, for machines to
/// which a single one is work enough.
inline benchmark::IterationCount works_at_once() {
  const char* const wanted = std::getenv("WIDEHASH_BENCH_AT_ONCE");
  return wanted == nullptr ? 20 : std::stoi(wanted);
}

/// How long a device works before it is measured: one that has rested while the host made data runs at a
/// fraction of its clock.
inline constexpr std::chrono::milliseconds warm_up{100};

/// Queueing takes no longer, but where it waits for the device, which holding up would only make longer.
inline constexpr double most_hold_seconds = 2e-3;

/// Reports the time of work(i) on the device, of `at_once` in a row, i = 0, 1, ..., and as issue_us what the host
/// takes to queue one. That is as long as a short kernel: so the device is held up until all are queued.
/// before() is queued in front of them, and not measured.
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

/// The same of work that is the same each time.
template <class Work>
void measure(benchmark::State& state, const Work& work, benchmark::IterationCount at_once = works_at_once()) {
  measure_turns(
      state, [&](std::size_t) { work(); }, at_once, [] {});
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
