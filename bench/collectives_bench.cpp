// One collective among the virtual devices of this process, and the memory copy that bounds it: an all-reduce
// of n bytes reads n bytes of every rank once and writes n bytes of every rank twice.

#include <widehash/device_team.hpp>

#include <chrono>
#include <cstring>
#include <vector>

#include <benchmark/benchmark.h>

namespace widehash::bench {
namespace {

constexpr int calls_per_run = 100;
// Fixed, because an iteration's time is the time of one call, so the library would choose far too many iterations.
constexpr int runs = 5;

void sizes_and_ranks(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"bytes", "ranks"})
      ->ArgsProduct({{8, 4096, 65536, 1 << 20, 16 << 20}, {1, 2, 4}})
      ->Unit(benchmark::kMicrosecond)
      ->UseManualTime()
      ->Iterations(runs);
}

/// Measures the mean time of one call in a series, on rank 0.
template <class Call>
void measure(benchmark::State& state, const Call& call) {
  const auto values = static_cast<std::size_t>(state.range(0)) / sizeof(float);
  DeviceTeam team(std::vector<Device>(static_cast<std::size_t>(state.range(1))));
  for (auto _ : state) {
    double seconds = 0;
    team.run([&](Communicator& communicator) {
      std::vector<float> own(values, 1.0f);
      communicator.barrier();
      const auto start = std::chrono::steady_clock::now();
      for (int i = 0; i < calls_per_run; ++i) call(communicator, own);
      if (communicator.rank() == 0)
        seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    });
    state.SetIterationTime(seconds / calls_per_run);
  }
  state.SetBytesProcessed(state.iterations() * state.range(0));
}

void all_reduce(benchmark::State& state) {
  measure(state, [](Communicator& communicator, std::vector<float>& values) {
    communicator.all_reduce(std::span<float>(values));
  });
}
BENCHMARK(all_reduce)->Apply(sizes_and_ranks);

void barrier(benchmark::State& state) {
  measure(state, [](Communicator& communicator, std::vector<float>&) { communicator.barrier(); });
}
BENCHMARK(barrier)
    ->ArgNames({"bytes", "ranks"})
    ->Args({8, 2})
    ->Args({8, 4})
    ->Unit(benchmark::kMicrosecond)
    ->UseManualTime()
    ->Iterations(runs);

void memory_copy(benchmark::State& state) {
  std::vector<char> from(static_cast<std::size_t>(state.range(0)), 'x');
  std::vector<char> to(from.size());
  for (auto _ : state) {
    std::memcpy(to.data(), from.data(), from.size());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(memory_copy)
    ->ArgName("bytes")
    ->Arg(65536)
    ->Arg(1 << 20)
    ->Arg(16 << 20)
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace widehash::bench
